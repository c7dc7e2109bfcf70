import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { remoteOf } from '../../../../src/filesystem/cluster/remote-exception.ts'
import type { WebHdfsOperation } from '../../../../src/filesystem/hadoop-verbs.ts'
import { createWebHdfsFileSystem } from '../../../../src/filesystem/webhdfs.ts'
import { expectCode } from '../../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../../suites/flat-filesystem.ts'
import { type FakeFault, type FakeHdfs, sendJson, sendRemote, startFakeHdfs, toStatus } from '../fake-hdfs.ts'

let fake: FakeHdfs
let fs: FileSystem
beforeEach(async () => {
  fake = await startFakeHdfs()
  fake.files.set('/file', Buffer.from('0123456789'))
  fs = flat(createWebHdfsFileSystem({ urls: [fake.url], random: () => 0, maxRetries: 1, user: 'sluice' }))
})
afterEach(async () => {
  await fs.close()
  await fake.close()
})

/** Answers one step, each time. */
const answer = (step: string, ...answers: readonly FakeFault[]): void => {
  let calls = 0
  fake.fault = call => call.step === step && (answers[Math.min(calls++, answers.length - 1)] ?? (() => false))(call)
}
const json =
  (value: unknown): FakeFault =>
  ({ response }) =>
    sendJson(response, 200, value)
const empty: FakeFault = ({ response }) => {
  response.writeHead(200).end()
  return true
}
const reset: FakeFault = ({ request }) => {
  request.socket.destroy()
  return true
}
const unknown =
  (op: string): FakeFault =>
  ({ response }) =>
    sendRemote(
      response,
      400,
      'IllegalArgumentException',
      `Invalid value for webhdfs parameter "op": ${op} is not a valid GET operation.`,
    )
const lastQuery = (): string[][] => [...(fake.requests.at(-1)?.query ?? [])]

describe('webhdfs: attributes', () => {
  test.for<[string, (fs: FileSystem) => Promise<unknown>, string[][]]>([
    ['SETPERMISSION', fs => fs.setPermission('/file', 0o1640), [['permission', '1640']]],
    ['SETOWNER', fs => fs.setOwner('/file', { owner: 'a&b=c' }), [['owner', 'a&b=c']]],
    ['SETOWNER', fs => fs.setOwner('/file', { group: 'g' }), [['group', 'g']]],
    ['SETTIMES', fs => fs.setTimes('/file', { modificationTime: 5 }), [['modificationtime', '5']]],
    ['SETTIMES', fs => fs.setTimes('/file', { accessTime: 0 }), [['accesstime', '0']]],
    ['CHECKACCESS', fs => fs.access('/file', 0), [['fsaction', '---']]],
    ['CHECKACCESS', fs => fs.access('/file', 1), [['fsaction', '--x']]],
    ['CHECKACCESS', fs => fs.access('/file', 6), [['fsaction', 'rw-']]],
  ])('%s says what is asked, and is repeated', async ([op, call, params]) => {
    answer(`name ${op}`, reset, empty)
    await call(fs)
    expect(fake.steps).toEqual([`name ${op}`, `name ${op}`])
    expect(lastQuery()).toEqual([['op', op], ['user.name', 'sluice'], ...params])
  })

  test('access times that a cluster does not keep cannot be set', async () => {
    const message = 'Access time for hdfs is not configured.  Please set dfs.namenode.accesstime.precision'
    answer('name SETTIMES', ({ response }) => sendRemote(response, 403, 'IOException', message))
    await expectCode(fs.setTimes('/file', { accessTime: 1 }), 'unsupported')
  })

  test('setReplication: no is said of a directory, and of what is not there', async () => {
    answer('name SETREPLICATION', json({ boolean: false }))
    expect(await fs.setReplication('/', 2)).toBe(false)
    await expectCode(fs.setReplication('/none', 2), 'not-found')
  })

  test.for([
    ['UnsupportedOperationException', 400, 'Symlinks not supported', 'unsupported'],
    ['AccessControlException', 403, '/file (is not a directory)', 'not-found'],
    ['AccessControlException', 403, 'Permission denied: user=bob, access=WRITE', 'denied'],
    ['ParentNotDirectoryException', 403, '/file (is not a directory)', 'not-directory'],
  ] as const)('%s (%d, %s) is %s', async ([exception, status, message, code]) => {
    answer('name SETOWNER', ({ response }) => sendRemote(response, status, exception, message))
    await expectCode(fs.setOwner('/file/below', { owner: 'x' }), code)
  })

  test('an answer that is not a boolean is refused', async () => {
    answer('name SETREPLICATION', json({ boolean: 'yes' }))
    await expectCode(fs.setReplication('/file', 2), 'unavailable')
  })
})

describe('webhdfs: statuses', () => {
  test('attributes are those that are set', async () => {
    const status = toStatus('', 1)
    answer('name GETFILESTATUS', json({ FileStatus: status }))
    expect(await fs.getFileStatus('/file')).not.toHaveProperty('attributes')
    const bits = { aclBit: true, encBit: true, ecBit: true, snapshotEnabled: true }
    answer('name GETFILESTATUS', json({ FileStatus: { ...status, ...bits } }))
    expect((await fs.getFileStatus('/file')).attributes).toEqual(['HAS_ACL', 'HAS_CRYPT', 'HAS_EC', 'SNAPSHOT_ENABLED'])
    answer('name GETFILESTATUS', json({ FileStatus: { ...status, aclBit: 'false', encBit: false, ecBit: true } }))
    expect((await fs.getFileStatus('/file')).attributes).toEqual(['HAS_EC'])
  })

  test('an access time that is missing, or is not a number, makes the status invalid', async () => {
    const { accessTime, ...status } = toStatus('', 1)
    for (const wrong of [status, { ...status, accessTime: String(accessTime) }]) {
      answer('name GETFILESTATUS', json({ FileStatus: wrong }))
      await expectCode(fs.getFileStatus('/file'), 'unavailable')
    }
  })
})

const summary = { directoryCount: 1, fileCount: 2, length: 3, spaceConsumed: 9, quota: -1, spaceQuota: 1e17 }
const defaults = {
  blockSize: 1,
  replication: 2,
  bytesPerChecksum: 3,
  writePacketSize: 4,
  fileBufferSize: 5,
  encryptDataTransfer: true,
  trashInterval: 6,
  checksumType: 7,
}
const location = { offset: 0, length: 10, hosts: ['h'], names: ['h:1'] }
const located = {
  startOffset: 0,
  block: { numBytes: 10 },
  locations: [{ hostName: 'h', ipAddr: '10.0.0.1', xferPort: 1 }],
}
const checksum = { algorithm: 'MD5-of-1MD5-of-512CRC32C', bytes: 'ab00', length: 1 }

describe('webhdfs: facts', () => {
  test('are what the cluster says, and no more', async () => {
    answer('name GETCONTENTSUMMARY', json({ ContentSummary: { ...summary, ecPolicy: '', typeQuota: {} } }))
    expect(await fs.getContentSummary('/file')).toEqual(summary)
    answer('name GETSTATUS', json({ FsStatus: { capacity: 2 ** 60, used: 1, remaining: 2, more: 3 } }))
    expect(await fs.getStatus('/file')).toEqual({ capacity: 2 ** 60, used: 1, remaining: 2 })
    answer('name GETSERVERDEFAULTS', json({ FsServerDefaults: { ...defaults, keyProviderUri: '' } }))
    expect(await fs.getServerDefaults('/file')).toEqual(defaults)
    answer('name GETFILEBLOCKLOCATIONS', json({ BlockLocations: { BlockLocation: [{ ...location, corrupt: false }] } }))
    expect(await fs.getFileBlockLocations('/file', 3, 4)).toEqual([location])
    expect(lastQuery()).toEqual(
      expect.arrayContaining([
        ['offset', '3'],
        ['length', '4'],
      ]),
    )
  })

  test('the largest number of Java means no quota', async () => {
    const text = `{"ContentSummary":${JSON.stringify(summary).replace('-1', '9223372036854775807')}}`
    answer('name GETCONTENTSUMMARY', ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      return true
    })
    expect(await fs.getContentSummary('/file')).toEqual(summary)
  })

  const facts: Record<string, [(fs: FileSystem) => Promise<unknown>, Record<string, unknown>]> = {
    GETCONTENTSUMMARY: [fs => fs.getContentSummary('/file'), { ContentSummary: summary }],
    GETSTATUS: [fs => fs.getStatus('/file'), { FsStatus: { capacity: 1, used: 1, remaining: 1 } }],
    GETSERVERDEFAULTS: [fs => fs.getServerDefaults('/file'), { FsServerDefaults: defaults }],
    GETFILEBLOCKLOCATIONS: [
      fs => fs.getFileBlockLocations('/file', 0, 1),
      { BlockLocations: { BlockLocation: [location] } },
    ],
    GETFILECHECKSUM: [fs => fs.getFileChecksum('/file'), { FileChecksum: checksum }],
  }

  /** The same JSON with one value less, or another one in its place, at each place. */
  const spoilt = (value: unknown): unknown[] => {
    if (Array.isArray(value)) return [...value.flatMap(one => spoilt(one).map(wrong => [wrong])), {}]
    if (typeof value !== 'object' || value === null) return [null, [], typeof value === 'string' ? 1 : 'text', 0.5]
    return Object.entries(value).flatMap(([name, one]) => {
      const { [name]: _, ...rest } = Object.fromEntries(Object.entries(value))
      return [rest, ...spoilt(one).map(wrong => ({ ...rest, [name]: wrong }))]
    })
  }
  test.for(Object.entries(facts))('%s: anything else is refused', async ([op, [call, whole]]) => {
    const wrongs = [...spoilt(whole), [], 'text', null, {}]
    expect(wrongs.length).toBeGreaterThan(10)
    for (const wrong of wrongs) {
      answer(`name ${op}`, json(wrong))
      await expectCode(call(fs), 'unavailable')
    }
    answer(`name ${op}`, empty)
    await expectCode(call(fs), 'unavailable')
  })

  test.for(['GETSTATUS', 'GETSERVERDEFAULTS'])('%s is unsupported where a cluster is too old for it', async op => {
    answer(`name ${op}`, unknown(op))
    await expectCode(facts[op]?.[0](fs) ?? Promise.resolve(), 'unsupported')
  })

  test('old clusters tell where blocks are in other words, and are not asked in new ones again', async () => {
    fake.fault = call => {
      if (call.step === 'name GETFILEBLOCKLOCATIONS') return unknown('GETFILEBLOCKLOCATIONS')(call)
      return call.step === 'name GET_BLOCK_LOCATIONS' && json({ LocatedBlocks: { locatedBlocks: [located] } })(call)
    }
    const want = [{ offset: 0, length: 10, hosts: ['h'], names: ['10.0.0.1:1'] }]
    expect(await fs.getFileBlockLocations('/file', 0, 1)).toEqual(want)
    expect(await fs.getFileBlockLocations('/file', 0, 1)).toEqual(want)
    expect(fake.steps).toEqual(['name GETFILEBLOCKLOCATIONS', 'name GET_BLOCK_LOCATIONS', 'name GET_BLOCK_LOCATIONS'])
    for (const wrong of spoilt({ LocatedBlocks: { locatedBlocks: [located] } })) {
      answer('name GET_BLOCK_LOCATIONS', json(wrong))
      await expectCode(fs.getFileBlockLocations('/file', 0, 1), 'unavailable')
    }
  })

  test('an empty range has no blocks, and is asked of a file all the same', async () => {
    expect(await fs.getFileBlockLocations('/file', 3, 0)).toEqual([])
    await expectCode(fs.getFileBlockLocations('/', 0, 0), 'is-directory')
    await expectCode(fs.getFileBlockLocations('/none', 0, 0), 'not-found')
  })

  test('a summary can be aborted while the cluster counts', async () => {
    const controller = new AbortController()
    answer('name GETCONTENTSUMMARY', () => {
      controller.abort()
      return true
    })
    await expectCode(fs.getContentSummary('/file', { signal: controller.signal }), 'unavailable')
  })
})

describe('webhdfs: getFileChecksum', () => {
  const toData: FakeFault = ({ request, response }) => {
    response.writeHead(307, { location: `${fake.url}/data${request.url}` }).end()
    return true
  }
  const at = (steps: Record<string, FakeFault>): void => {
    fake.fault = call => steps[call.step]?.(call) ?? false
  }

  test('a data node has it', async () => {
    at({ 'name GETFILECHECKSUM': toData, 'data GETFILECHECKSUM': json({ FileChecksum: checksum }) })
    expect(await fs.getFileChecksum('/file')).toEqual(checksum)
  })

  test('a name node that does not redirect names the data node', async () => {
    at({
      'name GETFILECHECKSUM': call => json({ Location: `${fake.url}/data${call.request.url}` })(call),
      'data GETFILECHECKSUM': json({ FileChecksum: checksum }),
    })
    expect(await fs.getFileChecksum('/file')).toEqual(checksum)
  })

  test('a server that has it already, as HttpFS, is not asked twice', async () => {
    at({ 'name GETFILECHECKSUM': json({ FileChecksum: checksum }) })
    expect(await fs.getFileChecksum('/file')).toEqual(checksum)
    expect(fake.steps).toHaveLength(1)
  })

  test('a data node that fails is left for another one, three at the most', async () => {
    let failures = 2
    at({
      'name GETFILECHECKSUM': toData,
      'data GETFILECHECKSUM': call => (failures-- > 0 ? reset : json({ FileChecksum: checksum }))(call),
    })
    expect(await fs.getFileChecksum('/file')).toEqual(checksum)
    const { host } = new URL(fake.url)
    const excluded = fake.requests
      .filter(({ step }) => step.startsWith('name'))
      .map(({ query }) => query.get('excludedatanodes'))
    expect(excluded).toEqual([null, host, `${host},${host}`])
    at({ 'name GETFILECHECKSUM': toData, 'data GETFILECHECKSUM': reset })
    fake.steps.length = 0
    await expectCode(fs.getFileChecksum('/file'), 'unavailable')
    expect(fake.steps.filter(step => step.startsWith('data'))).toHaveLength(3)
  })

  test('a refusal of the data node is the answer', async () => {
    at({
      'name GETFILECHECKSUM': toData,
      'data GETFILECHECKSUM': ({ response }) =>
        sendRemote(response, 404, 'FileNotFoundException', 'Path is not a file: /file\n\tat x'),
    })
    await expectCode(fs.getFileChecksum('/file'), 'is-directory')
    expect(fake.steps).toHaveLength(2)
  })

  test('no strange place is asked for it', async () => {
    for (const Location of ['file:///etc/passwd', 'nowhere', 7]) {
      at({ 'name GETFILECHECKSUM': json({ Location }) })
      await expectCode(fs.getFileChecksum('/file'), 'unavailable')
    }
  })
})

describe('webhdfs: webHdfs', () => {
  const passOn = (more: Partial<WebHdfsOperation> = {}): Promise<unknown> =>
    fs.webHdfs?.({ method: 'GET', op: 'GETXATTRS', path: '/file', params: [], ...more }) ??
    Promise.reject(new Error('WebHDFS passes on'))

  test('sends what it is given, names again and again', async () => {
    answer('name GETXATTRS', json({ XAttrs: [] }))
    const params = [
      ['xattr.name', 'user.a'],
      ['xattr.name', 'user.b&op=DELETE'],
      ['a=b', 'x'],
      ['encoding', ''],
    ] as const
    expect(await passOn({ params })).toEqual({ XAttrs: [] })
    expect(lastQuery()).toEqual([['op', 'GETXATTRS'], ['user.name', 'sluice'], ...params])
  })

  test.for(['GET', 'PUT', 'POST', 'DELETE'] as const)('sends %s as such', async method => {
    answer('name X', empty)
    expect(await passOn({ method, op: 'X' })).toBe(undefined)
    expect(fake.requests.at(-1)?.request.method).toBe(method)
  })

  test.for(['op', 'user.name', 'doas', 'delegation', 'token', 'noredirect', 'namenoderpcaddress'])(
    'nobody else says %s, in whatever case',
    async name => {
      answer('name GETXATTRS', json({}))
      const capital = name.replace(/[a-z]/, letter => letter.toUpperCase())
      const spellings = [name, name.toUpperCase(), capital, name.replace('k', '\u212a')]
      await passOn({ params: [...spellings.map(one => [one, 'x'] as const), ['kept', 'x']] })
      expect(lastQuery()).toEqual([
        ['op', 'GETXATTRS'],
        ['user.name', 'sluice'],
        ['kept', 'x'],
      ])
    },
  )

  test.for([
    'GETDELEGATIONTOKEN',
    'GETDELEGATIONTOKENS',
    'RENEWDELEGATIONTOKEN',
    'CANCELDELEGATIONTOKEN',
    'getdelegationtoken',
    'GETDELEGATIONTOKEN ',
    'GETDELEGAT\u0131ONTOKEN',
    'GETXATTRS&op=GETDELEGATIONTOKEN',
    '',
    'OPEN',
    'CREATE',
    'APPEND',
    'GETFILECHECKSUM',
    'GET_BLOCK_LOCATIONS',
  ])('%j is refused, and nobody is asked', async op => {
    for (const method of ['GET', 'PUT', 'POST'] as const) await expectCode(passOn({ method, op }), 'unsupported')
    expect(fake.steps).toEqual([])
  })

  test('a redirect is a failure', async () => {
    answer('name ANY', ({ response }) => {
      response.writeHead(307, { location: `${fake.url}/data/webhdfs/v1/file?op=ANY&delegation=secret` }).end()
      return true
    })
    await expectCode(passOn({ op: 'ANY', method: 'PUT' }), 'unavailable')
    await expect(passOn({ op: 'ANY', method: 'PUT' })).rejects.not.toThrow('secret')
  })

  test.for(['PUT', 'POST', 'DELETE'] as const)(
    '%s is not sent twice after an unknown outcome; GET is',
    async method => {
      answer('name X', reset, empty)
      await expectCode(passOn({ method, op: 'X' }), 'unavailable')
      expect(fake.steps).toEqual(['name X'])
      answer('name X', reset, empty)
      await passOn({ op: 'X' })
      expect(fake.steps).toEqual(['name X', 'name X', 'name X'])
    },
  )

  test('what a name node refused before it began is sent again', async () => {
    answer('name X', ({ response }) => sendRemote(response, 403, 'StandbyException'), empty)
    await passOn({ method: 'PUT', op: 'X' })
    expect(fake.steps).toEqual(['name X', 'name X'])
  })

  test('the largest number of Java stays one of Java', async () => {
    answer('name X', ({ response }) => {
      const text = '{"QuotaUsage":{"quota":9223372036854775807,"spaceQuota":-1,"list":[9223372036854775807,"9"]}}'
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      return true
    })
    const text = JSON.stringify(await passOn({ op: 'X' }))
    const [quota = '', more = ''] = text.match(/\d{19}/g) ?? []
    expect(BigInt(quota)).toBeLessThan(2n ** 63n)
    expect(BigInt(quota)).toBeGreaterThan(2n ** 63n - 5_000n)
    expect(text).toBe(`{"QuotaUsage":{"quota":${quota},"spaceQuota":-1,"list":[${more},"9"]}}`)
  })

  test('null is an answer, and an empty body is not', async () => {
    answer('name X', json(null))
    expect(await passOn({ op: 'X' })).toBe(null)
    answer('name X', empty)
    expect(await passOn({ op: 'X' })).toBe(undefined)
  })

  test('a refusal keeps what Hadoop calls it', async () => {
    answer('name X', ({ response }) => sendRemote(response, 403, 'XAttrNotFoundException', 'no such attribute'))
    const error = await passOn({ op: 'X' }).catch((reason: unknown) => reason)
    expect(remoteOf(error)).toMatchObject({
      exception: 'XAttrNotFoundException',
      javaClassName: 'x.XAttrNotFoundException',
      httpStatus: 403,
      message: 'no such attribute',
    })
    await expectCode(passOn({ path: '/../x' }), 'bad-path')
  })

  test('a call that is aborted ends', async () => {
    const controller = new AbortController()
    answer('name X', () => {
      controller.abort()
      return true
    })
    await expectCode(passOn({ op: 'X', signal: controller.signal }), 'unavailable')
  })
})
