import { type AsyncBuffer, parquetMetadataAsync } from 'hyparquet'
import { expect, test } from 'vitest'
import type { ColumnValue } from '../../../../src/formats/parquet/column-value.ts'
import { createParquetFile, ParquetMemory } from '../../../../src/formats/parquet/file-writer.ts'
import type { Kind, StructKind } from '../../../../src/formats/parquet/kind.ts'

const columns: StructKind = {
  struct: new Map<string, Kind>([
    ['n', 'integer'],
    ['at', 'timestamp'],
    ['text', 'text'],
    ['tags', { list: 'json' }],
    ['user', { struct: new Map<string, Kind>([['raw', 'bytes']]) }],
  ]),
}

/** Rows of two row groups; undefined is a column that is not set. */
const groups: readonly (readonly (ColumnValue | undefined)[])[][] = [
  [
    [1, 1, 'a', ['1'], { raw: null }],
    [null, 2, 'b', [], null],
    [-5, 3, undefined, null, {}],
  ],
  [[7, 4, 'c', undefined, undefined]],
]

const write = async () => {
  const file = createParquetFile(columns, 'zstd', new ParquetMemory())
  for (const rows of groups) {
    const group = file.openGroup()
    for (const row of rows) {
      for (const [column, value] of row.entries()) if (value !== undefined) group.set(column, value)
      group.endRow()
    }
    file.writeGroup(group)
  }
  const bytes = file.finish()
  const buffer: AsyncBuffer = {
    byteLength: bytes.length,
    slice: async (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
  }
  return await parquetMetadataAsync(buffer)
}

test('columns are of the types that every reader knows: times in UTC, text as such, lists in three levels', async () => {
  const { schema } = await write()
  expect(schema.map(({ name }) => name)).toEqual(['event', 'n', 'at', 'text', 'tags', 'list', 'element', 'user', 'raw'])
  expect(schema).toMatchObject([
    { num_children: 5 },
    { type: 'INT64', repetition_type: 'OPTIONAL' },
    {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    { converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
    { repetition_type: 'REPEATED', num_children: 1 },
    { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { num_children: 1, repetition_type: 'OPTIONAL' },
    { type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
  ])
  expect(schema.at(-1)).not.toHaveProperty('converted_type', expect.anything())
})

test('each row group tells the least and the most of its numbers and times, and how many are null', async () => {
  const { row_groups: groups } = await write()
  const statistics = groups.map(({ columns: chunks }) => chunks.slice(0, 3).map(chunk => chunk.meta_data?.statistics))
  expect(statistics).toMatchObject([
    [{ min_value: -5n, max_value: 1n, null_count: 1n }, { null_count: 0n }, { null_count: 1n }],
    [{ min_value: 7n, max_value: 7n, null_count: 0n }, { null_count: 0n }, { null_count: 0n }],
  ])
})
