import { type AsyncBuffer, parquetMetadataAsync } from 'hyparquet'
import { expect, test } from 'vitest'
import type { ColumnValue } from '../../../../src/formats/parquet/column-value.ts'
import { createParquetFile, ParquetMemory } from '../../../../src/formats/parquet/file-writer.ts'
import type { Kind, StructKind } from '../../../../src/formats/parquet/kind.ts'
import type { TableFile } from '../../../../src/formats/parquet/write/field-ids.ts'

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

const write = async (table?: TableFile, memory = new ParquetMemory()) => {
  const file = createParquetFile(columns, 'zstd', memory, table)
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

const table: TableFile = {
  uuid: '0f5f2f6e-6e0c-4a5e-8d0f-0c3f2b1a9d77',
  ids: new Map([
    ['text', { id: 3 }],
    ['n', { id: 1 }],
    ['at', { id: 2 }],
    ['tags', { id: 4, element: { id: 7 } }],
    ['user', { id: 5, members: new Map([['raw', { id: 6 }]]) }],
  ]),
}

test('a file of a table has the ids of its columns, elements and members, its UUID, and times in microseconds', async () => {
  const { schema, row_groups: groups, key_value_metadata: facts } = await write(table)
  expect(schema.map(({ name, field_id: id }) => [name, id])).toEqual([
    ['event', undefined],
    ['n', 1],
    ['at', 2],
    ['text', 3],
    ['tags', 4],
    ['list', undefined],
    ['element', 7],
    ['user', 5],
    ['raw', 6],
  ])
  expect(schema[2]).toMatchObject({
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  })
  expect(facts?.find(({ key }) => key === 'sluice.table')?.value).toBe(table.uuid)
  const times = groups.map(({ columns: chunks }) => chunks[1]?.meta_data?.statistics)
  const at = (ms: number): Date => new Date(ms)
  expect(times).toMatchObject([
    { min_value: at(1), max_value: at(3) },
    { min_value: at(4), max_value: at(4) },
  ])
})

test('memory that a file of a table was written in leaves the times of the next file as they are', async () => {
  const memory = new ParquetMemory()
  await write(table, memory)
  expect(await write(undefined, memory)).toEqual(await write())
})

test('a column that the table does not have is a mistake of the caller', async () => {
  const ids = new Map([...table.ids].filter(([name]) => name !== 'user'))
  await expect(write({ ...table, ids })).rejects.toThrow('The table has no column "user"')
})
