/** The column `_eventId` of tables: of types whose events have ids, where that is wanted. */
import { expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { eventIdText, kindDocs } from '../../../../src/formats/parquet/kind.ts'
import { readRows } from '../../../../src/spool/parquet/read-rows.ts'
import { toRefusedName } from '../../../../src/spool/refused.ts'
import { readFileWhole } from '../../../../src/tables/files.ts'
import { toTablePath } from '../../../../src/tables/table-place.ts'
import { listTree } from '../../../foreign/store.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, thriftBatch } from '../../../suites/spool.ts'
import { storeOf } from '../../../suites/store-of.ts'
import { readParquet, readTable } from '../../compaction/table-rows.ts'
import { openIdCollector, textOf, withIds } from './id-collector.ts'

/** By the value of `n`: the id and what has no column, of a table's rows. */
const readIds = async (fileSystem: FileSystem, name = 'Hello') => {
  const { files } = await readTable(fileSystem, `/events/${name}`)
  const rows = files.flatMap(({ names, rows }) => {
    const of = (row: readonly Value[], column: string): Value | undefined =>
      names.includes(column) ? row[names.indexOf(column)] : undefined
    return rows.map(row => [Number(of(row, 'n')), of(row, '_eventId'), of(row, '_extra')] as const)
  })
  return rows.sort(([a], [b]) => a - b)
}

const columnsOf = async (fileSystem: FileSystem, name = 'Hello') =>
  (await readTable(fileSystem, `/events/${name}`)).table.metadata.schema.fields.flatMap(field =>
    field.name.toLowerCase() === '_eventid' ? [field] : [],
  )

const [on, off] = [{ eventIdColumn: true }, { eventIdColumn: false }]

test('a table has the ids of its events, and only one whose type has ids gets the column', async () => {
  const fileSystem = createMemoryFileSystem()
  const keep = await openIdCollector(fileSystem, on)
  await keep(
    withIds(jsonBatch([{ n: 1 }, { n: 2 }, { n: 3, late: 'x' }]), 7, 0, 8),
    jsonBatch([{ n: 4 }]),
    jsonBatch([{ n: 1 }], { name: 'Other' }),
    withIds(jsonBatch([{ n: 2 }], { name: 'Other' }), 0),
  )
  const first = [
    [1, textOf(7), null],
    [2, null, null],
    [3, textOf(8), null],
    [4, null, null],
  ]
  expect(await readIds(fileSystem)).toEqual(first)
  expect(textOf(7)).toMatch(eventIdText)
  expect(await columnsOf(fileSystem)).toMatchObject([{ name: '_eventId', type: 'string', doc: kindDocs.id }])
  expect(await columnsOf(fileSystem, 'Other')).toEqual([])
  // Payloads that are objects by now have them, too, and so have those of other collectors.
  const other = await openIdCollector(fileSystem, on)
  await other(withIds(jsonBatch([{ n: 5, ä: '\u0007' }]), 9), withIds(thriftBatch('t'), 10))
  const ids = (await readIds(fileSystem)).map(([, id]) => id)
  expect(ids).toHaveLength(6)
  expect(new Set(ids)).toEqual(new Set([...[7, 8, 9, 10].map(textOf), null]))
})

test('what a sender has under that name stays what the sender sent', async () => {
  const fileSystem = createMemoryFileSystem()
  const keep = await openIdCollector(fileSystem, on)
  await keep(
    withIds(jsonBatch([{ n: 1, _eventId: 'mine' }, { n: 3 }]), 7, 8),
    jsonBatch([{ n: 2, _eventId: textOf(7) }]),
  )
  expect(await readIds(fileSystem)).toEqual([
    [1, textOf(7), '{"_eventId":"mine"}'],
    [2, null, `{"_eventId":"${textOf(7)}"}`],
    [3, textOf(8), null],
  ])
  // It has no column that it could not fit.
  expect(keep.misfits()).toBe(0)
  const { table, live } = await readTable(fileSystem, '/events/Hello')
  const payloads = []
  for (const { uri } of live)
    for await (const { payload } of readRows(await readFileWhole(fileSystem, toTablePath(table.place, uri), 1e9)))
      payloads.push(payload['_eventId'])
  expect(payloads).toEqual(['mine', undefined, textOf(7)])
})

test('files of refused events, which are of no table, have no such column', async () => {
  const fileSystem = createMemoryFileSystem()
  const keep = await openIdCollector(fileSystem, on)
  await keep(withIds(jsonBatch([{ n: 1 }], { name: toRefusedName('Hello') }), 7))
  const store = storeOf(fileSystem)
  const paths = await listTree(store, '/events')
  expect(paths).toHaveLength(1)
  for (const path of paths) {
    const { names } = await readParquet(await store.read(path))
    expect(names).toContain('eventName')
    expect(names).not.toContain('_eventId')
  }
})

test('the name is kept free for a type whose events have no ids yet', async () => {
  const fileSystem = createMemoryFileSystem()
  const keep = await openIdCollector(fileSystem, on)
  await keep(jsonBatch([{ n: 1, _eventId: 'mine' }]))
  expect(await columnsOf(fileSystem)).toEqual([])
  await keep(withIds(jsonBatch([{ n: 2 }]), 7))
  expect(await readIds(fileSystem)).toEqual([
    [1, undefined, '{"_eventId":"mine"}'],
    [2, textOf(7), null],
  ])
})

test('without the setting no table gets it, and senders may have a column of that name, for good', async () => {
  const fileSystem = createMemoryFileSystem()
  const keep = await openIdCollector(fileSystem, off)
  await keep(withIds(jsonBatch([{ n: 1, _eventId: 'mine' }]), 7))
  expect(await readIds(fileSystem)).toEqual([[1, 'mine', null]])
  const later = await openIdCollector(fileSystem, on)
  await later(withIds(jsonBatch([{ n: 2, _eventId: 'mine' }]), 8))
  expect(await readIds(fileSystem)).toEqual([
    [1, 'mine', null],
    [2, 'mine', null],
  ])
  expect(await columnsOf(fileSystem)).toMatchObject([{ name: '_eventId', type: 'string' }])
  expect((await columnsOf(fileSystem))[0]?.doc).toBeUndefined()
})

test('the same where a column differs from it in case alone', async () => {
  const fileSystem = createMemoryFileSystem()
  await (await openIdCollector(fileSystem, off))(jsonBatch([{ n: 1, _EVENTID: 5 }]))
  await (await openIdCollector(fileSystem, on))(withIds(jsonBatch([{ n: 2 }]), 8))
  expect((await columnsOf(fileSystem)).map(({ name }) => name)).toEqual(['_EVENTID'])
  expect((await readIds(fileSystem)).map(([, id]) => id)).toEqual([undefined, undefined])
})

test('a table that has it keeps it where the setting is off by now: ids of later events are null', async () => {
  const fileSystem = createMemoryFileSystem()
  await (await openIdCollector(fileSystem, on))(withIds(jsonBatch([{ n: 1 }]), 7))
  await (await openIdCollector(fileSystem, off))(withIds(jsonBatch([{ n: 2, _eventId: 'mine' }]), 8))
  expect(await readIds(fileSystem)).toEqual([
    [1, textOf(7), null],
    [2, null, '{"_eventId":"mine"}'],
  ])
})
