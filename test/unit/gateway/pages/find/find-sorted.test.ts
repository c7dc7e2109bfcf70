import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Float64, type Value } from '../../../../../src/formats/number.ts'
import { searchBudget } from '../../../../../src/gateway/pages/find/find-rows.ts'
import { findSorted, maxSortedRows, type SortRequest } from '../../../../../src/gateway/pages/find/find-sorted.ts'
import { keepRow, weighRow } from '../../../../../src/gateway/pages/find/keep-row.ts'
import { sortRows } from '../../../../../src/gateway/pages/find/sort-rows.ts'
import { createTopRows } from '../../../../../src/gateway/pages/find/top-rows.ts'
import { createMarkMemory } from '../../../../../src/gateway/rows/mark-memory.ts'
import { parseWhere } from '../../../../../src/rows/where/where.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'
import { createReadContext } from '../../../../suites/reads.ts'
import { createWorld } from '../world.ts'

const values = fc.oneof(
  fc.constantFrom<Value | undefined>(null, undefined, '', true, false, new Float64(Number.NaN), 1n, Uint8Array.of(1)),
  fc.integer({ min: -3, max: 12 }),
  fc.integer({ min: -3, max: 12 }).map(String),
  fc.constantFrom('x', 'y', '2024-05-01T10:00:00Z', '2024-05-01T11:30:00+02:00', '2024-04-30'),
)
/** Columns of one kind, whose last values may be of another, and of all kinds. */
const columns = fc.oneof(
  fc.array(values, { maxLength: 60 }),
  ...[fc.integer({ min: -20, max: 20 }).map(String), fc.constantFrom('2024-05-01T10:00:00Z', '2024-05-01', '')].map(
    one =>
      fc
        .tuple(
          fc.array<Value | undefined>(one, { maxLength: 60 }),
          fc.array<Value | undefined>(values, { maxLength: 1 }),
        )
        .map(parts => parts.flat()),
  ),
)

describe('the first rows in the order of a column', () => {
  test('are those of all rows sorted, whatever the column holds and however few are kept', () => {
    fc.assert(
      fc.property(columns, fc.nat(12), fc.constantFrom('asc' as const, 'desc' as const), (column, most, order) => {
        const top = createTopRows<number>({ order, most })
        for (const [place, value] of column.entries()) top.offer(value, () => place)
        const all = sortRows(
          column.map(value => [value]),
          0,
          order,
        )
        expect(top.sorted()).toEqual(all.slice(0, most))
      }),
      { numRuns: 1_000 },
    )
  })

  test('keep no more than twice as many, and weigh those alone', () => {
    const top = createTopRows<number>({ order: 'desc', most: 10, weigh: () => 100 })
    for (let n = 0; n < 10_000; n++) top.offer(n, () => n)
    expect(top.bytes()).toBeLessThanOrEqual(2_000)
    expect(top.sorted()).toEqual([9_999, 9_998, 9_997, 9_996, 9_995, 9_994, 9_993, 9_992, 9_991, 9_990])
    expect(top.bytes()).toBe(1_000)
  })

  test('keep no more than those that are wanted once they are large', () => {
    const large = 32 * 1024 * 1024
    const top = createTopRows<number>({ order: 'desc', most: 1, weigh: () => large })
    const more = createTopRows<number>({ order: 'desc', most: 3, weigh: () => large })
    for (let n = 0; n < 100; n++) {
      top.offer(n, () => n)
      more.offer(n, () => n)
    }
    expect(more.bytes()).toBe(3 * large)
    expect(top.bytes()).toBe(large)
  })

  test('are kept as they were', () => {
    const row = { names: ['a', 'b', 'c'], values: ['é'.repeat(40), '\ud800 lone and long enough', [new Float64(1)]] }
    expect(keepRow(row)).toEqual(row)
    expect(weighRow(row)).toBe(16 + 80 + 16 + 2 * 22 + 32)
  })
})

const toFile = async (name: string, content: string | Uint8Array) => {
  const fileSystem = createMemoryFileSystem()
  await fileSystem.create(`/${name}`, new Blob([Uint8Array.from(Buffer.from(content))]).stream())
  const status = await fileSystem.getFileStatus(`/${name}`)
  const { openRowFile } = createReadContext(fileSystem)
  return (more: Partial<SortRequest> = {}) =>
    findSorted(
      ({ status: file, ...one }) => openRowFile(file, { ...one, raw: false, nulls: true }),
      createMarkMemory(),
      fileSystem,
      {
        status,
        first: 0,
        last: 4,
        by: 'n',
        order: 'desc',
        columns: undefined,
        mostColumns: 60,
        budget: searchBudget,
        now: () => 0,
        signal: AbortSignal.timeout(60_000),
        ...more,
      },
    )
}
const ns = Array.from({ length: 40_000 }, (_, index) => (index * 7_919) % 40_000)
const files: readonly (readonly [string, string | Uint8Array])[] = [
  ['f.jsonl', ns.map(n => `{"n":${n},"padding":"a text that is long enough to be cut"}\n`).join('')],
  ['f.jsonl.gz', gzipSync(ns.map(n => `{"n":${n}}\n`).join(''))],
  ['f.csv', `n,padding\n${ns.map(n => `${n},padding`).join('\n')}\n`],
]

describe.each(files)('%s, sorted', (name, content) => {
  test('gives the places that are wanted, of all rows and of those that match', async () => {
    const find = await toFile(name, content)
    const top = await find()
    expect(top?.numbers).toEqual([39_999, 39_998, 39_997, 39_996, 39_995].map(n => ns.indexOf(n)))
    expect(top?.sorted).toEqual({ rows: 40_000, looked: 40_000, isCut: false })
    const found = await find({ where: parseWhere('n < 100'), first: 98, last: 120 })
    expect(found?.numbers).toEqual([1, 0].map(n => ns.indexOf(n)))
    expect([found?.sorted, found?.isEnd]).toEqual([{ rows: 100, looked: 40_000, isCut: false }, true])
  })

  test.each([
    [
      'time',
      {
        now: (() => {
          let ms = 0
          return () => (ms += 1_500)
        })(),
      },
    ],
    ['bytes', { budget: { ms: 1e9, bytes: 1 } }],
    ['memory', { keptBytes: 100 }],
  ])('ends with the %s of a page, and says how far it came', async (_, more) => {
    const find = await toFile(name, content)
    const cut = await find(more)
    const looked = cut?.sorted.looked ?? 0
    expect(cut?.sorted).toEqual({ rows: looked, looked, isCut: true })
    expect([looked > 0, looked < 40_000]).toEqual([true, true])
    expect(cut?.numbers[0]).toBe(ns.indexOf(Math.max(...ns.slice(0, looked))))
  })
})

test('a column that no row has sorts nothing', async () => {
  expect(await (await toFile('f.jsonl', '{"a":1}\n'))()).toBeUndefined()
})

test('rows before damage are sorted, and the page says that they end there', async () => {
  const { page } = await createWorld({
    files: { '/f.jsonl.gz': gzipSync(ns.map(n => `{"n":${n}}\n`).join('')).subarray(0, 40_000) },
  })
  const html = await page('/rest/1.0/hdfs?path=/f.jsonl.gz&by=n&order=desc')
  expect(html).toMatch(/Sorted: the first <strong>100<\/strong> of the [\d ,\u202f\u00a0]+ rows before the damage/)
  expect(html).toContain('The file is damaged after row')
})

test.each([
  ['a filter that cannot be used', '&where=n is', 'aria-invalid="true"'],
  ['a filter by a column that the file does not have', '&where=m = 1', 'aria-invalid="true"'],
  ['columns that the file does not have', '&columns=n,m', 'All columns are shown instead'],
])('%s does not cost the page its order', async (_, query, says) => {
  const { get } = await createWorld({ files: { '/f.csv': 'n,x\n2,a\n10,b\n1,c\n' } })
  const response = await get(`/rest/1.0/hdfs?path=/f.csv&by=n${query}`)
  const html = await response.text()
  expect([response.status, [...html.matchAll(/id="row-(\d+)"/g)].map(([, row]) => Number(row))]).toEqual([
    400,
    [2, 0, 1],
  ])
  expect(html).toContain(says)
  expect(html).toContain('Sorted: the first <strong>3</strong> of 3 rows')
})

test('a column that is chosen and no row has is said not to sort', async () => {
  const { page } = await createWorld({ files: { '/f.jsonl': '{"a":2}\n{"a":1}\n' } })
  expect(await page('/rest/1.0/hdfs?path=/f.jsonl&by=b&columns=a,b')).toContain('Not sorted: there is no column')
})

test('places end where memory does, and the page says so', async () => {
  const { page } = await createWorld({ files: { '/f.txt': ns.slice(0, 3_000).join('\n') } })
  const link = (range: string): string => `/rest/1.0/hdfs?path=/f.txt&by=col-0&range=${range}`
  const last = await page(link(`${maxSortedRows - 100}-${maxSortedRows - 1}`))
  expect(last).toContain('Places end here; a filter leads further')
  expect(last).not.toMatch(/rel="next"/)
  expect(await page(link('1000-1099'))).toContain('No rows at place 1')
})
