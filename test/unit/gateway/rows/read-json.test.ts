import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { parseJson } from '../../../../src/formats/json.ts'
import { chunksOf } from '../../../suites/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../../suites/memory-filesystem.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

type Entry = Readonly<Record<string, unknown>> & { readonly path: string; readonly content: readonly unknown[] }
type Listing = { readonly path: string; readonly parentPath: string; readonly entries: readonly Entry[] }

const setUp = async (files: Readonly<Record<string, string>>, fileSystem: FileSystem = createMemoryFileSystem()) => {
  for (const [path, text] of Object.entries(files))
    await hadoopOf(fileSystem).create(path, chunksOf(text), { permission: 0o640 })
  gateway = await createTestGateway({ fileSystem })
  return gateway
}

const read = async (path: string, more = ''): Promise<Listing> => {
  const response = await gateway?.call(at('/json', path, more))
  expect(response?.status).toBe(200)
  return (await response?.json()) as Listing
}

describe('GET /rest/1.0/json', () => {
  test('has the old shape, byte by byte, with more behind it', async () => {
    const fileSystem = createMemoryFileSystem({ now: () => 1304459806000 })
    const { call } = await setUp({ '/d/t.txt': 'a\tb\n\nq"\n' }, fileSystem)
    await fileSystem.mkdirs('/d/sub')
    const more = (permission: string, blockSize: number) =>
      `"owner":"memory","group":"memory","permission":"${permission}","blockSize":${blockSize}`
    const response = await call('/rest/1.0/json?path=/d')
    expect(await response.text()).toBe(
      `{"path":"/d","parentPath":"/","entries":[{"path":"/d/sub","mtime":1304459806000,"size":0,"replication":0,"isDir":true,"content":[],${more('0755', 0)}},` +
        `{"path":"/d/t.txt","mtime":1304459806000,"size":8,"replication":1,"isDir":false,"content":[{"col-0":"a","col-1":"b"},{"col-0":""},{"col-0":"q\\""}],"serializer":"text",${more('0640', 134217728)}}]}`,
    )
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-row-serializer')).toBe('text')
  })

  test('gives files of old servers as the old gateway did', async () => {
    const root = new URL('../../../fixtures/rows/', import.meta.url)
    // Where the rows differ on purpose, the tests of the rows say so.
    const names = ['events.smile', 'objects.smile', 'nulls.smile', 'lines120.txt', 'seq-thriftenvelope-block.seq']
    const fs = createMemoryFileSystem()
    for (const name of names) {
      await fs.create(
        `/golden/${name}`,
        (async function* () {
          yield readFileSync(new URL(name, root))
        })(),
      )
    }
    await setUp({}, fs)
    const rows = (text: string) => {
      const { entries } = JSON.parse(text) as Listing
      return entries[0]?.content
    }
    for (const name of names) {
      const want = rows(readFileSync(new URL(`${name}.raw-false.json`, root), 'utf8'))
      const answer = await gateway?.call(at('/json', `/golden/${name}`))
      expect({ name, rows: rows((await answer?.text()) ?? '') }).toEqual({ name, rows: want })
    }
  })

  test.each([
    { path: '/', want: '' },
    { path: '/a b', want: '/' },
    { path: '/a b/c', want: '/a%20b' },
    { path: '/a%20b/c', want: '/a%2520b' },
    { path: '/é?#/c', want: '/é%3F%23' },
  ])('parentPath of $path is $want', async ({ path, want }) => {
    await setUp({})
    await gateway?.fs.mkdirs(path)
    expect(await read(path)).toMatchObject({ path, parentPath: want })
  })

  test('reads a directory, or all below it, leaving out what is hidden', async () => {
    await setUp({ '/d/1': 'one', '/d/s/2': 'two', '/d/_SUCCESS': 'x', '/d/.crc': 'x' })
    const rows = async (more: string) =>
      Object.fromEntries((await read('/d', more)).entries.map(({ path, content }) => [path, content.length]))
    expect(await rows('')).toEqual({ '/d/.crc': 0, '/d/1': 1, '/d/_SUCCESS': 0, '/d/s': 0 })
    expect(await rows('&recursive=true')).toEqual({ '/d/.crc': 0, '/d/1': 1, '/d/_SUCCESS': 0, '/d/s/2': 1, '/d/s': 0 })
    expect(await rows('&content=false')).toEqual({ '/d/.crc': 0, '/d/1': 0, '/d/_SUCCESS': 0, '/d/s': 0 })
    expect((await read('/d/_SUCCESS')).entries[0]?.content).toEqual([{ 'col-0': 'x' }])
  })

  test('raw rows have one column; indented JSON is the same JSON', async () => {
    const { call } = await setUp({ '/t': 'a\tb\t\n' })
    expect((await read('/t', '&raw=true')).entries[0]?.content).toEqual([{ record: 'a\tb\t' }])
    const pretty = await (await call(at('/json', '/t', '&pretty=true'))).text()
    expect(pretty).toContain('\n  "entries" : [ {\n    "path" : "/t",\n')
    expect(parseJson(pretty)).toEqual(await read('/t'))
  })

  test('pages a directory', async () => {
    await setUp({ '/d/1': '', '/d/2': '', '/d/3': '' })
    const names = async (more: string) => (await read('/d', more)).entries.map(({ path }) => path)
    expect(await names('&limit=2')).toEqual(['/d/1', '/d/2'])
    expect(await names('&limit=2&startAfter=2')).toEqual(['/d/3'])
  })

  test('range counts across files, and opens nothing behind the last row', async () => {
    const opened: string[] = []
    const fs = createMemoryFileSystem({
      fail: (operation, path) => void (operation === 'open' && opened.push(path)),
    })
    await setUp({ '/d/1': 'a\nb\n', '/d/2': 'c\nd\n', '/d/3': 'e\n' }, fs)
    const cells = async (range: string) => {
      opened.length = 0
      return (await read('/d', `&range=${range}`)).entries.flatMap(({ content }) =>
        content.flatMap(row => Object.values(row as object)),
      )
    }
    expect(await cells('1-2')).toEqual(['a', 'b', 'c'])
    expect(new Set(opened)).toEqual(new Set(['/d/1', '/d/2']))
    expect(await cells('3-9')).toEqual(['d', 'e'])
    expect(await cells('0-1')).toEqual(['a', 'b'])
    expect(new Set(opened)).toEqual(new Set(['/d/1']))
  })

  test.each([
    { target: '/rest/1.0/json', status: 400, code: 'bad-parameter' },
    { target: '/rest/1.0/json?path=', status: 400, code: 'bad-parameter' },
    { target: '/rest/1.0/json?path=relative', status: 400, code: 'bad-path' },
    { target: '/rest/1.0/json?path=/../etc', status: 400, code: 'bad-path' },
    { target: '/rest/1.0/json?path=/%2e%2e/etc', status: 400, code: 'bad-path' },
    { target: '/rest/1.0/json?path=/d%00', status: 400, code: 'bad-path' },
    { target: '/rest/1.0/json?path=hdfs://other:1/d', status: 400, code: 'bad-path' },
    { target: '/rest/1.0/json?path=/d&range=5-1', status: 400, code: 'bad-parameter' },
    { target: '/rest/1.0/json?path=/d&range=5', status: 400, code: 'bad-parameter' },
    { target: '/rest/1.0/json?path=/d&recursive=yes', status: 400, code: 'bad-parameter' },
    { target: '/rest/1.0/json?path=/none', status: 404, code: 'not-found' },
  ])('$target is a $status', async ({ target, status, code }) => {
    await setUp({ '/d/1': '' })
    const response = await gateway?.call(target)
    expect(response?.status).toBe(status)
    expect(await response?.json()).toMatchObject({ code })
  })

  const failing = (operation: string, path: string, fault: MemoryFault) =>
    createMemoryFileSystem({ fail: (on, at) => (on === operation && at === path ? fault : undefined) })
  const refusal = (code: 'denied' | 'unavailable', path: string) =>
    new FileSystemError(code, path, `Cannot open "${path}": ${code}`)

  test('a file that cannot be opened is an entry with an error', async () => {
    await setUp({ '/d/1': 'a', '/d/2': 'b' }, failing('open', '/d/1', refusal('denied', '/d/1')))
    const { entries } = await read('/d')
    expect(entries).toMatchObject([
      { path: '/d/1', content: [], error: 'Cannot open "/d/1": denied' },
      { path: '/d/2', content: [{ 'col-0': 'b' }] },
    ])
    expect(entries[1]).not.toHaveProperty('error')
  })

  test.each([
    { code: 'denied', status: 403 },
    { code: 'unavailable', status: 503 },
  ] as const)('asked for alone, it is a $status', async ({ code, status }) => {
    await setUp({ '/d/1': 'a' }, failing('open', '/d/1', refusal(code, '/d/1')))
    const response = await gateway?.call(at('/json', '/d/1'))
    expect(response?.status).toBe(status)
    expect(response?.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
  })

  test('damage ends the rows of its file, says what and where, and no other file', async () => {
    const good = readFileSync(new URL('../../../fixtures/rows/events.smile', import.meta.url))
    const fs = createMemoryFileSystem()
    const bytes = Buffer.concat([good, good.subarray(0, good.length - 9)])
    await fs.create(
      '/d/1.smile',
      (async function* () {
        yield bytes
      })(),
    )
    await setUp({ '/d/2': 'b' }, fs)
    const { entries } = await read('/d')
    expect(entries[0]?.content.length).toBeGreaterThan(1)
    expect(entries[0]?.['error']).toMatch(/smile: .* at byte \d+/i)
    expect(entries[1]).toMatchObject({ content: [{ 'col-0': 'b' }] })
  })

  test('a connection that breaks within a file breaks the answer off', async () => {
    const text = 'line\n'.repeat(100_000)
    await setUp({ '/d/1': text, '/d/2': 'b' }, failing('open', '/d/1', 'torn'))
    const response = await gateway?.call('/rest/1.0/json?path=/d')
    expect(response?.status).toBe(200)
    await expect(response?.text()).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('HEAD reads nothing', async () => {
    const calls: string[] = []
    const fs = createMemoryFileSystem({ fail: (operation, path) => void calls.push(`${operation} ${path}`) })
    await setUp({ '/d/1': 'a' }, fs)
    calls.length = 0
    const response = await gateway?.call('/rest/1.0/json?path=/d', { method: 'HEAD' })
    expect([response?.status, await response?.text(), calls]).toEqual([200, '', ['getFileStatus /d']])
    expect((await gateway?.call('/rest/1.0/json?path=/x', { method: 'HEAD' }))?.status).toBe(404)
  })
})
