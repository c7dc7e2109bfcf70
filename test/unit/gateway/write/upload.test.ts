import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../../src/filesystem/local.ts'
import { chunksOf, listNames, readText } from '../../../suites/filesystem.ts'
import { at, createTestGateway, cutBody, type TestGateway } from '../../../suites/gateway.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryFileSystem, type MemoryFault, type MemoryOperation } from '../../../suites/memory-filesystem.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const setUp = async (fileSystem: FileSystem = createMemoryFileSystem()) => {
  gateway = await createTestGateway({ fileSystem })
  return gateway
}

const post = async (
  path: string,
  body: NonNullable<RequestInit['body']> | null,
  more = '',
  headers: Readonly<Record<string, string>> = {},
) => {
  const duplex = body instanceof ReadableStream ? { duplex: 'half' as const } : {}
  const response = await gateway?.call(at('', path, more), { method: 'POST', body, headers, ...duplex })
  if (!response) throw new Error('no gateway')
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: JSON.parse(text) as Record<string, unknown> }
}

const form = (name: string, content: string): FormData => {
  const data = new FormData()
  data.append('file', new Blob([content]), name)
  return data
}

/** Everything that the file system holds. */
const everything = async (fs: FileSystem, directory = '/'): Promise<string[]> => {
  const all: string[] = []
  for (const { path, isDirectory } of await listAll(fs, directory)) {
    all.push(path, ...(isDirectory ? await everything(fs, path) : []))
  }
  return all
}

describe('POST /rest/1.0', () => {
  test('stores the body, whatever its type, and says where it can be read', async () => {
    const { fs, call } = await setUp()
    const { status, headers, json } = await post(
      '/d/ü &.txt',
      'hello',
      '&replication=2&blocksize=1048576&permission=u%3Drw,g%3Dr',
      {
        'content-type': 'application/x-www-form-urlencoded',
      },
    )
    expect([status, json]).toEqual([
      201,
      { path: '/d/ü &.txt', size: 5, replication: 2, blockSize: expect.any(Number), permission: '0640' },
    ])
    expect(await readText(fs, '/d/ü &.txt')).toBe('hello')
    expect(await (await call(headers.get('location') ?? '')).text()).toBe('hello')
    expect(await everything(fs)).toEqual(['/d', '/d/ü &.txt'])
  })

  test('what old clients send', async () => {
    await setUp()
    const query = '&overwrite=false&replication=3&blocksize=-1&permission=u%3Drw%2Cgo%3Dr'
    const { status, json } = await post('/user/p/f', new Uint8Array([1, 2]), query)
    expect([status, json]).toMatchObject([201, { size: 2, replication: 3, permission: '0644' }])
  })

  test.each([
    { kind: 'no body', body: () => null },
    { kind: 'an empty one', body: () => new Uint8Array(0) },
    { kind: 'an empty stream', body: () => new Blob([]).stream() },
  ])('$kind is an empty file with a Content-Type; without one 400, and nothing changes', async ({ body }) => {
    const { fs } = await setUp()
    const typed = { 'content-type': 'application/octet-stream' }
    expect((await post('/e', body(), '', typed)).json).toMatchObject({ size: 0 })
    expect(await readText(fs, '/e')).toBe('')
    await post('/full', 'old')
    for (const more of ['', '&overwrite=true']) {
      expect(await post('/new/full', body(), more)).toMatchObject({ status: 400, json: { code: 'bad-request' } })
      expect((await post('/full', body(), more)).status).toBe(400)
    }
    expect(await readText(fs, '/full')).toBe('old')
    expect(await everything(fs)).toEqual(['/e', '/full'])
    expect((await post('/full', body(), '&overwrite=true', typed)).json).toMatchObject({ size: 0 })
  })

  test('stores the one file of a form; a path that ends in / takes its name', async () => {
    const { fs } = await setUp()
    expect((await post('/d/', form('a b.txt', 'one'))).json).toMatchObject({ path: '/d/a b.txt' })
    expect((await post('/d/named', form('ignored', 'two'))).json).toMatchObject({ path: '/d/named' })
    expect((await post('/', form('top', 'three'))).json).toMatchObject({ path: '/top' })
    expect(await readText(fs, '/d/a b.txt')).toBe('one')
    expect(await readText(fs, '/d/named')).toBe('two')
  })

  test.each([
    { name: '..', path: '/d/', status: 400 },
    { name: '.', path: '/d/', status: 400 },
    { name: '../../etc/passwd', path: '/d/', status: 400 },
    { name: 'x'.repeat(300), path: '/d/', status: 400 },
  ])('a form with a file named $name is refused', async ({ name, path, status }) => {
    const { fs } = await setUp()
    expect((await post(path, form(name, 'x'))).status).toBe(status)
    expect(await everything(fs)).toEqual([])
  })

  test.each([
    { path: '/taken', more: '', code: 'exists', status: 409 },
    { path: '/dir', more: '', code: 'is-directory', status: 409 },
    { path: '/dir', more: '&overwrite=true', code: 'is-directory', status: 409 },
    { path: '/taken/below', more: '', code: 'not-directory', status: 409 },
    { path: '/', more: '', code: 'bad-parameter', status: 400 },
    { path: '/dir/', more: '', code: 'bad-parameter', status: 400 },
    { path: '/../x', more: '', code: 'bad-path', status: 400 },
    { path: 'x', more: '', code: 'bad-path', status: 400 },
    { path: '/n', more: '&permission=4755', code: 'bad-parameter', status: 400 },
    { path: '/n', more: '&permission=rwx', code: 'bad-parameter', status: 400 },
    { path: '/n', more: '&blocksize=1000', code: 'bad-parameter', status: 400 },
    { path: '/n', more: '&blocksize=0', code: 'bad-parameter', status: 400 },
    { path: '/n', more: '&replication=0', code: 'bad-parameter', status: 400 },
    { path: '/n', more: '&replication=x', code: 'bad-parameter', status: 400 },
  ])('$path$more is refused with $code', async ({ path, more, code, status }) => {
    const fs = createMemoryFileSystem()
    await fs.create('/taken', chunksOf('old'))
    await fs.mkdirs('/dir')
    await setUp(fs)
    const answer = await post(path, 'new', more)
    expect([answer.status, answer.json]).toMatchObject([status, { code }])
    expect([await everything(fs), await readText(fs, '/taken')]).toEqual([['/dir', '/taken'], 'old'])
  })

  test('overwrite replaces at once: readers see the old file or the new one', async () => {
    const fs = createMemoryFileSystem()
    await fs.create('/f', chunksOf('old'))
    await setUp(fs)
    const seen: string[] = []
    const body = new ReadableStream({
      pull: async controller => {
        seen.push(await readText(fs, '/f'))
        controller.enqueue(Buffer.from('new '))
        if (seen.length === 3) controller.close()
      },
    })
    expect((await post('/f', body, '&overwrite=true')).status).toBe(201)
    expect([seen, await readText(fs, '/f')]).toEqual([['old', 'old', 'old'], 'new new new '])
  })

  test('of two uploads to one path one wins and the other is a 409', async () => {
    const { fs } = await setUp()
    const answers = await Promise.all(['a', 'b', 'c'].map(text => post('/f', text)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    expect(await listNames(fs, '/')).toEqual(['f'])
  })
})

describe('an upload that goes wrong leaves nothing behind', () => {
  const whole = Buffer.from('0123456789')
  const boundary = 'b0und'
  const parts = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="n"\r\n\r\nhello\r\n--${boundary}--`,
  )

  test('cut at any byte', async () => {
    const { fs } = await setUp()
    await fs.mkdirs('/kept')
    for (let end = 0; end <= whole.length; end++) {
      for (const path of ['/kept/f', '/new/deep/f']) {
        const { status } = await post(path, cutBody(whole.subarray(0, end)))
        expect(status, `cut at ${end}`).toBeGreaterThanOrEqual(400)
        expect(await everything(fs)).toEqual(['/kept'])
      }
    }
  })

  test('a form cut at any byte, with and without a broken connection', async () => {
    const { fs } = await setUp()
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    for (let end = 0; end < parts.length; end++) {
      const cut = parts.subarray(0, end)
      expect((await post('/new/', cutBody(cut), '', headers)).status).toBeGreaterThanOrEqual(400)
      expect((await post('/new/', cut, '', headers)).json).toMatchObject({ code: 'bad-request' })
      expect(await everything(fs)).toEqual([])
    }
    expect((await post('/new/', parts, '', headers)).status).toBe(201)
  })

  const withFault = (operation: MemoryOperation, fault: MemoryFault) => {
    let left = 1
    return createMemoryFileSystem({ fail: on => (on === operation && left-- > 0 ? fault : undefined) })
  }

  test.each([
    { operation: 'create', fault: new Error('disk'), status: 500 },
    { operation: 'create', fault: 'torn', status: 503 },
    { operation: 'create', fault: 'lost-reply', status: 503 },
    { operation: 'create', fault: 'short', status: 503 },
    { operation: 'rename', fault: new Error('no'), status: 500 },
  ] as const)('$operation fails ($fault)', async ({ operation, fault, status }) => {
    const { fs } = await setUp(withFault(operation, fault))
    expect((await post('/new/f', whole)).status).toBe(status)
    expect(await everything(fs)).toEqual([])
  })

  test('a rename whose reply is lost has succeeded', async () => {
    const { fs } = await setUp(withFault('rename', 'lost-reply'))
    expect((await post('/new/f', whole)).status).toBe(201)
    expect(await everything(fs)).toEqual(['/new', '/new/f'])
  })

  test('one that was not carried out has not, though what it should replace is as long', async () => {
    let isAway = false
    const fs = createMemoryFileSystem({
      fail: (on, path) =>
        isAway && on === 'rename' ? new FileSystemError('unavailable', path, 'the name node is away') : undefined,
    })
    await setUp(fs)
    expect((await post('/new/f', 'first')).status).toBe(201)
    isAway = true
    expect((await post('/new/f', 'other', '&overwrite=true')).status).toBe(503)
    isAway = false
    expect(await new Response(await fs.open('/new/f')).text()).toBe('first')
    expect(await everything(fs)).toEqual(['/new', '/new/f'])
  })

  test('a file is 0644 by default', async () => {
    await setUp()
    expect((await post('/new/f', whole)).json).toMatchObject({ permission: '0644' })
  })

  test('directories that somebody uses meanwhile stay', async () => {
    const { fs } = await setUp()
    const body = new ReadableStream({
      pull: async controller => {
        await fs.create('/new/theirs', chunksOf('x'))
        controller.error(new Error('gone'))
      },
    })
    expect((await post('/new/deep/f', body)).status).toBeGreaterThanOrEqual(400)
    expect(await everything(fs)).toEqual(['/new', '/new/theirs'])
  })
})

describe('DELETE /rest/1.0', () => {
  const remove = async (path: string, more = '') => {
    const response = await gateway?.call(at('', path, more), { method: 'DELETE' })
    return [response?.status, await response?.json()]
  }

  test('deletes files and empty directories, and says so', async () => {
    const fs = createMemoryFileSystem()
    await fs.create('/d/f', chunksOf('x'))
    await setUp(fs)
    expect(await remove('/d//f')).toEqual([200, { path: '/d/f', deleted: true }])
    expect(await remove('/d')).toEqual([200, { path: '/d', deleted: true }])
    expect(await everything(fs)).toEqual([])
  })

  test.each([
    { path: '/none', more: '', status: 404, code: 'not-found' },
    { path: '/d', more: '', status: 409, code: 'not-empty' },
    { path: '/', more: '&recursive=true', status: 403, code: 'denied' },
    { path: '/d/..', more: '&recursive=true', status: 403, code: 'denied' },
    { path: '/../d', more: '&recursive=true', status: 400, code: 'bad-path' },
  ])('$path$more is refused with $code', async ({ path, more, status, code }) => {
    const fs = createMemoryFileSystem()
    await fs.create('/d/f', chunksOf('x'))
    await setUp(fs)
    expect(await remove(path, more)).toMatchObject([status, { code }])
    expect(await everything(fs)).toEqual(['/d', '/d/f'])
  })

  test('recursive=true deletes what is in it', async () => {
    const fs = createMemoryFileSystem()
    await fs.create('/d/s/f', chunksOf('x'))
    await setUp(fs)
    expect(await remove('/d', '&recursive=true')).toEqual([200, { path: '/d', deleted: true }])
    expect(await everything(fs)).toEqual([])
  })
})

test('local storage says which replication and blocksize it does not keep, where they were asked for', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-upload-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await setUp(await createLocalFileSystem({ root }))
  const warningOf = async (more: string) =>
    (await post('/f', 'x', `&overwrite=true${more}`, { 'content-type': 'text/plain' })).headers.get('warning')
  for (const more of ['', '&replication=', '&blocksize=-1', '&replication=1']) expect(await warningOf(more)).toBeNull()
  expect(await warningOf('&replication=3')).toBe('199 sluice "not kept: replication=3 (the file has 1)"')
  expect(await warningOf('&blocksize=1024')).toBe('199 sluice "not kept: blocksize=1024 (the file has 33554432)"')
})
