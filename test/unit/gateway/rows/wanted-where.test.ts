import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { checkOpened, checkWhere, parseWhereParam } from '../../../../src/gateway/rows/wanted-where.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { fixture } from '../../rows/files.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

type Answer = {
  readonly entries: {
    readonly path: string
    readonly content: unknown[]
    readonly searched?: number
    readonly matched?: number
    readonly error?: string
    readonly unknownColumns?: string[]
  }[]
}

const setUp = async (files: Readonly<Record<string, string | Uint8Array>>) => {
  const memory = createMemoryFileSystem()
  for (const [path, content] of Object.entries(files)) {
    await memory.create(
      path,
      (async function* () {
        yield Buffer.from(content)
      })(),
    )
  }
  gateway = await createTestGateway({ fileSystem: memory })
  const { call } = gateway
  const json = async (path: string, where: string, more = ''): Promise<Answer['entries']> => {
    const response = await call(at('/json', path, `&where=${encodeURIComponent(where)}${more}`))
    expect(response.status).toBe(200)
    return ((await response.json()) as Answer).entries
  }
  return {
    call,
    json,
    rows: async (path: string, where: string, more = '') =>
      (await json(path, where, more)).flatMap(({ content }) => content),
    text: async (path: string, where: string, more = '') => {
      const response = await call(at('/text', path, `&where=${encodeURIComponent(where)}${more}`))
      return (await response.text()).split('\r\n').slice(0, -1)
    },
    refusal: async (route: string, path: string, where: string) => {
      const response = await call(at(route, path, `&where=${encodeURIComponent(where)}`))
      const { code, detail } = (await response.json()) as { code: string; detail: string }
      return { status: response.status, code, detail }
    },
  }
}

const csv = 'name,age,city\nann,31,Ulm\nbob,9,Bonn\ncyd,100,ulm\n'
const events = '{"user":{"name":"ann"},"n":9007199254740993}\n{"user":{"name":"bob"},"n":9007199254740992}\n{"n":1}\n'
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `${i}\t${i % 7}\n`).join('')

describe('where', () => {
  test('gives the rows that match, of text, CSV and JSON, and counts', async () => {
    const { json, rows, text } = await setUp({ '/a.csv': csv, '/b.json': events, '/c.txt': lines(100) })
    expect(await rows('/a.csv', 'age > 30')).toEqual([
      { name: 'ann', age: '31', city: 'Ulm' },
      { name: 'cyd', age: '100', city: 'ulm' },
    ])
    expect(await text('/a.csv', 'city ~ ULM and age < 50')).toEqual(['ann,31,Ulm'])
    expect(await text('/a.csv', 'age = 9', '&header=true')).toEqual(['name,age,city', 'bob,9,Bonn'])
    expect(await text('/b.json', 'n = 9007199254740993', '&header=true')).toEqual([
      'user,n',
      '"{""name"":""ann""}",9007199254740993',
    ])
    expect(await rows('/b.json', 'user.name = bob or user = null')).toHaveLength(2)
    expect(await text('/c.txt', 'col-1 = 3 and col-0 > 90')).toEqual(['94,3'])
    const [entry] = await json('/c.txt', 'col-1 = 3')
    expect(entry).toMatchObject({ searched: 100, matched: 14 })
    expect(await json('/c.txt', ' ')).toMatchObject([{ content: { length: 100 } }])
  })

  test('range counts all rows, over all files', async () => {
    const { json } = await setUp({ '/d/a.txt': lines(100), '/d/b.txt': lines(100) })
    expect(await json('/d', 'col-1 = 0', '&range=90-110&content=true')).toMatchObject([
      { path: '/d/a.txt', content: [{ 'col-0': '91' }, { 'col-0': '98' }], searched: 10, matched: 2 },
      { path: '/d/b.txt', content: [{ 'col-0': '0' }, { 'col-0': '7' }], searched: 11, matched: 2 },
    ])
    // From a place in the file that is known by now.
    expect(await json('/d/b.txt', 'col-1 = 0', '&range=90-95')).toMatchObject([{ content: [{ 'col-0': '91' }] }])
  })

  test('asks about columns that are not shown, and about lines', async () => {
    const { rows, text } = await setUp({ '/a.csv': csv, '/k.parquet': fixture('rows/kinds.parquet') })
    expect(await rows('/a.csv', 'age = 9', '&columns=city')).toEqual([{ city: 'Bonn' }])
    expect(await text('/a.csv', 'age = 9', '&columns=city,name')).toEqual(['Bonn,bob'])
    expect(await rows('/a.csv', 'record ~ bonn', '&raw=true')).toEqual([{ record: 'bob,9,Bonn' }])
  })

  test('goes through large files', async () => {
    const { text, json } = await setUp({ '/big.txt': lines(50_000) })
    expect(await text('/big.txt', 'col-0 = 49999')).toEqual(['49999,5'])
    expect(await text('/big.txt', 'col-0 = x')).toEqual([])
    expect(await json('/big.txt', 'col-0 = x')).toMatchObject([{ content: [], searched: 50_000, matched: 0 }])
  })

  test('gives what the reference says', async () => {
    const page = await readFile(new URL('../../../../docs/reference/events-and-rows.md', import.meta.url), 'utf8')
    const [, where = ''] = /--data-urlencode 'where=([^']+)'/.exec(page) ?? []
    const { text } = await setUp({
      '/events/ApiCall/a.json': '{"status":500,"path":"/Cart/1","user":{"name":"ann"}}\n{"status":500,"path":"/x"}\n',
      '/events/ApiCall/b.csv': 'status,path\n200,/cart\n503,/cart\n',
    })
    expect(await text('/events/ApiCall', where, '&recursive=true&columns=path')).toEqual(['/Cart/1', '/x', '/cart'])
  })

  test('refuses what it cannot read, and columns that the file does not have', async () => {
    const { call, refusal, rows } = await setUp({ '/a.csv': csv, '/d/a.csv': csv })
    for (const route of ['/json', '/text']) {
      expect(await refusal(route, '/a.csv', 'age >')).toEqual({
        status: 400,
        code: 'bad-parameter',
        detail: 'Parameter "where": expected a value behind ">", found the end at character 5',
      })
      expect(await refusal(route, '/a.csv', 'agee > 3')).toEqual({
        status: 400,
        code: 'bad-parameter',
        detail: 'Parameter "where": the file has no column "agee"; did you mean "age"?',
      })
    }
    expect((await call(at('/json', '/a.csv', '&where=age+%3E'), { method: 'HEAD' })).status).toBe(400)
    expect(await rows('/d', 'agee = null')).toHaveLength(3)
    expect(await rows('/a.csv', 'col-3 = null')).toHaveLength(3)
  })

  test('says that no row has a name within a column, and which was meant, in every format', async () => {
    const lines = [
      '{"n":1,"user":{"age":30,"tags":[{"k":1},{"other":2}]},"m":{"10":1}}',
      '{"n":2,"user":null}',
      '{"n":3,"user":{"age":31}}',
    ]
    const { json, refusal, rows } = await setUp({ '/a.jsonl': `${lines.join('\n')}\n`, '/n.jsonl': `${lines[1]}\n` })
    for (const [where, missing, hint] of [
      ['user.aeg = 30', 'user.aeg', '; did you mean "user.age"?'],
      ['user.tags.kk = 1', 'user.tags.kk', '; did you mean "user.tags.k"?'],
      ['user.age.years = 1', 'user.age.years', ''],
      ['m."11" = 1', 'm.11', '; did you mean "m.10"?'],
    ] as const) {
      const detail = `Parameter "where": no row has a column "${missing}"${hint}`
      expect(await json('/a.jsonl', where), where).toMatchObject([
        { error: detail, unknownColumns: [missing], matched: 0 },
      ])
      expect(await refusal('/text', '/a.jsonl', where), where).toMatchObject({ status: 400, detail })
    }
    const { json: dotted } = await setUp({ '/d.jsonl': '{"s":{"c.d":2}}\n' })
    expect((await dotted('/d.jsonl', 's.c.d = 2'))[0]?.error).toContain(
      'no row has a column "s.c.d"; did you mean s."c.d"?',
    )
    for (const where of ['user.age = 99', 'user.tags.other = 9', 'm."10" = 9', 'n = 2 and user.aeg = 1']) {
      expect((await json('/a.jsonl', where))[0], where).not.toHaveProperty('unknownColumns')
    }
    // Of nothing it is not known what it could have.
    expect((await json('/n.jsonl', 'user.aeg = 1'))[0]).not.toHaveProperty('unknownColumns')
    expect(await rows('/a.jsonl', 'user.aeg = null')).toHaveLength(3)
  })

  test('of a format without a schema says that no row has a column, and which was meant', async () => {
    const { json, refusal, text } = await setUp({
      '/b.json': events,
      '/d/b.json': events,
      '/d/c.csv': csv,
      '/e.json': '',
    })
    const detail = 'Parameter "where": no row has a column "usr"; did you mean "user"?'
    for (const more of ['', '&header=true']) {
      expect(await refusal('/text', '/b.json', `usr.name = ann${more}`)).toMatchObject({ status: 400 })
    }
    expect(await refusal('/text', '/b.json', 'usr.name = ann')).toEqual({ status: 400, code: 'bad-parameter', detail })
    expect(await json('/b.json', 'usr.name = ann')).toMatchObject([
      { error: detail, unknownColumns: ['usr'], matched: 0 },
    ])
    // What matches all the same is not refused: a column may be missing for good reason.
    expect(await text('/b.json', 'usr = null and n = 1', '&columns=n')).toEqual(['1'])
    const [all] = await json('/b.json', 'usr = null')
    expect([all?.matched, all?.unknownColumns, all?.error]).toEqual([3, ['usr'], undefined])
    const below = await json('/d', 'usr = x')
    expect(below.map(({ unknownColumns, error }) => [unknownColumns, error])).toEqual([
      [['usr'], undefined],
      [['usr'], undefined],
    ])
    expect((await json('/b.json', 'n = 1'))[0]).not.toHaveProperty('unknownColumns')
    expect((await json('/e.json', 'usr = 1'))[0]).not.toHaveProperty('unknownColumns')
  })

  test('looks for a word in all columns of a Parquet file, whichever are wanted', async () => {
    const { rows } = await setUp({ '/k.parquet': fixture('rows/kinds.parquet') })
    const all = await rows('/k.parquet', 'row')
    expect(await rows('/k.parquet', '"7"', '&columns=ok')).toHaveLength((await rows('/k.parquet', '"7"')).length)
    expect(all.length).toBeLessThanOrEqual(40)
  })
})

test('a file that lacks a column is closed with the refusal', async () => {
  let closed = 0
  const batches: AsyncIterable<never> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: true, value: undefined }),
      return: async () => {
        closed++
        return { done: true, value: undefined }
      },
    }),
  }
  const where = parseWhereParam('nosuch = 1')
  const columns = { columns: ['a'], hasAllColumns: true }
  await expect(checkOpened({ batches }, () => checkWhere(where, columns))).rejects.toThrow('nosuch')
  expect(closed).toBe(1)
  await checkOpened({ batches }, () => checkWhere(parseWhereParam('a = 1'), columns))
  expect(closed).toBe(1)
})
