import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterEach, describe, expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { fixture } from '../../rows/files.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const kinds = fixture('rows/kinds.parquet')
const csv = 'name,age,"last, first"\nann,1,x\nbob,2\ncyd,3,z,more\n'

/** A gateway, and which runs of bytes have been asked for since it was asked last. */
const setUp = async (files: Readonly<Record<string, string | Uint8Array>>) => {
  const memory = createMemoryFileSystem()
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    await memory.create(
      path,
      (async function* () {
        yield bytes
      })(),
    )
  }
  let opened: [number, number][] = []
  const fileSystem: FileSystem = {
    ...memory,
    open: (path, options) => {
      opened.push([options?.offset ?? 0, options?.length ?? -1])
      return memory.open(path, options)
    },
  }
  gateway = await createTestGateway({ fileSystem })
  const { call } = gateway
  return {
    call,
    takeOpened: () => {
      const taken = opened
      opened = []
      return taken
    },
    json: async (path: string, more: string) => {
      const response = await call(at('/json', path, more))
      const answer = (await response.json()) as { entries: { content: unknown[]; error?: string }[]; detail: string }
      expect(response.status, answer.detail).toBe(200)
      return answer.entries.flatMap(({ content }) => content)
    },
    text: async (path: string, more: string) => {
      const response = await call(at('/text', path, more))
      return (await response.text()).split('\r\n').slice(0, -1)
    },
    refusal: async (route: string, path: string, more: string) => {
      const response = await call(at(route, path, more), route === '/hdfs' ? { headers: { accept: 'text/plain' } } : {})
      const { code, detail } = (await response.json()) as { code: string; detail: string }
      return { status: response.status, code, detail }
    },
  }
}

const encode = encodeURIComponent

describe('columns', () => {
  test('gives the named columns alone, in the order asked for, of every format', async () => {
    const { json, text } = await setUp({
      '/a.csv': csv,
      '/b.json': '{"age":1,"name":"ann","x":{"y":1}}\n{"name":"bob"}\n',
      '/c.txt': 'a\tb\tc\nd\n',
      '/d.parquet': kinds,
      '/e.parquet.gz': gzipSync(kinds),
      '/f.csv.gz': gzipSync(csv),
    })
    const people = [
      { age: '1', name: 'ann' },
      { age: '2', name: 'bob' },
      { age: '3', name: 'cyd' },
    ]
    expect(await json('/a.csv', '&columns=age,name')).toEqual(people)
    expect(await json('/f.csv.gz', '&columns=age&columns=name')).toEqual(people)
    expect(await json('/b.json', '&columns=name,age,zip')).toEqual([
      { name: 'ann', age: 1, zip: null },
      { name: 'bob', age: null, zip: null },
    ])
    expect(await text('/b.json', '&columns=name,age,x')).toEqual(['ann,1,"{""y"":1}"', 'bob,,'])
    expect(await text('/c.txt', '&columns=col-2,col-0')).toEqual(['c,a', ',d'])
    for (const path of ['/d.parquet', '/e.parquet.gz']) {
      expect(await json(path, `&columns=ok,${encode('"user, name"')},id&range=1-1`)).toHaveLength(2)
      const lines = await text(path, `&columns=ok,${encode('"user, name"')}&header=true&range=24-25`)
      expect(lines).toEqual(['ok,"user, name"', `true,näme 24 ${'x'.repeat(72)}`, `false,näme 25 ${'x'.repeat(75)}`])
    }
  })

  test('a header has exactly these columns, however late they come', async () => {
    const { text } = await setUp({ '/t': `${'a\n'.repeat(1_200)}b\tc\n` })
    const lines = await text('/t', '&columns=col-1,col-9&header=true')
    expect([lines.length, lines[0], lines[1], lines[1_201]]).toEqual([1_202, 'col-1,col-9', ',', 'c,'])
  })

  test('a name in quotes may hold a comma; a name that comes twice is one column', async () => {
    const { text } = await setUp({ '/a.csv': csv })
    expect(await text('/a.csv', `&columns=${encode('"last, first",name,name')}&header=true`)).toEqual([
      '"last, first",name',
      'x,ann',
      ',bob',
      'z,cyd',
    ])
    expect(await text('/a.csv', '&columns=name,col-3')).toEqual(['ann,', 'bob,', 'cyd,more'])
    expect(await text('/a.csv', '&columns=')).toEqual(['ann,1,x', 'bob,2', 'cyd,3,z,more'])
  })

  test.each([
    { route: '/json', path: '/a.csv', columns: 'nmae', want: 'the file has no column "nmae"; did you mean "name"?' },
    { route: '/text', path: '/d.parquet', columns: 'id,Tiem', want: 'no column "Tiem"; did you mean "time"?' },
    { route: '/hdfs', path: '/d.parquet', columns: 'zzzzzzzzzz', want: 'the file has no column "zzzzzzzzzz"' },
    { route: '/json', path: '/d.parquet', columns: 'place.city', want: 'no column "place.city"' },
    { route: '/json', path: '/a.csv', columns: 'name,"x', want: 'expected the quote that closes a name' },
    { route: '/json', path: '/c.txt', columns: 'col-0&raw=true', want: 'no column "col-0"' },
  ])('$route of $path refuses $columns before anything is sent', async ({ route, path, columns, want }) => {
    const { refusal } = await setUp({ '/a.csv': csv, '/d.parquet': kinds, '/c.txt': 'a\n' })
    const found = await refusal(route, path, `&columns=${columns}`)
    expect(found).toMatchObject({ status: 400, code: 'bad-parameter' })
    expect(found.detail).toContain(want)
  })

  test('files of a directory may lack some, and a range goes across them', async () => {
    const { json, text } = await setUp({
      '/d/1.csv': csv,
      '/d/2.parquet': kinds,
      '/d/3.json': '{"id":7,"age":"8"}\n',
      '/d/_x': 'hidden',
    })
    expect(await text('/d', '&columns=age,id&range=2-3&header=true')).toEqual(['age,id', '3,', ',9007199254740993'])
    expect(await json('/d', '&columns=id,age&range=42-50')).toEqual([
      { id: Number('9007199254741032'), age: null },
      { id: 7, age: '8' },
    ])
    expect(await json('/d', '&columns=none')).toHaveLength(44)
  })

  test('raw rows have one column', async () => {
    const { json } = await setUp({ '/c.txt': 'a\tb\nc\n' })
    expect(await json('/c.txt', '&raw=true&columns=record&range=1-1')).toEqual([{ record: 'a\tb' }, { record: 'c' }])
  })

  test('of a Parquet file only their chunks are read, and only those of the wanted rows', async () => {
    const { json, takeOpened } = await setUp({ '/d.parquet': kinds })
    const head = [0, -1]
    const footer = [0, kinds.length]
    await json('/d.parquet', '&columns=ok')
    const [first, second, ...chunks] = takeOpened()
    expect([first, second]).toEqual([head, footer])
    expect(chunks).toHaveLength(2)
    // One bit for each row, and what is around it.
    for (const [, length] of chunks) expect(length).toBeLessThan(100)
    await json('/d.parquet', '&columns=ok&range=30-31')
    expect(takeOpened()).toEqual([head, footer, chunks[1]])
    await json('/d.parquet', '&columns=ok&range=60-70')
    expect(takeOpened()).toEqual([head, footer])
  })
})

describe('Parquet', () => {
  test('whose pages have an index is read in those of the wanted rows', async () => {
    const data = Array.from({ length: 20_000 }, (_, row) => BigInt(row) * 0x9e37_79b9_7f4an)
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'x', type: 'INT64', data }],
      codec: 'UNCOMPRESSED',
      pageSize: 8_000,
    })
    const { json, takeOpened } = await setUp({ '/d.parquet': new Uint8Array(bytes) })
    expect(await json('/d.parquet', '&range=2000-2001')).toHaveLength(2)
    const [, , ...found] = takeOpened()
    expect(found.reduce((sum, [, length]) => sum + length, 0)).toBeLessThan(12_000)
  })

  test('gives each kind of column as what it is', async () => {
    const { call } = await setUp({ '/d.parquet': kinds })
    const text = await (await call(at('/json', '/d.parquet', '&range=6-6'))).text()
    expect(text.slice(text.indexOf('"content":['), text.indexOf('],"serializer"'))).toBe(
      '"content":[{"id":9007199254740999,"user, name":"näme 6 xxxxxxxxxxxxxxxxxx","time":"2026-11-22T08:00:06.123456Z",' +
        '"day":"2026-11-07","price":-0.70,"ratio":0.75,"raw":"QUIG","extra":"{\\"big\\":9007199254740993,\\"r\\":1.50}",' +
        '"place":{"city":"c0","at":[3.0,null]},"tags":null,"map":{"k":6},"clock":"10:11:12.006000","ok":true}',
    )
  })
})
