import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isRefusedProof, RemoteException } from '../../../../src/filesystem/cluster/remote-exception.ts'
import { FileSystemError, type FileSystemErrorCode } from '../../../../src/filesystem/filesystem.ts'
import type { Credentials, Proof } from '../../../../src/filesystem/webhdfs/credentials.ts'
import { createWebHdfsFileSystem, type WebHdfsOptions } from '../../../../src/filesystem/webhdfs.ts'
import { chunksOf, expectCode, listNames, readText } from '../../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../../suites/flat-filesystem.ts'
import { type FakeFault, type FakeHdfs, sendJson, sendRemote, startFakeHdfs, toStatus } from '../fake-hdfs.ts'

let fake: FakeHdfs
let waits: number[]
beforeEach(async () => {
  fake = await startFakeHdfs()
  waits = []
})
afterEach(() => fake.close())

const create = (options: Partial<WebHdfsOptions> = {}): FileSystem =>
  flat(
    createWebHdfsFileSystem({
      urls: [fake.url],
      random: () => 1,
      sleep: ms => {
        waits.push(ms)
        return Promise.resolve()
      },
      ...options,
    }),
  )

/** Applies a fault at a step, a given number of times. */
const at = (step: string, fault: FakeFault, times = 1): void => {
  let left = times
  fake.fault = call => call.step === step && left-- > 0 && fault(call)
}

/** A port without a listener. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

const faults: Record<string, FakeFault> = {
  'HTTP 503 of a proxy': ({ response }) => {
    response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>')
    return true
  },
  'HTTP 502 of a proxy': ({ response }) => {
    response.writeHead(502).end()
    return true
  },
  'a reset': ({ request }) => {
    request.socket.destroy()
    return true
  },
}

const calls: Record<string, (fs: FileSystem) => Promise<unknown>> = {
  CREATE: fs => fs.create('/new', chunksOf('new'), { overwrite: true }),
  OPEN: fs => readText(fs, '/old'),
  GETFILESTATUS: fs => fs.getFileStatus('/old'),
  LISTSTATUS_BATCH: fs => listNames(fs, '/'),
  MKDIRS: fs => fs.mkdirs('/d'),
  RENAME: fs => fs.rename('/old', '/moved'),
  DELETE: fs => fs.delete('/old'),
}

describe('webhdfs: a name node in trouble', () => {
  beforeEach(() => void fake.files.set('/old', Buffer.from('old')))

  const repeatable = ['CREATE', 'OPEN', 'GETFILESTATUS', 'LISTSTATUS_BATCH', 'MKDIRS']
  const table = Object.keys(faults).flatMap(fault => Object.keys(calls).map(op => ({ fault, op })))
  test.for(table)('$fault at $op: repeated if that is safe, else unavailable', async ({ fault, op }) => {
    at(`name ${op}`, faults[fault] ?? (() => false))
    const call = calls[op]?.(create()) ?? Promise.reject(new Error(op))
    if (repeatable.includes(op)) await call
    else await expectCode(call, 'unavailable')
    // Once refused; then once more, or not.
    expect(fake.steps.filter(step => step === `name ${op}`)).toHaveLength(repeatable.includes(op) ? 2 : 1)
  })

  test.for(['StandbyException', 'RetriableException', 'SafeModeException'])(
    '%s: every call is repeated',
    async name => {
      for (const [op, call] of Object.entries(calls)) {
        fake.files.set('/old', Buffer.from('old'))
        at(`name ${op}`, ({ response }) => sendRemote(response, 403, name), 2)
        await call(create())
      }
    },
  )

  test('lasting safe mode ends as unavailable, after growing waits', async () => {
    fake.fault = ({ response }) => sendRemote(response, 403, 'SafeModeException', 'Name node is in safe mode.')
    await expectCode(create({ backoffMs: 10, maxBackoffMs: 50 }).mkdirs('/d'), 'unavailable')
    expect(waits).toEqual([10, 20, 40, 50])
    expect(fake.steps).toHaveLength(5)
  })

  test('no attempt begins beyond the time budget', async () => {
    fake.fault = ({ response }) => sendRemote(response, 403, 'SafeModeException')
    let now = 0
    await expectCode(create({ now: () => (now += 400), maxRetryMs: 1_000 }).mkdirs('/d'), 'unavailable')
    expect(fake.steps).toHaveLength(3)
  })

  test('a name node that never answers is given up', async () => {
    fake.fault = () => true
    const call = create({ timeoutMs: 20, maxRetries: 1 }).getFileStatus('/old')
    await expect(call).rejects.toThrow('ETIMEDOUT')
    await expectCode(call, 'unavailable')
  })

  test('one that takes a connection and says nothing, not even for TLS, is given up as soon', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    const fs = create({ urls: [`https://127.0.0.1:${port}`], timeoutMs: 50, maxRetries: 0 })
    await expect(fs.probe()).rejects.toThrow(`name node 127.0.0.1:${port} failed with ETIMEDOUT`)
    await fs.close()
    silent.close()
  })

  test('a server other than WebHDFS is unavailable, never contents', async () => {
    fake.fault = ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')
      return true
    }
    await expectCode(create().getFileStatus('/old'), 'unavailable')
    await expectCode(create().open('/old'), 'unavailable')
  })

  test('a redirect without, or to a strange, location is unavailable', async () => {
    for (const headers of [{}, { location: 'file:///etc/passwd' }, { location: 'nowhere' }]) {
      fake.fault = ({ response }) => {
        response.writeHead(307, { 'content-type': 'application/json', ...headers }).end()
        return true
      }
      await expectCode(create().open('/old'), 'unavailable')
    }
  })
})

describe('webhdfs: a pair of name nodes', () => {
  test('the standby is left, and the active one remembered', async () => {
    const active = await startFakeHdfs()
    try {
      active.files.set('/a', Buffer.from('A'))
      fake.fault = ({ response }) => sendRemote(response, 403, 'StandbyException')
      const fs = create({ urls: [fake.url, active.url] })
      expect(await readText(fs, '/a')).toBe('A')
      await fs.rename('/a', '/b')
      await fs.delete('/b')
      expect(fake.steps).toEqual(['name OPEN'])
      expect(waits).toEqual([])
      // The roles change.
      active.fault = ({ response }) => sendRemote(response, 403, 'StandbyException')
      fake.fault = () => false
      await fs.mkdirs('/d')
      expect(fake.steps).toEqual(['name OPEN', 'name MKDIRS'])
    } finally {
      await active.close()
    }
  })

  test('a dead one is left, also by calls that must not happen twice', async () => {
    const fs = create({ urls: [`http://127.0.0.1:${await closedPort()}`, fake.url] })
    fake.files.set('/a', Buffer.from('A'))
    await fs.rename('/a', '/b')
    expect(await fs.delete('/b')).toBe(true)
  })

  test('none at all: each is asked in each round', async () => {
    const dead = `http://127.0.0.1:${await closedPort()}`
    await expectCode(create({ urls: [dead, dead], maxRetries: 2 }).mkdirs('/d'), 'unavailable')
    expect(waits).toEqual([100, 200])
  })

  test('none at all: the error says of each what it answered', async () => {
    const [first, second] = [await closedPort(), await closedPort()]
    const fs = create({ urls: [`http://127.0.0.1:${first}`, `http://127.0.0.1:${second}`], maxRetries: 1 })
    await expect(fs.mkdirs('/d')).rejects.toThrow(
      `Cannot create directory "/d": name node 127.0.0.1:${second} failed with ECONNREFUSED; name node 127.0.0.1:${first} failed with ECONNREFUSED`,
    )
  })
})

describe('webhdfs: a data node in trouble', () => {
  beforeEach(() => void fake.files.set('/old', Buffer.alloc(100_000, 'o')))

  test.for(Object.keys(faults))('%s at the upload is a failure, and bytes go out once', async fault => {
    at('data CREATE', faults[fault] ?? (() => false))
    await expectCode(create().create('/new', chunksOf('new'), { overwrite: true }), 'unavailable')
    expect(fake.files.has('/new')).toBe(false)
  })

  test.for(Object.keys(faults))(
    '%s at the download gives no contents, and it is requested three times',
    async fault => {
      at('data OPEN', faults[fault] ?? (() => false), 2)
      expect(await readText(create(), '/old')).toHaveLength(100_000)
      at('data OPEN', faults[fault] ?? (() => false), 9)
      await expectCode(create().open('/old'), 'unavailable')
      expect(fake.steps.filter(step => step === 'data OPEN')).toHaveLength(6)
    },
  )

  test('one that cannot be reached is left out of the next try', async () => {
    const dead = `127.0.0.1:${await closedPort()}`
    fake.fault = ({ step, query, request, response }) => {
      if (!step.startsWith('name') || !/CREATE|OPEN/.test(step) || query.get('excludedatanodes') === dead) return false
      response.writeHead(307, { location: `http://${dead}${request.url}` }).end()
      return true
    }
    await create().create('/new', chunksOf('one', 'two'), { overwrite: true })
    expect(await readText(create(), '/new')).toBe('onetwo')
  })

  test.for([0, 1, 50_000, 99_999])('a body that ends after %i of 100000 bytes breaks the stream', async length => {
    at('data OPEN', ({ response }) => {
      response.writeHead(200, { 'content-length': 100_000 })
      response.write(Buffer.alloc(length), () => response.socket?.end())
      response.flushHeaders()
      return true
    })
    await expectCode(readText(create(), '/old'), 'unavailable')
  })

  test('a chunked body that is cut breaks the stream', async () => {
    at('data OPEN', ({ response }) => {
      response.writeHead(200)
      response.write('half', () => response.socket?.destroy())
      return true
    })
    await expectCode(readText(create(), '/old'), 'unavailable')
  })

  test('one that stalls in the middle is noticed, by readers and writers', async () => {
    const fs = create({ idleTimeoutMs: 30 })
    at('data OPEN', ({ response }) => {
      response.writeHead(200, { 'content-length': 100 }).write('x')
      return true
    })
    await expect(readText(fs, '/old')).rejects.toThrow('stalled')
    at('data CREATE', () => true)
    await expect(fs.create('/new', chunksOf('x'), { overwrite: true })).rejects.toThrow('stalled')
  })

  test('a file that is shorter than what was sent is a failure', async () => {
    at('data CREATE', ({ request, response }) => {
      fake.files.set('/new', Buffer.from('ne'))
      request.resume().on('end', () => response.writeHead(201).end())
      return true
    })
    await expect(create().create('/new', chunksOf('new'), { overwrite: true })).rejects.toThrow('3 bytes were sent, 2')
  })

  test('an abort is seen by the data node', async () => {
    const controller = new AbortController()
    const seen = Promise.withResolvers<boolean>()
    at('data CREATE', ({ request }) => {
      request.on('error', () => {}).on('close', () => seen.resolve(request.complete))
      request.once('data', () => controller.abort())
      return true
    })
    const endless = async function* () {
      for (;;) yield new Uint8Array(65_536)
    }
    await expectCode(create().create('/new', endless(), { signal: controller.signal }), 'unavailable')
    expect(await seen.promise).toBe(false)
  })

  test('an early refusal of a long upload is found out', async () => {
    fake.fault = ({ step, request, response }) => {
      if (step !== 'data CREATE') return false
      // A data node that hangs up takes its reason with it, unless there was nothing more to send.
      request.on('error', () => {}).once('data', () => request.socket.destroy())
      request.once('end', () => sendRemote(response, 403, 'AccessControlException'))
      return true
    }
    const long = async function* () {
      for (let left = 200; left > 0; left--) yield new Uint8Array(65_536)
    }
    await expectCode(create().create('/new', long(), { overwrite: true }), 'denied')
  })
})

describe('webhdfs: answers', () => {
  const refusedToken =
    'Failed to obtain user group information: org.apache.hadoop.security.token.SecretManager$InvalidToken'
  test.for<[number, string, string, FileSystemErrorCode]>([
    [403, 'AccessControlException', 'Permission denied', 'denied'],
    [401, 'SecurityException', 'no token', 'unavailable'],
    [403, 'InvalidToken', 'token expired', 'unavailable'],
    [403, 'SecurityException', `${refusedToken}: Token for real user: , can't be found in cache`, 'unavailable'],
    [403, 'SecurityException', 'Failed to obtain user group information: java.io.EOFException', 'denied'],
    // The caller chooses the words of a path.
    [404, 'FileNotFoundException', `File does not exist: /InvalidToken/${refusedToken}: x`, 'not-found'],
    [403, 'AccessControlException', `Permission denied: user=bob, inode="/InvalidToken"`, 'denied'],
    [403, 'SecurityException', `no such user: ${refusedToken}: x`, 'denied'],
    [404, 'FileNotFoundException', 'File does not exist', 'not-found'],
    [404, 'FileNotFoundException', 'Path is not a file: /x', 'is-directory'],
    [403, 'FileAlreadyExistsException', 'exists', 'exists'],
    [403, 'NSQuotaExceededException', 'quota', 'quota-exceeded'],
    [403, 'DSQuotaExceededException', 'quota', 'quota-exceeded'],
    [403, 'PathIsNotEmptyDirectoryException', 'not empty', 'not-empty'],
    [403, 'ParentNotDirectoryException', 'x', 'not-directory'],
    [400, 'IllegalArgumentException', 'Invalid path', 'bad-path'],
    [403, 'InvalidPathException', 'Invalid path', 'bad-path'],
    [403, 'PathComponentTooLongException', 'limit', 'bad-path'],
    [500, 'NullPointerException', 'oops', 'unavailable'],
    [403, 'toString', 'no such class', 'unavailable'],
  ])('%i %s (%s) is %s', async ([status, exception, message, code]) => {
    fake.fault = ({ response }) => sendRemote(response, status, exception, message)
    await expectCode(create().rename('/x', '/y'), code)
    expect(fake.steps).toHaveLength(code === 'not-found' ? 2 : 1)
  })

  test.each([
    [
      'Failure unspecified at GSS-API level (Mechanism level: Clock skew too great (37))',
      /because of Kerberos: Clock skew/,
    ],
    ['(Mechanism level: Checksum failed)', /because of Kerberos: Checksum failed$/],
    [
      '(Mechanism level: Invalid argument (400) - Cannot find key of appropriate type to decrypt AP-REQ - AES256 CTS mode with HMAC SHA1-96)',
      /because of Kerberos: Invalid argument: Cannot find key of appropriate type to decrypt AP-REQ$/,
    ],
    ['(Mechanism level: <script>alert(1)</script> (37))', /403 without a reason that Hadoop gives$/],
    ['(Mechanism level: token=SECRET)', /403 without a reason that Hadoop gives$/],
    ['(Mechanism level: token=SECRET (37))', /403 without a reason that Hadoop gives$/],
  ])('of a page only what Java has against a ticket is told: %s', async (words, want) => {
    fake.fault = ({ response }) => {
      response.writeHead(403, { 'content-type': 'text/html' }).end(`<h2>HTTP ERROR 403 GSSException: ${words}</h2>`)
      return true
    }
    await expect(create({ maxRetries: 0 }).mkdirs('/d')).rejects.toMatchObject({ message: expect.stringMatching(want) })
  })

  test('a rename never replaces and never moves into a directory; to overwrite has to be asked for', async () => {
    fake.files.set('/a', Buffer.from('A'))
    fake.files.set('/b', Buffer.from('B'))
    fake.directories.add('/d')
    const contents = () => [...fake.files].map(([path, bytes]) => `${path} ${bytes.toString()}`)
    await expectCode(create().rename('/a', '/b'), 'exists')
    await expectCode(create().rename('/a', '/d'), 'exists')
    expect(contents()).toEqual(['/a A', '/b B'])
    await create().rename('/a', '/b', { overwrite: true })
    expect(contents()).toEqual(['/b A'])
    await create().rename('/b', '/c')
    expect(contents()).toEqual(['/c A'])
  })

  test('{"boolean":false} is a failure', async () => {
    fake.files.set('/a', Buffer.from('A'))
    fake.fault = ({ step, response }) =>
      /MKDIRS|DELETE|RENAME/.test(step) && sendJson(response, 200, { boolean: false })
    await expectCode(create().mkdirs('/d'), 'unavailable')
    expect(await create().delete('/a')).toBe(false)
    await expectCode(create().rename('/a', '/b'), 'unavailable')
    await expectCode(create().rename('/none', '/b'), 'not-found')
    fake.files.set('/b', Buffer.from('B'))
    await expectCode(create().rename('/a', '/b'), 'exists')
  })

  test('a length that JSON.parse would round is refused', async () => {
    fake.fault = ({ response }) => {
      const json = JSON.stringify({ FileStatus: toStatus('', 7) }).replace('"length":7', '"length":9007199254740993')
      response.writeHead(200, { 'content-type': 'application/json' }).end(json)
      return true
    }
    await expect(create().getFileStatus('/big')).rejects.toThrow('"length"')
  })

  test('the location may come as JSON', async () => {
    fake.files.set('/a', Buffer.from('A'))
    fake.fault = ({ step, request, response }) =>
      /name (OPEN|CREATE)/.test(step) && sendJson(response, 200, { Location: `${fake.url}/data${request.url}` })
    expect(await readText(create(), '/a')).toBe('A')
    await create().create('/b', chunksOf('B'))
    expect(fake.files.get('/b')?.toString()).toBe('B')
  })

  test('the bytes may come from the name node itself', async () => {
    at('name OPEN', ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('bytes')
      return true
    })
    expect(await readText(create(), '/a')).toBe('bytes')
  })

  test('bytes of the name node itself that are cut are not a whole file', async () => {
    fake.files.set('/f', Buffer.from('contents'))
    at('name OPEN', ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 8 }).write('cont')
      setImmediate(() => response.destroy())
      return true
    })
    await expectCode(readText(create({ maxRetries: 0 }), '/f'), 'unavailable')
  })

  test('a createflag that is refused is not sent again', async () => {
    const fs = create()
    fake.fault = ({ step, query, request, response }) => {
      if (step !== 'data CREATE' || !query.get('createflag')) return false
      request.resume().on('end', () => sendRemote(response, 400, 'IllegalArgumentException', 'bad "createflag"'))
      return true
    }
    const write = (): Promise<void> => fs.create('/a', chunksOf('A'), { syncBlock: true, overwrite: true })
    await expectCode(write(), 'bad-path')
    await write()
    expect(fake.files.get('/a')?.toString()).toBe('A')
  })
})

describe('webhdfs: listings', () => {
  const page = (names: readonly string[], remainingEntries: number) => ({
    DirectoryListing: {
      partialListing: { FileStatuses: { FileStatus: names.map(name => toStatus(name, 1)) } },
      remainingEntries,
    },
  })

  test('come in pages', async () => {
    const names = ['a', 'b c', 'd%', 'e', 'f']
    fake.fault = ({ query, response }) => {
      const from = names.indexOf(query.get('startAfter') ?? '') + 1
      return sendJson(response, 200, page(names.slice(from, from + 2), Math.max(0, names.length - from - 2)))
    }
    expect(await listNames(create(), '/')).toEqual(names)
    expect(fake.requests.map(({ query }) => query.get('startAfter'))).toEqual([null, 'b c', 'e'])
    expect(await listNames(create(), '/', { startAfter: 'd%' })).toEqual(['e', 'f'])
  })

  test('that repeat themselves end', async () => {
    fake.fault = ({ response }) => sendJson(response, 200, page(['a', 'b'], 5))
    await expect(listNames(create(), '/')).rejects.toThrow('repeats itself')
  })

  test('of an old cluster are sorted here, and it is asked for pages once', async () => {
    for (const name of ['/b', '/a', '/c']) fake.files.set(name, Buffer.from('x'))
    const fs = create()
    expect(await listNames(fs, '/')).toEqual(['a', 'b', 'c'])
    expect(await listNames(fs, '/', { startAfter: 'a' })).toEqual(['b', 'c'])
    expect(fake.steps).toEqual(['name LISTSTATUS_BATCH', 'name LISTSTATUS', 'name LISTSTATUS'])
  })

  test.for(['../up', 'a/../../b', 'x\0'])('with the name %j are refused', async name => {
    fake.fault = ({ response }) => sendJson(response, 200, page([name], 0))
    await expectCode(listNames(create(), '/d'), 'bad-path')
  })
})

describe('webhdfs: who asks', () => {
  const secret = 'SECRET-token_123'

  test('a user, or a token and then no user', async () => {
    await create({ user: 'alice b' }).mkdirs('/d')
    expect(fake.requests[0]?.query.get('user.name')).toBe('alice b')
    await create({ user: 'alice', token: 'one' }).mkdirs('/d')
    expect(fake.requests.slice(1).map(({ query }) => [query.get('delegation'), query.get('user.name')])).toEqual([
      ['one', null],
    ])
  })

  test('on behalf of a user: his name beside that of this server, and the same view each time', async () => {
    const fs = create({ user: 'sluice', actsForOthers: true })
    const view = fs.as?.('bob')
    const bob = view && flat(view)
    await bob?.mkdirs('/d')
    await bob?.create('/d/f', chunksOf('f'))
    await fs.mkdirs('/e')
    const names = fake.requests.filter((_, index) => fake.steps[index]?.startsWith('name'))
    expect(names.map(({ query }) => `${query.get('user.name')} as ${query.get('doas')}`)).toEqual([
      ...Array.from({ length: names.length - 1 }, () => 'sluice as bob'),
      'sluice as null',
    ])
    expect(fs.as?.('bob')).toBe(view)
    expect(fs.as?.('alice')).not.toBe(view)
    expect(create({ user: 'sluice' }).as).toBeUndefined()
  })

  describe('credentials', () => {
    /** Gives one proof after another, and counts what is refused. */
    const createCredentials = () => {
      const asked: string[] = []
      let tokens = 0
      const given = {
        of: async (user: string | undefined, host: string) => {
          asked.push(`${user ?? '-'} at ${host}`)
          return { params: { delegation: `${secret}${tokens}` }, headers: { authorization: `Negotiate ${tokens}` } }
        },
        refused: (user: string | undefined, { params }: Proof, error: unknown) => {
          if (!isRefusedProof(error)) return false
          asked.push(`refused ${user ?? '-'} ${params['delegation']}`)
          tokens++
          return true
        },
      } satisfies Credentials
      return { given, asked }
    }
    /** A name node that takes no proof but this one. */
    const takeOnly = (delegation: string) => {
      fake.fault = ({ request, response, step }) =>
        step.startsWith('name') &&
        !request.url?.includes(`delegation=${delegation}`) &&
        sendRemote(response, 403, 'InvalidToken', 'token (alice, 7) is expired')
    }

    test('go with each call, by the host and the user', async () => {
      const { given, asked } = createCredentials()
      const fs = create({ credentials: given, actsForOthers: true })
      await fs.mkdirs('/d')
      await fs.as?.('bob').directories?.mkdirs('/d')
      expect(asked).toEqual(['- at 127.0.0.1', 'bob at 127.0.0.1'])
      expect(fake.requests[0]?.query.get('delegation')).toBe(`${secret}0`)
      expect(fake.requests[0]?.request.headers.authorization).toBe('Negotiate 0')
    })

    test('are those for the name node that is asked: of a pair the other one has its own', async () => {
      const { given, asked } = createCredentials()
      let isStandby = true
      fake.fault = ({ request, response }) => {
        if (request.headers.host?.startsWith('localhost')) return false
        return isStandby && sendRemote(response, 403, 'StandbyException', 'not active')
      }
      const fs = create({ urls: [fake.url, fake.url.replace('127.0.0.1', 'localhost')], credentials: given })
      await fs.mkdirs('/d')
      expect(asked).toEqual(['- at 127.0.0.1', '- at localhost'])
      isStandby = false
      await fs.mkdirs('/d')
      expect(asked.at(-1), 'the active one is remembered').toBe('- at localhost')
    })

    test('that are refused are asked for once more, also for what must not happen twice', async () => {
      const { given, asked } = createCredentials()
      fake.files.set('/a', Buffer.from('A'))
      takeOnly(`${secret}1`)
      await create({ credentials: given }).rename('/a', '/b')
      expect(fake.files.has('/b')).toBe(true)
      expect(asked).toEqual(['- at 127.0.0.1', `refused - ${secret}0`, '- at 127.0.0.1'])
    })

    test("that are refused again say nothing of the caller's rights, and are not passed on", async () => {
      const { given, asked } = createCredentials()
      takeOnly('none of these')
      const error = await create({ credentials: given })
        .delete('/a')
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'unavailable' })
      expect(String(error)).not.toContain(secret)
      expect(asked.filter(line => line.startsWith('refused'))).toEqual([`refused - ${secret}0`])
    })

    test('that cannot be had leave nothing sent, and all may be repeated', async () => {
      let left = 2
      const fs = create({
        credentials: {
          of: () => {
            if (left-- > 0) throw new Error('no KDC for the realm')
            return { params: {} }
          },
          refused: () => false,
        },
      })
      await fs.delete('/a')
      expect(fake.steps).toEqual(['name DELETE'])
      left = 100
      await expect(fs.delete('/a')).rejects.toMatchObject({
        code: 'unavailable',
        message: 'Cannot delete "/a": no KDC for the realm',
      })
      expect(fake.steps).toHaveLength(1)
    })

    test('a user without a token is refused; objections to this server itself are not passed on', async () => {
      const cause = new RemoteException('AuthorizationException', 403, 'sluice must not be bob')
      const of = () =>
        Promise.reject(new FileSystemError('denied', '/', 'Cannot get "/": sluice must not be bob', { cause }))
      const fs = create({ credentials: { of, refused: () => false }, actsForOthers: true, maxRetries: 0 })
      await expect(fs.as?.('bob').getFileStatus('/a')).rejects.toMatchObject({
        code: 'denied',
        path: '/a',
        message: 'Cannot look at "/a": sluice must not be bob',
        cause,
      })
      await expectCode(fs.getFileStatus('/a'), 'unavailable')
      expect(fake.steps).toEqual([])
    })
  })

  test('headers go to the name node only', async () => {
    const fs = create({ headers: { authorization: 'Basic x' } })
    await fs.create('/a', chunksOf('A'))
    expect(await readText(fs, '/a')).toBe('A')
    for (const { step, request } of fake.requests) {
      expect([step, request.headers.authorization]).toEqual([step, step.startsWith('name') ? 'Basic x' : undefined])
    }
  })

  test('no error holds the token', async () => {
    const dead = `http://127.0.0.1:${await closedPort()}`
    const message = `bad request op=X&delegation=${secret}&x`
    const text = async (call: Promise<unknown>): Promise<string> => {
      const error: unknown = await call.catch((reason: unknown) => reason)
      let all = ''
      for (let at = error; at instanceof Error; at = at.cause) all += `${at.message} ${JSON.stringify(at)} ${at.stack}`
      return all
    }
    fake.fault = ({ response }) => sendRemote(response, 403, 'SecurityException', message)
    expect(await text(create({ token: secret }).mkdirs('/d'))).not.toContain(secret)
    fake.fault = ({ request }) => request.socket.destroy() !== undefined
    expect(await text(create({ token: secret }).mkdirs('/d'))).not.toContain(secret)
    expect(await text(create({ token: secret, urls: [dead] }).mkdirs('/d'))).not.toContain(secret)
    at(
      'name CREATE',
      ({ request, response }) => response.writeHead(307, { location: `${dead}${request.url}` }).end() !== undefined,
      9,
    )
    expect(await text(create({ token: secret }).create('/a', chunksOf('A'), { overwrite: true }))).not.toContain(secret)
    expect(() => create({ urls: [`http://u:${secret}@nn:1`] })).toThrow(TypeError)
    expect(() => create({ urls: [`http://u:${secret}@nn:1`] })).not.toThrow(secret)
    expect(create({ token: secret }).url).not.toContain(secret)
  })
})
