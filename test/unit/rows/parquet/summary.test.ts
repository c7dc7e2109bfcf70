import { describe, expect, test } from 'vitest'
import type { ColumnChunk, Statistics } from '../../../../src/formats/parquet/chunk-metadata.ts'
import type { FileMetaData } from '../../../../src/formats/parquet/metadata.ts'
import { toSchema } from '../../../../src/formats/parquet/schema.ts'
import type { SchemaElement } from '../../../../src/formats/parquet/schema-element.ts'
import { type ParquetSummary, toParquetSummary } from '../../../../src/rows/parquet/summary.ts'
import { fixture, openBytes } from '../files.ts'

const summarize = async (name: string): Promise<ParquetSummary> => {
  const made = (await openBytes('x', fixture(name))).parquet
  if (made === undefined) throw new Error('no summary')
  return made
}

/** The metadata of a file with one column chunk. */
const toMetadata = (
  element: Omit<SchemaElement, 'name' | 'repetition'>,
  statistics: Statistics | undefined,
): FileMetaData => ({
  rows: 3,
  length: 99,
  createdBy: undefined,
  keyValues: new Map(),
  schema: [
    { name: 'schema', repetition: 'required', children: 1 },
    { name: 'x', repetition: 'required', ...element },
  ],
  groups: [
    {
      rows: 3,
      totalBytes: 20,
      fileOffset: undefined,
      chunkCount: 1,
      sortedBy: undefined,
      chunks: () => [toChunk(statistics)],
    },
  ],
})

const toChunk = (statistics: Statistics | undefined): ColumnChunk => ({
  filePath: undefined,
  offsetIndex: undefined,
  isEncrypted: false,
  meta: {
    path: ['x'],
    codec: 'ZSTD',
    encodings: ['PLAIN'],
    values: 3,
    compressed: 10,
    uncompressed: 20,
    dataOffset: 4,
    dictionaryOffset: undefined,
    statistics,
  },
})

const summarizeOne = (metadata: FileMetaData): ParquetSummary => toParquetSummary(metadata, toSchema(metadata.schema))

describe('toParquetSummary', () => {
  test('says what is in a file, and who wrote it', async () => {
    const { schema: _schema, groups: _groups, ...rest } = await summarize('rows/kinds.parquet')
    expect(rest).toEqual({
      rows: 40,
      columns: 13,
      createdBy: expect.stringMatching(/^parquet-cpp-arrow version/),
      footer: 3456,
      keys: { shown: ['origin', '<b>key</b>'], count: 2 },
    })
  })

  test('has the elements of the schema with their types, each below what it is in', async () => {
    const { schema } = await summarize('rows/kinds.parquet')
    expect(schema.count).toBe(22)
    const lines = schema.shown.map(
      ({ name, depth, type, logicalType, repetition }) =>
        `${'  '.repeat(depth)}${name}: ${type} ${logicalType} ${repetition}`,
    )
    expect(lines).toEqual([
      'id: INT64  optional',
      'user, name: BYTE_ARRAY STRING optional',
      'time: INT64 TIMESTAMP(MICROS, UTC) optional',
      'day: INT32 DATE optional',
      'price: FIXED_LEN_BYTE_ARRAY(9) DECIMAL(20, 2) optional',
      'ratio: DOUBLE  optional',
      'raw: BYTE_ARRAY  optional',
      'extra: BYTE_ARRAY JSON optional',
      'place: group  optional',
      '  city: BYTE_ARRAY STRING optional',
      '  at: group LIST optional',
      '    list: group  repeated',
      '      element: DOUBLE  optional',
      'tags: group LIST optional',
      '  list: group  repeated',
      '    element: BYTE_ARRAY STRING optional',
      'map: group MAP optional',
      '  key_value: group  repeated',
      '    key: BYTE_ARRAY STRING required',
      '    value: INT32  optional',
      'clock: INT64 TIME(MICROS, local) optional',
      'ok: BOOLEAN  optional',
    ])
  })

  test('has row groups, and the bounds of each column as its values', async () => {
    const { groups } = await summarize('rows/kinds.parquet')
    expect(groups.shown.map(({ chunks, ...group }) => ({ ...group, chunks: chunks.count }))).toEqual([
      { rows: 25, compressed: 2171, uncompressed: 4131, offset: 4, chunks: 15 },
      { rows: 15, compressed: 2026, uncompressed: 3823, offset: 2175, chunks: 15 },
    ])
    expect(groups.shown[0]?.chunks.shown[2]).toEqual({
      path: 'time',
      codec: 'ZSTD',
      encodings: ['RLE', 'PLAIN'],
      compressed: 213,
      uncompressed: 271,
      nulls: 0,
      min: { text: '2026-11-22T08:00:00.123456Z', isCut: false },
      max: { text: '2026-11-22T08:00:24.123456Z', isCut: false },
    })
    const bounds = groups.shown[0]?.chunks.shown.map(
      ({ path, min, max, nulls }) => `${path}: ${min?.text} … ${max?.text}, ${nulls}`,
    )
    // As pyarrow reads them.
    expect(bounds).toEqual([
      'id: 9007199254740993 … 9007199254741017, 0',
      'user, name: näme 1 xxx … näme 9 xxxxxxxxxxxxxxxxxxxxxxxxxxx, 4',
      'time: 2026-11-22T08:00:00.123456Z … 2026-11-22T08:00:24.123456Z, 0',
      'day: 2026-11-01 … 2026-11-25, 0',
      'price: -1.00 … 0.20, 0',
      'ratio: -0.0 … 3.0, 0',
      'raw: 0x414200 … 0x414218, 0',
      'extra: {"big":9007199254740993,"r":1.50} … {"big":9007199254740993,"r":1.50}, 16',
      'place.city: c0 … c2, 5',
      'place.at.list.element: 0.5 … 12.0, 25',
      'tags.list.element: t0 … t2, 9',
      'map.key_value.key: k … k, 0',
      'map.key_value.value: 0 … 24, 0',
      'clock: 10:11:12.000000 … 10:11:12.024000, 0',
      'ok: false … true, 0',
    ])
  })

  const bytes = (text: string) => Buffer.from(text)
  test.each([
    { kind: 'text that was cut', type: 'BYTE_ARRAY', converted: 'UTF8', min: bytes('abc'), want: 'abc…' },
    {
      kind: 'half a character',
      type: 'BYTE_ARRAY',
      converted: 'UTF8',
      min: bytes('aé').subarray(0, 2),
      want: 'a…',
    },
    {
      kind: 'long text',
      type: 'BYTE_ARRAY',
      converted: 'UTF8',
      min: bytes('x'.repeat(500)),
      want: `${'x'.repeat(80)}…`,
    },
    { kind: 'long bytes', type: 'BYTE_ARRAY', min: Buffer.alloc(17, 1), want: `0x${'01'.repeat(16)}…` },
    {
      kind: 'a decimal',
      type: 'BYTE_ARRAY',
      converted: 'DECIMAL',
      scale: 3,
      min: Buffer.from([0xff, 0]),
      want: '-0.256…',
    },
    {
      kind: 'a decimal beyond doubles',
      type: 'INT64',
      converted: 'DECIMAL',
      scale: 1,
      min: Buffer.from('0100c84e676dc101', 'hex'),
      want: '12650255501387366.5…',
    },
    {
      kind: 'a time beyond a day',
      type: 'INT32',
      converted: 'TIME_MILLIS',
      min: Buffer.from('005c2605', 'hex'),
      want: '86400000…',
    },
    { kind: 'a bound of the wrong length', type: 'INT32', min: Buffer.alloc(3), want: undefined },
    { kind: 'INT96', type: 'INT96', min: Buffer.alloc(12), want: undefined },
  ] as const)('shows $kind', ({ kind: _kind, min, want, ...element }) => {
    const { groups } = summarizeOne(toMetadata(element, { minValue: min, isMinExact: false }))
    const [chunk] = groups.shown[0]?.chunks.shown ?? []
    expect(chunk?.min && `${chunk.min.text}${chunk.min.isCut ? '…' : ''}`).toBe(want)
    expect(chunk?.encodings).toEqual(['PLAIN'])
  })

  test('takes the old bounds of numbers, and not those of text, whose order was another', () => {
    const toMin = (element: Omit<SchemaElement, 'name' | 'repetition'>, min: Buffer) =>
      summarizeOne(toMetadata(element, { min })).groups.shown[0]?.chunks.shown[0]?.min
    expect(toMin({ type: 'INT64' }, Buffer.from('0500000000000000', 'hex'))).toEqual({ text: '5', isCut: false })
    expect(toMin({ type: 'BYTE_ARRAY', converted: 'UTF8' }, bytes('a'))).toBeUndefined()
  })

  test('is small, however much a footer names', () => {
    const one = toMetadata({ type: 'INT64' }, undefined)
    const [group] = one.groups
    if (group === undefined) throw new Error('no group')
    const long = 'k'.repeat(100_000)
    const chunks = () => Array.from({ length: 5_000 }, () => toChunk(undefined))
    const summary = summarizeOne({
      ...one,
      createdBy: long,
      schema: [
        { name: 'schema', repetition: 'required', children: 5_000 },
        ...Array.from({ length: 5_000 }, () => ({ name: long, repetition: 'required', type: 'INT64' }) as const),
      ],
      groups: Array.from({ length: 1_000 }, () => ({ ...group, chunks })),
      keyValues: new Map(Array.from({ length: 1_000 }, (_, i) => [`${i}${long}`, long])),
    })
    expect([summary.schema.count, summary.groups.count, summary.keys.count]).toEqual([5_000, 1_000, 1_000])
    expect(summary.schema.shown).toHaveLength(200)
    expect(summary.groups.shown.map(({ chunks }) => chunks.shown.length)).toEqual([200, ...Array(19).fill(0)])
    expect(JSON.stringify(summary).length).toBeLessThan(200_000)
  })
})
