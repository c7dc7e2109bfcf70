/** Fields of partitions whose names Avro does not have. */
import { expect, test } from 'vitest'
import { appendFiles } from '../../../src/tables/append.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import type { Json } from '../../../src/tables/members.ts'
import { toAvroName } from '../../../src/tables/partition-record.ts'
import { readSnapshotFiles } from '../../../src/tables/snapshot-files.ts'
import { countPartitions } from '../../../src/tables/view/partitions.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, calm, makeTable, place } from './a-table.ts'

test.each([
  ['eventDate_hour', 'eventDate_hour'],
  ['event day', 'event_x20day'],
  ['1st', '_1st'],
  ['a-b.c', 'a_x2Db_x2Ec'],
  ['ø', '_xF8'],
])('%s is %s', (name, expected) => {
  expect(toAvroName(name)).toBe(expected)
})

test('are found by their ids, in manifests that are written, read and merged', async () => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  const made = await catalog.load(place.path)
  if (!made) throw new Error('expected a table')
  const field: Json = { 'source-id': 1, 'field-id': 1000, name: '1st event-hour', transform: 'hour' }
  await catalog.commit(made, { ...made.metadata.json, 'partition-specs': [{ 'spec-id': 0, fields: [{ ...field }] }] })
  for (let hour = 0; hour < 105; hour++) {
    const toAppend = async () => ({ files: [aFile(`f${hour}`, hour)] })
    await appendFiles({ ...calm, catalog, fileSystem, path: place.path, toAppend })
  }
  const table = await catalog.load(place.path)
  if (!table) throw new Error('expected a table')
  const files = readSnapshotFiles(fileSystem, table.place)
  const manifests = await files.manifests(table.metadata.current)
  expect(manifests.length).toBeLessThan(100)
  const options = { table, manifests, read: files.entries, isOver: () => false, most: 2 }
  expect(await countPartitions(options)).toMatchObject({
    count: 105,
    shown: [{ name: '1970-01-05T08:00Z', files: 1 }, { name: '1970-01-05T07:00Z' }],
  })
  for (const { uri } of manifests) {
    const bytes = await readFileWhole(fileSystem, `/events${uri.split('/events')[1]}`, 1e6)
    expect(bytes.includes('"name":"_1st_x20event_x2Dhour"')).toBe(true)
  }
})
