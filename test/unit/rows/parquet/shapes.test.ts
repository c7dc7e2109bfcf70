/** What values of a Parquet file look like, by its schema: lists, maps, columns that share a name. */
import { describe, expect, test } from 'vitest'
import {
  type Chunk,
  type Element,
  int32s,
  levels,
  parquetFile,
  run,
  texts,
  varint,
} from '../../../suites/parquet-file.ts'
import { collect, openBytes, readJson } from '../files.ts'

const int: Element = { name: 'a', type: 'INT32' }
const text: Element = { name: 'b', type: 'BYTE_ARRAY', converted: 'UTF8' }

/** Levels one by one. */
const each = (...values: readonly number[]): Buffer => levels(...values.map(value => run(1, value)))

/** A page with both kinds of levels. */
const page = (repetitions: readonly number[], definitions: readonly number[], bytes: Buffer): Chunk => ({
  pages: [{ values: definitions.length, bytes: Buffer.concat([each(...repetitions), each(...definitions), bytes]) }],
})

/** Two rows: [1, 2] and [3], in a leaf that is repeated once and required otherwise. */
const oneTwoThree = page([0, 1, 0], [1, 1, 1], int32s(1, 2, 3))
const xyz = page([0, 1, 0], [1, 1, 1], texts('x', 'y', 'z'))

const list = (repeated: Element, name = 'l'): Element => ({ name, converted: 'LIST', children: [repeated] })
const group = (name: string, children: readonly Element[], more: Partial<Element> = {}): Element => ({
  name,
  repetition: 'repeated',
  children,
  ...more,
})

describe('lists, by the rules of the format for older writers', () => {
  test.each<{ kind: string; column: Element; chunks?: Chunk[]; want: string[] }>([
    { kind: 'three levels', column: list(group('list', [{ ...int, name: 'element' }])), want: ['[1,2]', '[3]'] },
    { kind: 'three levels with other names', column: list(group('bag', [int])), want: ['[1,2]', '[3]'] },
    { kind: 'two levels', column: list({ ...int, repetition: 'repeated' }), want: ['[1,2]', '[3]'] },
    { kind: 'called array', column: list(group('array', [int])), want: ['[{"a":1},{"a":2}]', '[{"a":3}]'] },
    { kind: 'called for its list', column: list(group('l_tuple', [int])), want: ['[{"a":1},{"a":2}]', '[{"a":3}]'] },
    { kind: 'called for another list', column: list(group('x_tuple', [int])), want: ['[1,2]', '[3]'] },
    {
      kind: 'of groups with two fields',
      column: list(group('list', [int, text])),
      chunks: [oneTwoThree, xyz],
      want: ['[{"a":1,"b":"x"},{"a":2,"b":"y"}]', '[{"a":3,"b":"z"}]'],
    },
    {
      kind: 'of groups whose one field is repeated',
      column: list(group('list', [{ ...int, repetition: 'repeated' }])),
      chunks: [page([0, 2, 1, 0], [2, 2, 2, 1], int32s(1, 2, 3))],
      want: ['[{"a":[1,2]},{"a":[3]}]', '[{"a":[]}]'],
    },
    {
      kind: 'of lists in two levels',
      column: list(group('array', [{ ...int, repetition: 'repeated' }], { converted: 'LIST' })),
      chunks: [page([0, 2, 1, 0], [2, 2, 2, 1], int32s(1, 2, 3))],
      want: ['[[1,2],[3]]', '[[]]'],
    },
    {
      kind: 'repeated, with nothing around it',
      column: { ...int, repetition: 'repeated' },
      chunks: [page([0, 0, 1], [0, 1, 1], int32s(1, 2))],
      want: ['[]', '[1,2]'],
    },
    {
      kind: 'a repeated group, with nothing around it',
      column: group('g', [int]),
      chunks: [page([0, 0, 1], [0, 1, 1], int32s(1, 2))],
      want: ['[]', '[{"a":1},{"a":2}]'],
    },
    {
      kind: 'optional, with null elements',
      column: { ...list(group('list', [{ ...int, repetition: 'optional' }])), repetition: 'optional' },
      chunks: [page([0, 0, 0, 1], [0, 1, 2, 3], int32s(5))],
      want: ['null', '[]', '[null,5]'],
    },
  ])('$kind', async ({ column, chunks = [oneTwoThree], want }) => {
    const bytes = parquetFile({ columns: [column], chunks, rows: want.length })
    const rows = await readJson('x', bytes)
    expect(rows.map(row => row.slice(row.indexOf(':') + 1, -1))).toEqual(want)
  })
})

describe('maps keep every entry', () => {
  const map = (key: Element, value: Element | undefined, how: Partial<Element> = {}): Element => ({
    name: 'm',
    converted: 'MAP',
    children: [group('key_value', value ? [key, value] : [key])],
    ...how,
  })
  const values = page([0, 1, 1], [1, 1, 1], int32s(1, 2, 3))
  const keys = (...names: readonly string[]): Chunk => page([0, 1, 1], [1, 1, 1], texts(...names))
  test.each<{ kind: string; column: Element; chunks: Chunk[]; want: string }>([
    { kind: 'of text', column: map(text, int), chunks: [keys('a', 'c', 'b'), values], want: '{"a":1,"c":2,"b":3}' },
    {
      kind: 'of an older writer',
      column: map(text, int, { converted: 'MAP_KEY_VALUE' }),
      chunks: [keys('a', 'c', 'b'), values],
      want: '{"a":1,"c":2,"b":3}',
    },
    {
      kind: 'of names that objects have, or put elsewhere',
      column: map(text, int),
      chunks: [keys('__proto__', '10', '2'), values],
      want: '{"__proto__":1,"10":2,"2":3}',
    },
    {
      kind: 'that repeats a key',
      column: map(text, int),
      chunks: [keys('a', 'a', 'b'), values],
      want: '[{"key":"a","value":1},{"key":"a","value":2},{"key":"b","value":3}]',
    },
    {
      kind: 'of integers',
      column: map({ ...int, name: 'k' }, int),
      chunks: [page([0, 1, 1], [1, 1, 1], int32s(10, 2, -1)), values],
      want: '{"10":1,"2":2,"-1":3}',
    },
    {
      kind: 'of decimals',
      column: map({ ...int, name: 'k', converted: 'DECIMAL', scale: 2 }, int),
      chunks: [page([0, 1, 1], [1, 1, 1], int32s(10, 2, -1)), values],
      want: '{"0.10":1,"0.02":2,"-0.01":3}',
    },
    {
      kind: 'of bytes',
      column: map({ name: 'k', type: 'BYTE_ARRAY' }, int),
      chunks: [keys('k', 'e', 'y'), values],
      want: '{"aw==":1,"ZQ==":2,"eQ==":3}',
    },
    {
      kind: 'of groups',
      column: map({ name: 'k', children: [int] }, { ...int, name: 'v' }),
      chunks: [page([0, 1, 1], [1, 1, 1], int32s(7, 8, 9)), values],
      want: '[{"key":{"a":7},"value":1},{"key":{"a":8},"value":2},{"key":{"a":9},"value":3}]',
    },
    {
      kind: 'with a key that is null',
      column: map({ ...text, repetition: 'optional' }, int),
      chunks: [page([0, 1, 1], [2, 1, 2], texts('a', 'b')), values],
      want: '[{"key":"a","value":1},{"key":null,"value":2},{"key":"b","value":3}]',
    },
    { kind: 'without values', column: map(text, undefined), chunks: [keys('a', 'a', 'b')], want: '["a","a","b"]' },
    {
      kind: 'without entries',
      column: map(text, int),
      chunks: [page([0], [0], texts()), page([0], [0], int32s())],
      want: '{}',
    },
    {
      kind: 'of groups, without entries',
      column: map({ name: 'k', children: [int] }, { ...int, name: 'v' }),
      chunks: [page([0], [0], int32s()), page([0], [0], int32s())],
      want: '[]',
    },
  ])('$kind', async ({ column, chunks, want }) => {
    const rows = await readJson('x', parquetFile({ columns: [column], chunks, rows: 1 }))
    expect(rows).toEqual([`{"m":${want}}`])
  })
})

describe('columns are distinguished by their place', () => {
  const chunk = (...values: readonly number[]): Chunk => ({
    pages: [{ values: values.length, bytes: int32s(...values) }],
  })
  const bytes = parquetFile({
    columns: [int, { ...int, name: 'b' }, int, { ...int, name: 'Field_0' }, { name: 'g', children: [int, int] }],
    chunks: [chunk(1, 2), chunk(10, 20), chunk(100, 200), chunk(5, 6), chunk(7, 8), chunk(70, 80)],
    rows: 2,
  })
  test('those of one name too, within groups as well', async () => {
    expect(await readJson('x', bytes)).toEqual([
      '{"Field_0_":1,"b":10,"a":100,"Field_0":5,"g":{"Field_0":7,"a":70}}',
      '{"Field_0_":2,"b":20,"a":200,"Field_0":6,"g":{"Field_0":8,"a":80}}',
    ])
    expect((await openBytes('x', bytes)).columns).toEqual(['Field_0_', 'b', 'a', 'Field_0', 'g'])
  })

  test('when some are chosen', async () => {
    expect(await readJson('x', bytes, { wanted: { columns: ['a', 'Field_0_'] } })).toEqual([
      '{"a":100,"Field_0_":1}',
      '{"a":200,"Field_0_":2}',
    ])
  })
})

describe('faults of known writers do no harm', () => {
  const plain = { values: 2, bytes: int32s(7, 9) }
  test.each<{ fault: string; bytes: Buffer; want?: string[] }>([
    {
      fault: 'a chunk size without the header of its dictionary',
      bytes: parquetFile({
        columns: [int],
        chunks: [
          {
            pages: [
              { kind: 'dictionary', values: 2, bytes: int32s(7, 9) },
              { values: 2, encoding: 8, bytes: Buffer.of(1, 3, 2) },
            ],
            missing: 15,
          },
        ],
        rows: 2,
      }),
    },
    {
      fault: 'a place of a dictionary that is 0',
      bytes: parquetFile({ columns: [int], chunks: [{ pages: [plain], dictionaryOffset: 0 }], rows: 2 }),
    },
    {
      fault: 'a root that is repeated',
      bytes: parquetFile({ root: { repetition: 'repeated' }, columns: [int], chunks: [{ pages: [plain] }], rows: 2 }),
    },
    {
      fault: 'metadata of another type',
      bytes: parquetFile({
        columns: [int],
        chunks: [{ pages: [plain] }],
        rows: 2,
        more: [
          [
            5,
            'structs',
            [
              [
                [1, 'binary', 'pandas'],
                [2, 'bool', true],
              ],
              [[1, 'i32', 5]],
            ],
          ],
        ],
      }),
    },
    {
      fault: 'an empty page of version 2 that is said to be compressed',
      bytes: parquetFile({
        columns: [{ ...int, repetition: 'optional' }],
        chunks: [{ codec: 1, pages: [{ kind: 'v2', values: 2, bytes: run(2, 0), definitionBytes: 2 }] }],
        rows: 2,
      }),
      want: ['{"a":null}', '{"a":null}'],
    },
    {
      fault: 'a run of levels that is too long',
      bytes: parquetFile({
        columns: [{ ...int, repetition: 'optional' }],
        chunks: [{ pages: [{ values: 2, bytes: Buffer.concat([levels(run(2_000_000, 1)), plain.bytes]) }] }],
        rows: 2,
      }),
    },
    {
      fault: 'levels in the packing of old',
      bytes: parquetFile({
        columns: [{ ...int, repetition: 'optional' }],
        chunks: [
          { pages: [{ values: 3, levelEncoding: 4, bytes: Buffer.concat([Buffer.of(0b1010_0000), plain.bytes]) }] },
        ],
        rows: 3,
      }),
      want: ['{"a":7}', '{"a":null}', '{"a":9}'],
    },
    {
      fault: 'a page of an index, and an empty one',
      bytes: parquetFile({
        columns: [int],
        chunks: [
          { pages: [{ kind: 'index', values: 0, bytes: Buffer.of(1) }, { values: 0, bytes: Buffer.alloc(0) }, plain] },
        ],
        rows: 2,
      }),
    },
    {
      fault: 'a group without fields',
      bytes: parquetFile({ columns: [{ name: 'g', children: [] }, int], chunks: [{ pages: [plain] }], rows: 2 }),
    },
  ])('$fault', async ({ bytes, want = ['{"a":7}', '{"a":9}'] }) => {
    expect(await readJson('x', bytes)).toEqual(want)
  })
})

describe('what cannot be read is refused by name', () => {
  const one = (page: Chunk['pages'][number], more: Partial<Chunk> = {}): Buffer =>
    parquetFile({ columns: [int], chunks: [{ pages: [page], ...more }], rows: 2 })
  const plain = { values: 2, bytes: int32s(7, 9) }
  const two = { ...int, repetition: 'repeated' } as const
  test.each<{ what: string; bytes: Buffer; want: RegExp }>([
    { what: 'LZO', bytes: one(plain, { codec: 3 }), want: /expected one of the codecs UNCOMPRESSED.*found LZO/ },
    { what: 'an encoding', bytes: one({ ...plain, encoding: 99 }), want: /expected an encoding of INT32.*found 99/ },
    { what: 'no dictionary', bytes: one({ ...plain, encoding: 8 }), want: /expected a dictionary before the page/ },
    { what: 'a page cut short', bytes: one({ ...plain, size: 9 }), want: /expected a page of 9 bytes, found 8/ },
    {
      what: 'too few values',
      bytes: one({ values: 2, bytes: int32s(7).subarray(0, 3) }),
      want: /expected 4 more bytes/,
    },
    {
      what: 'an index outside of its dictionary',
      bytes: parquetFile({
        columns: [int],
        chunks: [
          {
            pages: [
              { kind: 'dictionary', values: 1, bytes: int32s(7) },
              { values: 2, encoding: 8, bytes: Buffer.of(1, 3, 2) },
            ],
          },
        ],
        rows: 2,
      }),
      want: /expected an index below 1 of the dictionary/,
    },
    {
      what: 'levels that are too high',
      bytes: parquetFile({
        columns: [group('r', [two])],
        chunks: [page([0, 3], [2, 2], int32s(1, 2))],
        rows: 1,
      }),
      want: /expected levels of at most 2/,
    },
    {
      what: 'a level of something that the schema does not have',
      bytes: parquetFile({ columns: [two], chunks: [page([0, 1], [1, 3], int32s(1, 2))], rows: 1 }),
      want: /expected levels of at most 1 /,
    },
    {
      what: 'levels of two leaves that do not agree',
      bytes: parquetFile({
        columns: [group('g', [int, text])],
        chunks: [page([0, 1], [1, 1], int32s(1, 2)), page([0, 1, 1], [1, 1, 1], texts('x', 'y', 'z'))],
        rows: 1,
      }),
      want: /expected levels of the columns of a group that agree/,
    },
    {
      what: 'a schema that ends too soon',
      bytes: parquetFile({ columns: [], root: { name: 'x' }, chunks: [], rows: 0, more: [[9, 'bool', true]] }).fill(
        0,
        4,
        5,
      ),
      want: /./,
    },
  ])('$what', async ({ bytes, want }) => {
    const found = await openBytes('x', bytes).then(collect, (error: Error) => ({ error, rows: [] }))
    expect(found.error?.message).toMatch(want)
    expect(found.error?.message).toMatch(/^parquet: /)
    expect(found.rows).toEqual([])
  })

  test('a footer that is encrypted', async () => {
    const bytes = parquetFile({ columns: [int], chunks: [{ pages: [plain] }], rows: 2 })
    bytes.write('PARE', bytes.length - 4)
    await expect(openBytes('x', bytes)).rejects.toThrow(/encrypted/)
  })
})

describe('R11: what a few bytes stand for is not made before it is asked for', () => {
  const many = 2 ** 31 - 1
  const dictionary = { kind: 'dictionary', values: 1, bytes: int32s(7) } as const
  const runs = Buffer.concat([Buffer.of(0), varint(many * 2)])
  const limited = { wanted: { last: 9 } }
  const bytes: Readonly<Record<string, Buffer>> = {
    'values of a dictionary': parquetFile({
      columns: [int],
      chunks: [{ pages: [dictionary, { values: many, encoding: 8, bytes: runs }] }],
      rows: many,
    }),
    nulls: parquetFile({
      columns: [{ ...int, repetition: 'optional' }],
      chunks: [{ pages: [{ values: many, bytes: levels(run(many, 0)) }] }],
      rows: many,
    }),
    'lists that are empty': parquetFile({
      columns: [{ ...int, repetition: 'repeated' }],
      chunks: [{ pages: [{ values: many, bytes: Buffer.concat([levels(run(many, 0)), levels(run(many, 0))]) }] }],
      rows: many,
    }),
    'differences of no bits': parquetFile({
      columns: [int],
      chunks: [
        {
          pages: [
            {
              values: many,
              encoding: 5,
              bytes: Buffer.concat([varint(2 ** 30), Buffer.of(1), varint(many), Buffer.of(14, 0, 0)]),
            },
          ],
        },
      ],
      rows: many,
    }),
  }
  test.each(Object.keys(bytes))('%s: the first rows, and some far behind them', async name => {
    const file = bytes[name] as Buffer
    expect(file.length).toBeLessThan(250)
    const { rows, error } = await collect(await openBytes('x', file, limited))
    expect([error, rows.length]).toEqual([undefined, 10])
    if (name === 'differences of no bits') return
    const far = name === 'lists that are empty' ? 3_000_000 : many - 5
    const reading = await openBytes('x', file, { wanted: { first: far, last: far + 3 } })
    const found = await collect(reading)
    expect([found.error, found.rows.length]).toEqual([undefined, 4])
  })

  test('a list of as many elements ends at the limit of a row', async () => {
    const file = parquetFile({
      columns: [{ ...int, repetition: 'repeated' }],
      chunks: [
        {
          pages: [
            dictionary,
            {
              values: many,
              encoding: 8,
              bytes: Buffer.concat([levels(run(1, 0), run(many - 1, 1)), levels(run(many, 1)), runs]),
            },
          ],
        },
      ],
      rows: 1,
    })
    const { rows, error } = await collect(await openBytes('x', file))
    expect(rows).toEqual([])
    expect(error?.message).toMatch(/row 0 to hold at most 100000 values \(gateway\.reader-memory-bytes\)/)
  })

  test('a text that grows by what it shares with the one before ends at the limit of a row', async () => {
    const file = parquetFile({
      columns: [text],
      chunks: [
        {
          pages: [
            {
              values: 1_000,
              encoding: 7,
              // Shared lengths 0, 2 MB, 2 MB …; lengths of the rest 2 MB, then none.
              bytes: Buffer.concat([
                Buffer.concat([
                  varint(1_024),
                  Buffer.of(32),
                  varint(1_000),
                  Buffer.of(0),
                  Buffer.of(0),
                  Buffer.alloc(32),
                ]),
                Buffer.concat([
                  varint(1_024),
                  Buffer.of(32),
                  varint(1_000),
                  varint(4_000_000),
                  Buffer.of(0),
                  Buffer.alloc(32),
                ]),
                Buffer.alloc(2_000_000, 'x'),
              ]),
            },
          ],
        },
      ],
      rows: 1_000,
    })
    // All lengths are 2 MB, and only the first has its bytes: the rows before the damage are read.
    const { rows, error } = await collect(await openBytes('x', file))
    expect(rows).toHaveLength(1)
    expect(error?.message).toMatch(/expected 2000000 more bytes/)
  })
})
