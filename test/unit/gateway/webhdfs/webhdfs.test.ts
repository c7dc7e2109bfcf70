import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLocalFileSystem } from '../../../../src/filesystem/local.ts'
import { chunksOf, listNames, readText } from '../../../suites/filesystem.ts'
import { type FlatFileSystem as FileSystem, flat } from '../../../suites/flat-filesystem.ts'
import { createTestGateway, cutBody, type TestGateway } from '../../../suites/gateway.ts'
import { type AskWebHdfs, createAskWebHdfs, remoteOf } from '../../../suites/webhdfs.ts'

let root = ''
let gateway: TestGateway
let fs: FileSystem
let ask: AskWebHdfs
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-webhdfs-'))
  fs = flat(await createLocalFileSystem({ root }))
  gateway = await createTestGateway({ fileSystem: fs })
  ask = createAskWebHdfs(gateway)
})
afterAll(async () => {
  await gateway.close()
  await rm(root, { recursive: true })
})
beforeEach(async () => {
  for await (const part of fs.listStatus('/')) for (const { path } of part) await fs.delete(path, { recursive: true })
})

const put = (path: string, text: string) => fs.create(path, chunksOf(text))

describe('statuses', () => {
  test('GETFILESTATUS of a file and of a directory, in Hadoop’s names', async () => {
    await put('/d/ü 1.txt', 'hello')
    const { status, headers, json } = await ask('GET', '/d/ü 1.txt', 'getfilestatus')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    const own = await fs.getFileStatus('/d/ü 1.txt')
    expect(json).toEqual({
      FileStatus: {
        accessTime: own.accessTime,
        blockSize: own.blockSize,
        group: own.group,
        length: 5,
        modificationTime: own.modificationTime,
        owner: own.owner,
        pathSuffix: '',
        permission: '644',
        replication: 1,
        type: 'FILE',
      },
    })
    expect((await ask('GET', '/d', 'GetFileStatus')).json).toMatchObject({
      FileStatus: { type: 'DIRECTORY', permission: '755', length: 0, replication: 0, pathSuffix: '' },
    })
  })

  test('LISTSTATUS of a directory, of a file, and of nothing', async () => {
    await put('/d/b', '1')
    await put('/d/a"\\\n', '22')
    await fs.mkdirs('/d/c')
    const namesOf = async (path: string) => {
      const { json } = await ask('GET', path, 'LISTSTATUS')
      const { FileStatuses } = json as { FileStatuses: { FileStatus: readonly { pathSuffix: string; type: string }[] } }
      return FileStatuses.FileStatus.map(({ pathSuffix, type }) => [pathSuffix, type])
    }
    expect(await namesOf('/d')).toEqual([
      ['a"\\\n', 'FILE'],
      ['b', 'FILE'],
      ['c', 'DIRECTORY'],
    ])
    expect(await namesOf('/d/b')).toEqual([['', 'FILE']])
    expect(await namesOf('/d/c')).toEqual([])
  })

  test('LISTSTATUS_BATCH continues after a name', async () => {
    await put('/d/a', '')
    await put('/d/b', '')
    const { json } = await ask('GET', '/d', 'LISTSTATUS_BATCH&startAfter=a')
    expect(json).toMatchObject({
      DirectoryListing: {
        partialListing: { FileStatuses: { FileStatus: [{ pathSuffix: 'b' }] } },
        remainingEntries: 0,
      },
    })
  })

  test('GETCONTENTSUMMARY counts what is below, hidden files too', async () => {
    await put('/d/a', '12345')
    await put('/d/e/.f', '67')
    expect((await ask('GET', '/d', 'GETCONTENTSUMMARY')).json).toEqual({
      ContentSummary: { directoryCount: 2, fileCount: 2, length: 7, spaceConsumed: 7, quota: -1, spaceQuota: -1 },
    })
  })
})

describe('OPEN', () => {
  beforeEach(() => put('/f.html', '0123456789'))

  test.each([
    ['OPEN', '0123456789'],
    ['OPEN&offset=3', '3456789'],
    ['OPEN&offset=3&length=4', '3456'],
    ['OPEN&offset=10', ''],
    ['OPEN&length=0', ''],
    ['open&offset=8&length=9223372036854775807', '89'],
    ['OPEN&offset=&length=', '0123456789'],
  ])('%s is %j, with its length, and nothing that a browser would run', async (query, want) => {
    const { status, headers, text } = await ask('GET', '/f.html', query)
    expect([status, text, headers.get('content-length')]).toEqual([200, want, String(want.length)])
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  })

  test('an offset past the end, a directory, and a missing file are reported as in Hadoop', async () => {
    const behind = await ask('GET', '/f.html', 'OPEN&offset=11')
    expect([behind.status, remoteOf(behind)]).toEqual([
      403,
      { exception: 'IOException', message: 'Offset=11 out of the range [0, 10); OPEN, path=/f.html' },
    ])
    const directory = await ask('GET', '/', 'OPEN')
    expect([directory.status, remoteOf(directory)]).toEqual([
      404,
      { exception: 'FileNotFoundException', message: 'Path is not a file: /' },
    ])
    const missing = await ask('GET', '/none', 'OPEN')
    expect([missing.status, remoteOf(missing).exception]).toEqual([404, 'FileNotFoundException'])
  })

  test('a caller who opens a file only for its location gets that, and no bytes', async () => {
    const probe = await ask('GET', '/f.html', 'OPEN&user.name=ann&buffersize=4096')
    expect([probe.status, probe.text]).toEqual([307, ''])
    const location = probe.headers.get('location') ?? ''
    expect(location).toBe('http://localhost/webhdfs/v1/f.html?op=OPEN&user.name=ann&buffersize=4096&data=true')
    const { pathname, search } = new URL(location)
    expect(await (await gateway.call(`${pathname}${search}`)).text()).toBe('0123456789')
    // As Hadoop's client continues.
    expect(await (await gateway.call(`${pathname}${search}&offset=4`)).text()).toBe('456789')
    expect((await ask('GET', '/f.html', 'OPEN&buffersize=4096&offset=0')).text).toBe('0123456789')
    expect((await ask('GET', '/none', 'OPEN&buffersize=4096')).status).toBe(404)
  })

  test('with noredirect, the answer has the location, which can be read', async () => {
    const { json } = await ask('GET', '/f.html', 'OPEN&offset=2&noredirect=true', {
      headers: { host: 'localhost:1234' },
    })
    expect(json).toEqual({ Location: 'http://localhost:1234/webhdfs/v1/f.html?op=OPEN&offset=2&data=true' })
    const { pathname, search } = new URL((json as { Location: string }).Location)
    expect(await (await gateway.call(`${pathname}${search}`)).text()).toBe('23456789')
  })
})

describe('CREATE', () => {
  test('in two steps: a place here, and then the bytes', async () => {
    const first = await ask('PUT', '/d/ü', 'CREATE&overwrite=true&user.name=ann')
    expect([first.status, first.text]).toEqual([307, ''])
    const location = first.headers.get('location') ?? ''
    expect(location).toBe('http://localhost/webhdfs/v1/d/%C3%BC?op=CREATE&overwrite=true&user.name=ann&data=true')
    expect(await listNames(fs, '/')).toEqual([])
    const { pathname, search } = new URL(location)
    const second = await gateway.call(`${pathname}${search}`, { method: 'PUT', body: 'hello' })
    expect([second.status, second.headers.get('location')]).toEqual([201, 'http://localhost/webhdfs/v1/d/%C3%BC'])
    expect(await readText(fs, '/d/ü')).toBe('hello')
  })

  test.each(['noredirect', 'NOREDIRECT', 'noRedirect'])('the place as JSON, by %s', async name => {
    expect((await ask('PUT', '/f', `CREATE&${name}=true`)).json).toEqual({
      Location: 'http://localhost/webhdfs/v1/f?op=CREATE&data=true',
    })
  })

  test('in two steps the file is as the first of them said, whatever characters are in it', async () => {
    const first = await ask('PUT', '/d/f', 'CREATE&note=why?&Permission=600&createParent=true')
    const { pathname, search } = new URL(first.headers.get('location') ?? '')
    expect((await gateway.call(`${pathname}${search}`, { method: 'PUT', body: 'hello' })).status).toBe(201)
    expect(await fs.getFileStatus('/d/f')).toMatchObject({ length: 5, permission: 0o600 })
  })

  test('behind a proxy that ends TLS the place is there, too', async () => {
    const { headers } = await ask('PUT', '/f', 'CREATE', {
      headers: { 'x-forwarded-proto': 'https', host: 'localhost' },
    })
    expect(headers.get('location')).toBe('https://localhost/webhdfs/v1/f?op=CREATE&data=true')
  })

  test('at once, with permission and without a file in the way', async () => {
    expect((await ask('PUT', '/d/f', 'CREATE&permission=600', { body: 'one' })).status).toBe(201)
    expect(await fs.getFileStatus('/d/f')).toMatchObject({ length: 3, permission: 0o600 })
    const again = await ask('PUT', '/d/f', 'CREATE', { body: 'two' })
    expect([again.status, remoteOf(again).exception]).toEqual([403, 'FileAlreadyExistsException'])
    expect((await ask('PUT', '/d/f', 'CREATE&overwrite=true', { body: 'two' })).status).toBe(201)
    expect(await readText(fs, '/d/f')).toBe('two')
    expect(await listNames(fs, '/d')).toEqual(['f'])
  })

  test('a file of nothing is one', async () => {
    expect((await ask('PUT', '/f', 'CREATE&data=true')).status).toBe(201)
    expect(await readText(fs, '/f')).toBe('')
  })

  test('createparent=false makes no directories', async () => {
    const { status, json } = await ask('PUT', '/d/f', 'CREATE&createparent=false', { body: 'x' })
    expect([status, remoteOf({ json }).exception]).toEqual([404, 'FileNotFoundException'])
    await put('/file', '')
    const below = await ask('PUT', '/file/f', 'CREATE&createparent=false', { body: 'x' })
    expect([below.status, remoteOf(below).exception]).toEqual([403, 'ParentNotDirectoryException'])
    expect(await listNames(fs, '/')).toEqual(['file'])
  })

  test('R14: a body that is cut leaves nothing, and what was there stays', async () => {
    await put('/old', 'old')
    const cut = () => cutBody(Buffer.from('new'))
    await ask('PUT', '/d/f', 'CREATE&data=true', { body: cut() }).catch(() => {})
    await ask('PUT', '/old', 'CREATE&data=true&overwrite=true', { body: cut() }).catch(() => {})
    expect(await listNames(fs, '/')).toEqual(['old'])
    expect(await readText(fs, '/old')).toBe('old')
  })
})

describe('APPEND', () => {
  beforeEach(() => put('/f', 'one'))

  test('in two steps, at once, and of nothing', async () => {
    const first = await ask('POST', '/f', 'APPEND')
    expect(first.status).toBe(307)
    const { pathname, search } = new URL(first.headers.get('location') ?? '')
    expect((await gateway.call(`${pathname}${search}`, { method: 'POST', body: ', two' })).status).toBe(200)
    expect((await ask('POST', '/f', 'APPEND', { body: ', three' })).status).toBe(200)
    expect((await ask('POST', '/f', 'APPEND&data=true')).status).toBe(200)
    expect(await readText(fs, '/f')).toBe('one, two, three')
  })

  test('a body that is cut adds nothing', async () => {
    await ask('POST', '/f', 'APPEND&data=true', { body: cutBody(Buffer.from(', tw')) }).catch(() => {})
    expect(await readText(fs, '/f')).toBe('one')
    expect(await listNames(fs, '/')).toEqual(['f'])
  })

  test('there is no redirect to where nothing can be appended', async () => {
    const missing = await ask('POST', '/none', 'APPEND')
    expect([missing.status, remoteOf(missing).exception]).toEqual([404, 'FileNotFoundException'])
    const directory = await ask('POST', '/', 'APPEND')
    expect([directory.status, remoteOf(directory).exception]).toEqual([403, 'FileAlreadyExistsException'])
    expect((await ask('POST', '/none', 'APPEND', { body: 'x' })).status).toBe(404)
    expect(await listNames(fs, '/')).toEqual(['f'])
  })
})

describe('RENAME', () => {
  beforeEach(async () => {
    await put('/a/f', 'f')
    await put('/a/g', 'g')
    await fs.mkdirs('/b')
  })
  const rename = async (source: string, destination: string, more = '') => {
    const answer = await ask('PUT', source, `RENAME&destination=${encodeURIComponent(destination)}${more}`)
    return answer.status === 200 ? (answer.json ?? answer.text) : [answer.status, remoteOf(answer).exception]
  }
  const files = async () => [...(await listNames(fs, '/a')).map(name => `a/${name}`), ...(await listNames(fs, '/b'))]

  test.each([
    ['to a new name', '/a/f', '/b/h', true, ['a/g', 'h']],
    ['into a directory', '/a/f', '/b', true, ['a/g', 'f']],
    ['onto a file', '/a/f', '/a/g', false, ['a/f', 'a/g']],
    ['below what is not there', '/a/f', '/c/f', false, ['a/f', 'a/g']],
    ['of nothing', '/a/x', '/b/x', false, ['a/f', 'a/g']],
    ['of a file to itself', '/a/f', '/a/f', true, ['a/f', 'a/g']],
    ['of a directory to itself', '/a', '/a', false, ['a/f', 'a/g']],
  ])('%s', async (_, source, destination, boolean, want) => {
    expect(await rename(source, destination)).toEqual({ boolean })
    expect(await files()).toEqual(want)
  })

  test.each([
    ['NONE', '/a/f', '/b/h', '', ['a/g', 'h']],
    ['none', '/a/f', '/a/g', [403, 'FileAlreadyExistsException'], ['a/f', 'a/g']],
    ['OVERWRITE', '/a/f', '/a/g', '', ['a/g']],
    ['TO_TRASH,OVERWRITE', '/a/f', '/a/g', '', ['a/g']],
    ['NONE', '/a/f', '/b', [403, 'FileAlreadyExistsException'], ['a/f', 'a/g']],
    ['NONE', '/a/f', '/c/f', [404, 'FileNotFoundException'], ['a/f', 'a/g']],
    ['NONE', '/a/x', '/b/x', [404, 'FileNotFoundException'], ['a/f', 'a/g']],
    ['NONE', '/a/f', '/a/g/h', [403, 'ParentNotDirectoryException'], ['a/f', 'a/g']],
    ['SOMEHOW', '/a/f', '/b/h', [400, 'IllegalArgumentException'], ['a/f', 'a/g']],
  ])('with %s, %s to %s', async (options, source, destination, want, there) => {
    expect(await rename(source, destination, `&renameoptions=${encodeURIComponent(options)}`)).toEqual(want)
    expect(await files()).toEqual(there)
  })

  test('a directory is not moved into itself, and a destination must be said', async () => {
    expect(await rename('/a', '/a/b')).toMatchObject([400, 'InvalidPathException'])
    const { status, json } = await ask('PUT', '/a', 'RENAME')
    expect([status, remoteOf({ json })]).toEqual([
      400,
      { exception: 'IllegalArgumentException', message: 'Parameter "destination" is missing' },
    ])
  })
})

describe('changes', () => {
  beforeEach(() => put('/d/f', 'f'))

  test('MKDIRS, with a permission, again, and below a file', async () => {
    expect((await ask('PUT', '/x/y', 'MKDIRS&permission=1777')).json).toEqual({ boolean: true })
    expect(await fs.getFileStatus('/x/y')).toMatchObject({ isDirectory: true, permission: 0o1777 })
    expect((await ask('PUT', '/x/y', 'MKDIRS')).json).toEqual({ boolean: true })
    expect(remoteOf(await ask('PUT', '/d/f/y', 'MKDIRS')).exception).toBe('ParentNotDirectoryException')
  })

  test('DELETE of a file, of nothing, of what is not empty', async () => {
    const full = await ask('DELETE', '/d', 'DELETE')
    expect([full.status, remoteOf(full).exception]).toEqual([403, 'PathIsNotEmptyDirectoryException'])
    expect((await ask('DELETE', '/d/f', 'DELETE')).json).toEqual({ boolean: true })
    expect((await ask('DELETE', '/d/f', 'DELETE')).json).toEqual({ boolean: false })
    await put('/d/f', 'f')
    expect((await ask('DELETE', '/d', 'DELETE&recursive=true')).json).toEqual({ boolean: true })
    expect(await listNames(fs, '/')).toEqual([])
  })

  test('SETPERMISSION and SETTIMES', async () => {
    const bits = async () => (await fs.getFileStatus('/d/f')).permission.toString(8)
    expect((await ask('PUT', '/d/f', 'SETPERMISSION&permission=640')).text).toBe('')
    expect(await bits()).toBe('640')
    await ask('PUT', '/d/f', 'SETPERMISSION')
    expect(await bits()).toBe('755')
    const { accessTime } = await fs.getFileStatus('/d/f')
    expect((await ask('PUT', '/d/f', 'SETTIMES&modificationtime=1304459806123&accesstime=-1')).status).toBe(200)
    expect(await fs.getFileStatus('/d/f')).toMatchObject({ modificationTime: 1_304_459_806_123, accessTime })
    await ask('PUT', '/d/f', 'SETTIMES&accesstime=1000')
    expect(await fs.getFileStatus('/d/f')).toMatchObject({ modificationTime: 1_304_459_806_123, accessTime: 1_000 })
    expect((await ask('PUT', '/none', 'SETPERMISSION')).status).toBe(404)
  })

  test('SETOWNER, SETREPLICATION and TRUNCATE as on Hadoop’s own local file system', async () => {
    const { username } = userInfo()
    const owned = await ask('PUT', '/d/f', `SETOWNER&owner=${encodeURIComponent(username)}`)
    expect([owned.status, owned.text]).toEqual([200, ''])
    const unknown = await ask('PUT', '/d/f', 'SETOWNER&owner=no-such-name')
    expect([unknown.status, remoteOf(unknown)]).toEqual([
      403,
      {
        exception: 'AccessControlException',
        message: 'Cannot set owner of "/d/f": this machine has no user "no-such-name"',
      },
    ])
    expect((await ask('PUT', '/d/f', 'SETREPLICATION&replication=2')).json).toEqual({ boolean: true })
    expect((await ask('PUT', '/d', 'SETREPLICATION&replication=2')).json).toEqual({ boolean: false })
    for (const [query, exception] of [
      ['TRUNCATE', 'IllegalArgumentException'],
      ['TRUNCATE&newlength=2', 'IllegalArgumentException'],
    ] as const) {
      const refused = await ask('POST', '/d/f', query)
      expect([refused.status, remoteOf(refused).exception]).toEqual([400, exception])
    }
    expect(await readText(fs, '/d/f')).toBe('f')
    expect((await ask('POST', '/d/f', 'TRUNCATE&newlength=0')).json).toEqual({ boolean: true })
    expect(await readText(fs, '/d/f')).toBe('')
  })

  test('CREATE says what of its parameters is not kept', async () => {
    const warningOf = async (query: string) =>
      (await ask('PUT', '/d/f', `CREATE&overwrite=true${query}`, { body: 'x' })).headers.get('warning')
    const { blockSize } = await fs.getFileStatus('/d/f')
    expect(await warningOf('')).toBeNull()
    expect(await warningOf(`&replication=1&blocksize=${blockSize}`)).toBeNull()
    expect(await warningOf('&replication=2&blocksize=1048576')).toBe(
      `199 sluice "not kept: replication=2 (the file has 1), blocksize=1048576 (the file has ${blockSize})"`,
    )
  })

  test('GETFILECHECKSUM is unsupported for it, in a way that distcp continues', async () => {
    const answer = await ask('GET', '/d/f', 'GETFILECHECKSUM')
    const message = "LocalFileSystem doesn't support getFileChecksum"
    expect([answer.status, remoteOf(answer)]).toEqual([403, { exception: 'IOException', message }])
  })

  test.each([
    ['GET', 'GETDELEGATIONTOKEN'],
    ['PUT', 'RENEWDELEGATIONTOKEN'],
    ['PUT', 'CANCELDELEGATIONTOKEN'],
  ] as const)('%s %s is nothing where nobody proves who he is', async (method, query) => {
    const answer = await ask(method, '/', query)
    expect([answer.status, remoteOf(answer).exception]).toEqual([403, 'IOException'])
  })

  test.each([
    ['GET', 'GETACLSTATUS'],
    ['GET', 'GET_BLOCK_LOCATIONS'],
    ['PUT', 'SETXATTR&xattr.name=user.a&xattr.value=b'],
    ['PUT', 'CREATESNAPSHOT'],
    ['POST', 'CONCAT&sources=/d/f'],
    ['DELETE', 'DELETESNAPSHOT&snapshotname=s'],
  ] as const)('%s %s neither', async (method, query) => {
    const answer = await ask(method, '/d/f', query)
    expect([answer.status, remoteOf(answer).exception]).toEqual([400, 'UnsupportedOperationException'])
    expect(await readText(fs, '/d/f')).toBe('f')
  })
})

describe('about the file system', () => {
  test('GETHOMEDIRECTORY and GETTRASHROOT of who calls', async () => {
    expect((await ask('GET', '/', 'GETHOMEDIRECTORY&user.name=ann')).json).toEqual({ Path: '/user/ann' })
    expect((await ask('GET', '/', 'GETHOMEDIRECTORY&user.name=ann&doas=bob')).json).toEqual({ Path: '/user/bob' })
    expect((await ask('GET', '/d', 'GETTRASHROOT&user.name=ann')).json).toEqual({ Path: '/user/ann/.Trash' })
    expect((await ask('GET', '/', 'GETHOMEDIRECTORY')).json).toEqual({ Path: '/user/anonymous' })
    const hostile = await ask('GET', '/', 'GETHOMEDIRECTORY&user.name=..%2Fx')
    expect([hostile.status, remoteOf(hostile).exception]).toEqual([400, 'IllegalArgumentException'])
  })

  test('GETTRASHROOTS: one’s own, and with allusers all', async () => {
    const rootsOf = async (query: string) => {
      const { json } = await ask('GET', '/', `GETTRASHROOTS&${query}`)
      return (json as { Paths: readonly { path: string; isdir: boolean }[] }).Paths.map(({ path }) => path)
    }
    expect(await rootsOf('user.name=ann')).toEqual([])
    await fs.mkdirs('/user/ann/.Trash')
    await fs.mkdirs('/user/bob/.Trash')
    await put('/user/file', '')
    expect(await rootsOf('user.name=ann')).toEqual(['/user/ann/.Trash'])
    expect(await rootsOf('allusers=true')).toEqual(['/user/ann/.Trash', '/user/bob/.Trash'])
  })

  test('GETSTATUS, GETSERVERDEFAULTS and GETFILEBLOCKLOCATIONS', async () => {
    const { FsStatus } = (await ask('GET', '/', 'GETSTATUS')).json as { FsStatus: Record<string, number> }
    expect(Object.keys(FsStatus).sort()).toEqual(['capacity', 'remaining', 'used'])
    expect((await ask('GET', '/', 'GETSERVERDEFAULTS')).json).toMatchObject({
      FsServerDefaults: { replication: 1, trashInterval: 0, bytesPerChecksum: 512 },
    })
    await put('/f', '0123456789')
    expect((await ask('GET', '/f', 'GETFILEBLOCKLOCATIONS&offset=0&length=9223372036854775807')).json).toMatchObject({
      BlockLocations: { BlockLocation: [{ offset: 0, length: 10, hosts: ['localhost'], corrupt: false }] },
    })
  })

  test('CHECKACCESS', async () => {
    await put('/f', '')
    expect((await ask('GET', '/f', 'CHECKACCESS&fsaction=r--')).status).toBe(200)
    expect((await ask('GET', '/none', 'CHECKACCESS&fsaction=r--')).status).toBe(404)
    expect((await ask('GET', '/f', 'CHECKACCESS')).status).toBe(400)
    expect((await ask('GET', '/f', 'CHECKACCESS&fsaction=all')).status).toBe(400)
  })
})

describe('errors', () => {
  test.each([
    ['GET', '/', 'FOO', 400, 'IllegalArgumentException'],
    ['GET', '/', 'MKDIRS', 400, 'IllegalArgumentException'],
    ['GET', '/', '', 400, 'IllegalArgumentException'],
    ['GET', '/x\0', 'OPEN', 400, 'InvalidPathException'],
    ['GET', `/${'x'.repeat(256)}`, 'OPEN', 400, 'InvalidPathException'],
    ['GET', `/${'x'.repeat(9_000)}`, 'OPEN', 414, 'IllegalArgumentException'],
    ['PUT', '/x', 'SETOWNER', 400, 'IllegalArgumentException'],
    ['PUT', '/x', 'CREATE&overwrite=maybe', 400, 'IllegalArgumentException'],
    ['PUT', '/x', 'MKDIRS&permission=9', 400, 'IllegalArgumentException'],
    ['DELETE', '/', 'DELETE&recursive=true', 400, 'InvalidPathException'],
  ] as const)('%s %j %s is %i %s', async (method, path, query, status, exception) => {
    const answer = await ask(method, path, query)
    expect([answer.status, remoteOf(answer).exception]).toEqual([status, exception])
    expect(await listNames(fs, '/')).toEqual([])
  })

  test.each(['/..%2fx', '/a/..%2f..%2fx', '/%ff', '/100%'])('the path %s is invalid', async path => {
    const response = await gateway.call(`/webhdfs/v1${path}?op=OPEN`)
    expect([response.status, remoteOf({ json: await response.json() }).exception]).toEqual([
      400,
      'InvalidPathException',
    ])
  })

  test('another method, and OPTIONS', async () => {
    const patched = await gateway.call('/webhdfs/v1/x?op=OPEN', { method: 'PATCH' })
    expect([patched.status, patched.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, PUT, DELETE, OPTIONS'])
    expect(remoteOf({ json: await patched.json() }).exception).toBe('UnsupportedOperationException')
    const options = await gateway.call('/webhdfs/v1/x', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('access-control-allow-origin')]).toEqual([204, null])
  })

  test('HEAD of OPEN has the length and no bytes', async () => {
    await put('/f', 'hello')
    const response = await gateway.call('/webhdfs/v1/f?op=OPEN', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '5', ''])
  })
})
