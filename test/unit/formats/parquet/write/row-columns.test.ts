import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import type { ColumnValue } from '../../../../../src/formats/parquet/column-value.ts'
import { createParquetFile, type ParquetCodec, ParquetMemory } from '../../../../../src/formats/parquet/file-writer.ts'
import type { Kind, ScalarKind, StructKind } from '../../../../../src/formats/parquet/kind.ts'
import { readPageHeader } from '../../../../../src/formats/parquet/pages/page-header.ts'

const scalars: Readonly<Record<ScalarKind, fc.Arbitrary<ColumnValue>>> = {
  boolean: fc.boolean(),
  integer: fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  double: fc.double(),
  timestamp: fc.integer({ min: -(10 ** 12), max: 10 ** 13 }),
  text: fc.oneof(fc.constantFrom('', 'a', 'bc'), fc.string({ unit: 'grapheme' })),
  bytes: fc.uint8Array({ maxLength: 5 }),
  digits: fc.constant('1e400'),
  json: fc.constant('{}'),
  mixed: fc.string(),
  id: fc.string(),
}

const kinds = fc.letrec<{ kind: Kind }>(tie => ({
  kind: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Kind>('boolean', 'integer', 'double', 'timestamp', 'text', 'bytes'),
    tie('kind').map(list => ({ list })),
    fc.array(tie('kind'), { minLength: 1, maxLength: 3 }).map(members => ({
      struct: new Map(members.map((kind, i) => [`m${i}`, kind])),
    })),
  ),
})).kind

const toValues = (kind: Kind): fc.Arbitrary<ColumnValue> => {
  if (typeof kind === 'string') return fc.option(scalars[kind])
  if ('list' in kind) return fc.option(fc.array(toValues(kind.list), { maxLength: 4 }))
  return fc.option(fc.record(Object.fromEntries(Array.from(kind.struct, ([name, member]) => [name, toValues(member)]))))
}

type Rows = readonly (readonly ColumnValue[])[]

const file = fc
  .array(kinds, { minLength: 1, maxLength: 4 })
  .chain(columns =>
    fc.tuple(
      fc.constant(columns),
      fc.array(fc.array(fc.tuple(...columns.map(toValues)), { maxLength: 30 }), { maxLength: 3 }),
    ),
  )

const toStruct = (columns: readonly Kind[]): StructKind => ({
  struct: new Map(columns.map((kind, i) => [`c${i}`, kind])),
})

const write = (
  columns: StructKind,
  groups: readonly Rows[],
  codec: ParquetCodec,
  memory: ParquetMemory,
): Uint8Array<ArrayBuffer> => {
  const writer = createParquetFile(columns, codec, memory)
  for (const rows of groups) {
    const group = writer.openGroup()
    for (const row of rows) {
      // A column that is not set is null as well.
      for (const [i, value] of row.entries()) if (value !== null || i % 2 === 0) group.set(i, value)
      group.endRow()
    }
    writer.writeGroup(group)
  }
  return Uint8Array.from(writer.finish())
}

const compressors = {
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
  GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
}

/** As another reader has values: integers are long, times are dates, and what is not there is undefined. */
const toRead = (kind: Kind, value: ColumnValue): unknown => {
  if (value === null) return undefined
  if (kind === 'integer') return BigInt(value as bigint)
  if (kind === 'timestamp') return new Date(Number(value))
  if (kind === 'bytes') return Array.from(value as Uint8Array)
  if (typeof kind === 'string') return value
  if ('list' in kind) return (value as ColumnValue[]).map(item => toRead(kind.list, item))
  const members = value as { readonly [name: string]: ColumnValue }
  return Object.fromEntries(Array.from(kind.struct, ([name, member]) => [name, toRead(member, members[name] ?? null)]))
}

const fromRead = (value: unknown): unknown => {
  if (value === null) return undefined
  if (value instanceof Uint8Array) return Array.from(value)
  if (Array.isArray(value)) return value.map(fromRead)
  if (typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fromRead(member)]))
}

test.each(['zstd', 'gzip'] as const)('%s: another reader finds what was written, whatever it is', async codec => {
  // The same memory for all files, as a thread has it.
  const memory = new ParquetMemory()
  await fc.assert(
    fc.asyncProperty(file, async ([columns, groups]) => {
      const bytes = write(toStruct(columns), groups, codec, memory)
      const found = await parquetReadObjects({ file: bytes.buffer, compressors, utf8: false })
      const wanted = groups.flat().map(row => columns.map((kind, i) => toRead(kind, row[i] ?? null)))
      expect(found.map(row => columns.map((_, i) => fromRead(row[`c${i}`])))).toEqual(wanted)
    }),
    { numRuns: 150 },
  )
})

test('a chunk of much is in pages of a megabyte that begin with a row, each compressed', async () => {
  const list: Kind = { list: 'integer' }
  const row = Array.from({ length: 70_000 }, (_, i) => i)
  const rows = Array.from({ length: 6 }, () => [row])
  const bytes = write(toStruct([list]), [rows], 'zstd', new ParquetMemory())
  const found = await parquetReadObjects({ file: bytes.buffer, compressors })
  expect(found.map(({ c0 }) => (c0 as bigint[]).length)).toEqual(rows.map(() => row.length))
  const [chunk] = parquetMetadata(bytes.buffer).row_groups[0]?.columns ?? []
  const sizes: number[] = []
  const start = Number(chunk?.meta_data?.data_page_offset)
  for (let at = start; at < start + Number(chunk?.meta_data?.total_compressed_size); ) {
    const header = readPageHeader(Buffer.from(bytes.subarray(at)), at)
    sizes.push(header?.values ?? 0)
    expect(header?.compressed).toBeLessThan((header?.uncompressed ?? 0) / 2)
    at += (header?.length ?? 0) + (header?.compressed ?? 1)
  }
  expect(sizes).toEqual([140_000, 140_000, 140_000])
})

test('values so small that compressing costs more than it saves stay uncompressed', () => {
  const codecs = (texts: readonly string[]): (string | undefined)[] => {
    const bytes = write(toStruct(['text']), [texts.map(text => [text])], 'zstd', new ParquetMemory())
    return parquetMetadata(bytes.buffer).row_groups.flatMap(({ columns }) =>
      columns.map(chunk => chunk.meta_data?.codec),
    )
  }
  expect(codecs(['a', 'b'])).toEqual(['UNCOMPRESSED'])
  expect(codecs(['a'.repeat(5_000)])).toEqual(['ZSTD'])
})

test.each<[Kind, ColumnValue[], unknown, unknown]>([
  ['boolean', [true, null, false], false, true],
  ['boolean', [true], true, true],
  ['integer', [5, null, -7, 2n ** 62n], -7n, 2n ** 62n],
  ['double', [0.5, 0, null], -0, 0.5],
  ['double', [-1, -0], -1, 0],
  ['double', [1, Number.NaN], undefined, undefined],
  ['double', [null], undefined, undefined],
  ['double', [Number.NEGATIVE_INFINITY, 1], Number.NEGATIVE_INFINITY, 1],
  ['text', ['a', 'b'], undefined, undefined],
])('bounds of %s %s are %s and %s', (kind, values, min, max) => {
  const bytes = write(toStruct([kind]), [values.map(value => [value])], 'zstd', new ParquetMemory())
  const [chunk] = parquetMetadata(bytes.buffer).row_groups[0]?.columns ?? []
  const { statistics } = chunk?.meta_data ?? {}
  expect(statistics?.min_value).toBe(min)
  expect(statistics?.max_value).toBe(max)
  expect(statistics?.null_count).toBe(BigInt(values.filter(value => value === null).length))
})
