/** The gateway with an object store as a cluster, by the settings, down to the requests. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { at, createTestGateway, cutBody, type TestGateway } from '../../suites/gateway.ts'
import { type FakeS3, startFakeS3, testEnv } from '../../suites/s3/fake-s3.ts'
import { createAskWebHdfs, type WebHdfsAnswer } from '../../suites/webhdfs.ts'

let store: FakeS3
let gateway: TestGateway
beforeEach(async () => {
  store = await startFakeS3({ pageKeys: 2 })
  for (const [name, value] of Object.entries(testEnv)) vi.stubEnv(name, value)
  const clusters = [{ path: '/lake', url: 's3://bucket/prefix', endpoint: store.endpoint }]
  const settings = [`clusters=${JSON.stringify(clusters)}`, 'gateway.trash=60', 'gateway.readers=0']
  gateway = await createTestGateway({ fileSystem: null, settings })
  onTestFinished(async () => {
    await gateway.close()
    await store.close()
    vi.unstubAllEnvs()
  })
  for (const key of ['d/f', 'd/s/1', 'd/s/2', 'd/s/3', 'other']) store.stored.put(`prefix/${key}`, `text of ${key}`)
})

const call = async (target: string, init: RequestInit & { readonly duplex?: 'half' } = {}) => {
  const response = await gateway.call(target, init)
  const { status, headers } = response
  return { status, location: headers.get('location') ?? '', text: await response.text() }
}
const keys = (): string[] => store.stored.keys().map(key => key.replace(/^prefix\//, ''))
const textOf = (key: string): string | undefined => store.stored.objects.get(`prefix/${key}`)?.bytes.toString()

describe('what programs call', () => {
  test.for([
    ['GET', at('/json', '/'), 200, '"path":"/lake"'],
    ['GET', at('/json', '/lake/d'), 200, '{"path":"/lake/d/f","mtime":1767323045000,"size":11,'],
    ['GET', at('/json', '/lake/d', '&content=false&recursive=true'), 200, '"path":"/lake/d/s/3"'],
    ['GET', at('/json', '/lake/none'), 404, 'Cannot look at \\"/lake/none\\": there is no such file or directory'],
    ['GET', at('/text', '/lake/d/s/1'), 200, 'text of d/s/1\r\n'],
    ['GET', at('/text', '/lake/d', '&recursive=true'), 200, 'text of d/s/3\r\n'],
    ['GET', at('/binary', '/lake/d/f'), 200, 'text of d/f'],
    ['GET', at('/binary', '/lake/d/none'), 404, 'not-found'],
    ['GET', '/files/lake/d/s/2', 200, 'text of d/s/2'],
    ['GET', '/files/lake/d/%2e%2e/%2e%2e/%2e%2e/x', 404, 'No route has this path'],
    ['GET', at('/binary', '/lake/../../x'), 400, ''],
    ['GET', at('/binary', '/lake/%2e%2e/other'), 404, 'not-found'],
    ['DELETE', at('', '/lake/d'), 409, 'the directory is not empty'],
    ['DELETE', at('', '/lake', '&recursive=true'), 403, 'a cluster is mounted there'],
    ['DELETE', at('', '/lake/none'), 404, 'not-found'],
    ['POST', at('', '/lake/d/f'), 409, 'it exists already'],
    ['POST', at('', '/lake/d/f/below'), 409, '\\"/lake/d/f\\" is a file'],
    ['POST', at('', '/lake/d/s'), 409, 'it is a directory'],
  ] as const)('%s %s: %d', async ([method, target, status, text]) => {
    const before = keys()
    const answer = await call(target, { method, ...(method === 'POST' && { body: 'x' }) })
    expect(answer).toMatchObject({ status, text: expect.stringContaining(text) })
    expect(keys()).toEqual(before)
    expect(textOf('d/f')).toBe('text of d/f')
  })

  test('a range of a file is a range of the object', async () => {
    const headers = { range: 'bytes=5-6' }
    expect(await call(at('/binary', '/lake/d/f'), { headers })).toMatchObject({ status: 206, text: 'of' })
  })

  test.for([
    ['a link', '/files/lake/d/f'],
    ['/binary', at('/binary', '/lake/d/f')],
  ] as const)('by %s, a range is only of the bytes that its ETag names', async ([, target]) => {
    const etag = (await gateway.call(target)).headers.get('etag') ?? ''
    const headers = { range: 'bytes=5-6', 'if-range': etag }
    expect(await call(target, { headers })).toMatchObject({ status: 206, text: 'of' })
    store.stored.put('prefix/d/f', 'TEXT OF D/F')
    expect(await call(target, { headers })).toMatchObject({ status: 200, text: 'TEXT OF D/F' })
    expect((await call(target, { headers: { 'if-match': etag } })).status).toBe(412)
    expect((await call(target, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  test('an upload is there, replaces another one only where that is asked for, and is deleted', async () => {
    const put = (body: string, more = '') => call(at('', '/lake/new/ü &.txt', more), { method: 'POST', body })
    const answer = await put('one')
    expect([answer.status, (await call(answer.location)).text, textOf('new/ü &.txt')]).toEqual([201, 'one', 'one'])
    expect([(await put('two')).status, (await put('three', '&overwrite=true')).status]).toEqual([409, 201])
    expect(textOf('new/ü &.txt')).toBe('three')
    expect((await call(at('', '/lake/new/ü &.txt'), { method: 'DELETE' })).status).toBe(200)
    expect(await call(at('', '/lake/d', '&recursive=true'), { method: 'DELETE' })).toMatchObject({ status: 200 })
    expect(keys()).toEqual(['other'])
  })

  test('an upload is sent while it comes, a part at a time, and one that is cut leaves nothing', async () => {
    const piece = new Uint8Array(2 ** 20)
    let [pulled, mostHeld] = [0, 0]
    const sent = (): number =>
      [...store.stored.uploads.values()]
        .flatMap(({ parts }) => [...parts.values()])
        .reduce((sum, { bytes }) => sum + bytes.length, 0)
    const body = new ReadableStream<Uint8Array>({
      pull: controller => {
        mostHeld = Math.max(mostHeld, pulled - sent())
        if (pulled === 30 * piece.length) return controller.close()
        pulled += piece.length
        controller.enqueue(piece)
      },
    })
    expect((await call(at('', '/lake/large'), { method: 'POST', body, duplex: 'half' })).status).toBe(201)
    expect(store.stored.objects.get('prefix/large')?.bytes.length).toBe(30 * piece.length)
    expect(mostHeld).toBeLessThan(12 * piece.length)
    const cut = cutBody(...Array.from({ length: 10 }, () => piece))
    await call(at('', '/lake/cut'), { method: 'POST', body: cut, duplex: 'half' }).catch(() => {})
    await expect.poll(() => store.stored.uploads.size).toBe(0)
    expect(store.requests.some(request => request.startsWith('PUT prefix/cut?partNumber'))).toBe(true)
    expect(keys()).not.toContain('cut')
  })
})

describe('pages', () => {
  const headers = { origin: 'http://localhost', accept: 'text/html' }
  const post = (path: string, more: string, fields: Readonly<Record<string, string>> = {}) =>
    call(at('/hdfs', path, more), { method: 'POST', headers, body: new URLSearchParams(fields) })

  test('show a directory and rows, make directories, and rename a file', async () => {
    const page = await call(at('/hdfs', '/lake/d'), { headers })
    expect([page.status, />f<|>f</.test(page.text)]).toEqual([200, true])
    expect((await call(at('/hdfs', '/lake/d/f'), { headers })).text).toContain('text of d/f')
    expect((await post('/lake/d', '&action=mkdir', { name: 'made' })).status).toBe(303)
    expect((await post('/lake/d/f', '&action=rename', { directory: '/lake/d', name: 'g' })).status).toBe(303)
    expect(keys()).toEqual(['d/g', 'd/made/', 'd/s/1', 'd/s/2', 'd/s/3', 'other'])
    const refused = await post('/lake/d/s', '&action=rename', { directory: '/lake/d', name: 't' })
    expect(refused).toMatchObject({
      status: 501,
      text: expect.stringContaining('each of them would have to be copied'),
    })
  })

  test('move a file to the trash of the cluster, and say of a directory that it can be deleted for good', async () => {
    const trash = 'user/anonymous/.Trash/Current/d'
    expect((await post('/lake/d/f', '&action=delete')).status).toBe(303)
    expect([textOf('d/f'), textOf(`${trash}/f`)]).toEqual([undefined, 'text of d/f'])
    const refused = await post('/lake/d/s', '&action=delete&recursive=true')
    expect(refused).toMatchObject({ status: 501, text: expect.stringContaining('delete it for good') })
    expect(textOf('d/s/1')).toBe('text of d/s/1')
    expect((await post('/lake/d/s', '&action=delete&recursive=true&skipTrash=true')).status).toBe(303)
    expect(keys().filter(key => key.startsWith('d/'))).toEqual([])
  })
})

describe('WebHDFS', () => {
  const ask = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, query: string): Promise<WebHdfsAnswer> =>
    await createAskWebHdfs(gateway)(
      method,
      path,
      query,
      query.includes('data=true') && method !== 'GET' ? { body: 'xyz' } : {},
    )
  const lacks = (verb: string) => `"message":"s3://bucket/prefix doesn't support ${verb}"`

  test.for([
    ['GET', '/lake/d/f', 'GETFILESTATUS', 200, '"length":11,"modificationTime":1767323045000'],
    ['GET', '/lake/d', 'GETFILESTATUS', 200, '"type":"DIRECTORY"'],
    ['GET', '/lake/none', 'GETFILESTATUS', 404, 'FileNotFoundException'],
    ['GET', '/lake/d/s', 'LISTSTATUS', 200, '"pathSuffix":"3"'],
    ['GET', '/lake/d/s', 'LISTSTATUS_BATCH&startAfter=1', 200, '"pathSuffix":"2"'],
    ['GET', '/lake/d/f', 'OPEN&offset=5&length=2&data=true', 200, 'of'],
    ['GET', '/lake', 'GETCONTENTSUMMARY', 200, '"directoryCount":3,"fileCount":5,"length":63'],
    ['GET', '/lake/d/f', 'CHECKACCESS&fsaction=r--', 200, ''],
    ['GET', '/lake/d/f', 'GETFILEBLOCKLOCATIONS', 200, '"length":11'],
    ['GET', '/lake/d', 'GETTRASHROOT', 200, '"/lake/user/anonymous/.Trash"'],
    ['GET', '/lake/d/f', 'GETFILECHECKSUM', 403, lacks('getFileChecksum')],
    ['GET', '/lake/d/f', 'GETACLSTATUS', 400, lacks('GETACLSTATUS')],
    ['GET', '/lake', 'GETQUOTAUSAGE', 400, lacks('GETQUOTAUSAGE')],
    ['PUT', '/lake/d/f', 'CREATE&data=true', 403, 'FileAlreadyExistsException'],
    ['PUT', '/lake/d/f', 'SETPERMISSION&permission=600', 400, lacks('setPermission')],
    ['PUT', '/lake/d/f', 'SETOWNER&owner=x', 400, lacks('setOwner')],
    ['PUT', '/lake/d/f', 'SETTIMES&modificationtime=1', 400, lacks('setTimes')],
    ['PUT', '/lake/d/f', 'SETREPLICATION&replication=2', 200, '{"boolean":true}'],
    ['PUT', '/lake/d', 'CREATESNAPSHOT', 400, lacks('CREATESNAPSHOT')],
    ['PUT', '/lake/d/f', 'RENAME&destination=/far', 400, 'they are on different clusters'],
    ['PUT', '/lake/d', 'RENAME&destination=/lake/e', 400, 'each of them would have to be copied'],
    ['PUT', '/lake/none', 'RENAME&destination=/lake/e', 200, '{"boolean":false}'],
    ['POST', '/lake/d/f', 'APPEND&data=true', 400, lacks('append')],
    ['POST', '/lake/d/f', 'TRUNCATE&newlength=1', 400, lacks('TRUNCATE')],
    ['POST', '/lake/d/f', 'CONCAT&sources=/lake/d/s/1', 400, lacks('CONCAT')],
    ['DELETE', '/lake/d', 'DELETE', 403, 'PathIsNotEmptyDirectoryException'],
    ['DELETE', '/lake/none', 'DELETE&recursive=true', 200, '{"boolean":false}'],
  ] as const)('%s %s %s changes nothing: %d', async ([method, path, query, status, text]) => {
    const before = keys()
    const answer = await ask(method, path, query)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)])
    expect([keys(), textOf('d/f')]).toEqual([before, 'text of d/f'])
  })

  test('creates, makes directories, renames files, and deletes', async () => {
    expect((await ask('PUT', '/lake/w/f', 'CREATE&data=true')).status).toBe(201)
    expect((await ask('PUT', '/lake/w/in', 'MKDIRS')).text).toBe('{"boolean":true}')
    expect((await ask('PUT', '/lake/w/f', 'RENAME&destination=/lake/w/in')).text).toBe('{"boolean":true}')
    expect(textOf('w/in/f')).toBe('xyz')
    const replaced = await ask('PUT', '/lake/w/in/f', 'RENAME&destination=/lake/d/f&renameoptions=OVERWRITE')
    expect([replaced.status, textOf('d/f'), textOf('w/in/f')]).toEqual([200, 'xyz', undefined])
    expect((await ask('DELETE', '/lake/d', 'DELETE&recursive=true')).text).toBe('{"boolean":true}')
    expect(keys().filter(key => !key.endsWith('/'))).toEqual(['other'])
  })
})
