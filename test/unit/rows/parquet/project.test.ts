/** Parquet files as files of a table: columns by their ids. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Float64, type Value } from '../../../../src/formats/number.ts'
import { createParquetFile, ParquetMemory } from '../../../../src/formats/parquet/file-writer.ts'
import type { Kind } from '../../../../src/formats/parquet/kind.ts'
import { createOpenRows } from '../../../../src/rows/create-open-rows.ts'
import type { ProjectedColumn, Projection } from '../../../../src/rows/projection.ts'
import type { Wanted } from '../../../../src/rows/reading.ts'
import { toRow } from '../../../../src/rows/row.ts'
import { parseWhere } from '../../../../src/rows/where/where.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

const read = async (
  bytes: Uint8Array,
  projection: Projection,
  wanted: Wanted = {},
): Promise<{ [name: string]: Value }[]> => {
  const fileSystem = createMemoryFileSystem()
  async function* whole() {
    yield bytes
  }
  await fileSystem.publish('/f', whole())
  const status = await fileSystem.getFileStatus('/f')
  const registrar = {} as Parameters<ReturnType<typeof createOpenRows>>[0]['registrar']
  const reading = await createOpenRows()({
    fileSystem,
    status,
    registrar,
    serializers: [],
    wanted: { ...wanted, projection },
  })
  const rows: { [name: string]: Value }[] = []
  for await (const batch of reading.batches)
    for (const { names, values } of batch.rows)
      rows.push(Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])))
  return rows
}

const fixture = (name: string): Buffer => readFileSync(`test/fixtures/rows/${name}.parquet`)
const column = (id: number, name: string, type: ProjectedColumn['type']): ProjectedColumn => ({ id, name, type })

/** A file with ids: a text, a struct, and a list of structs. */
const withIds = (): Uint8Array => {
  const columns = new Map<string, Kind>([
    ['a', 'text'],
    [
      's',
      {
        struct: new Map([
          ['x', 'integer'],
          ['y', 'text'],
        ]),
      },
    ],
    ['l', { list: { struct: new Map([['z', 'integer']]) } }],
  ])
  const ids = new Map([
    ['a', { id: 1 }],
    [
      's',
      {
        id: 2,
        members: new Map([
          ['x', { id: 3 }],
          ['y', { id: 4 }],
        ]),
      },
    ],
    ['l', { id: 5, element: { id: 6, members: new Map([['z', { id: 7 }]]) } }],
  ])
  const file = createParquetFile({ struct: columns }, 'zstd', new ParquetMemory(), { ids, uuid: 'u' })
  const group = file.openGroup()
  for (const row of [
    ['text', { x: 1, y: 'one' }, [{ z: 1 }, { z: 2 }]],
    [null, null, null],
  ]) {
    for (const [i, value] of row.entries()) group.set(i, value)
    group.endRow()
  }
  file.writeGroup(group)
  return file.finish()
}

test('columns and members are found by their ids, in the order of the table; what is gone is left out', async () => {
  const columns = [
    column(5, 'a', {
      kind: 'list',
      element: { kind: 'struct', fields: [column(8, 'new', 'long'), column(7, 'was z', 'long')] },
    }),
    column(2, 'was s', { kind: 'struct', fields: [column(4, 'x', 'string'), column(9, 'new', 'string')] }),
    column(10, 'new', 'string'),
  ]
  const [first, second] = await read(withIds(), { columns })
  expect(first).toEqual({
    a: [
      { new: null, 'was z': 1 },
      { new: null, 'was z': 2 },
    ],
    'was s': { x: 'one', new: null },
    new: null,
  })
  expect(Object.keys(first ?? {})).toEqual(['a', 'was s', 'new'])
  expect(second).toEqual({ a: null, 'was s': null, new: null })
})

test('names of a mapping count for files without ids, and for no others', async () => {
  const columns = [
    column(1, 'number', 'long'),
    column(2, 'at', { kind: 'struct', fields: [column(3, 'town', 'string')] }),
  ]
  const mapping = [
    { id: 1, names: ['other', 'id'], within: [] },
    { id: 2, names: ['place'], within: [{ id: 3, names: ['city'], within: [] }] },
  ]
  const rows = await read(fixture('kinds'), { columns, mapping })
  const plain = await read(fixture('kinds'), {
    columns: [column(1, 'id', 'long'), column(2, 'place', { kind: 'struct', fields: [column(3, 'city', 'string')] })],
  })
  expect(rows).toEqual(
    plain.map(({ id, place }) => ({
      number: id,
      at: place === null || place === undefined ? null : { town: (place as { city: Value }).city },
    })),
  )
  expect(rows.some(({ at }) => at !== null)).toBe(true)
  expect(
    await read(withIds(), { columns: [column(9, 'a', 'string')], mapping: [{ id: 9, names: ['a'], within: [] }] }),
  ).toEqual([{ a: null }, { a: null }])
})

test('floats are the doubles that they were, where the table has become wider', async () => {
  const rows = await read(fixture('types'), { columns: [column(1, 'f', 'double')] })
  expect(rows.slice(0, 3).every(({ f }) => f === null || typeof f === 'number' || f instanceof Float64)).toBe(true)
  expect(rows[0]).toEqual({ f: 0.5 })
})

test('bounds of floats do not rule out the doubles that they have become', async () => {
  const all = await read(fixture('types'), { columns: [column(1, 'f', 'double')] })
  for (const text of ['f > 0.5', 'f <= 0.5', 'f = 0.5']) {
    const where = parseWhere(text)
    const found = await read(fixture('types'), { columns: [column(1, 'f', 'double')] }, { where: parseWhere(text) })
    const matching = (rows: typeof all) => rows.filter(row => where.matches(toRow(row)))
    expect(matching(found)).toEqual(matching(all))
  }
})

test.each<[string, Wanted, { [name: string]: Value }]>([
  ['all', {}, { new: null, a: 'text', b: null }],
  ['one', { columns: ['a'] }, { a: 'text' }],
  ['none that the file has', { columns: ['b'] }, { b: null }],
  ['the first', { mostColumns: 1 }, { new: null }],
  ['one, and another is looked at', { columns: ['a'], where: parseWhere('b = null') }, { a: 'text', b: null }],
  ['some that nobody knows', { columns: ['nothing'] }, {}],
])('of the columns of the table those that are wanted: %s', async (_, wanted, first) => {
  const columns = [column(10, 'new', 'long'), column(1, 'a', 'string'), column(11, 'b', 'string')]
  expect((await read(withIds(), { columns }, wanted))[0]).toEqual(first)
})

test('a column that is made otherwise than that of the table is named', async () => {
  await expect(read(withIds(), { columns: [column(2, 's', 'long')] })).rejects.toThrow(
    'expected a leaf in column "s", as the table has it, found a struct',
  )
  await expect(read(Buffer.from('a,b\n1,2\n'), { columns: [column(2, 's', 'long')] })).rejects.toThrow('parquet')
})
