/** Files of a compaction may go where one could replace another: but only where a catalog takes one change at a time. */
import { expect, test } from 'vitest'
import { compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import type { Catalog } from '../../../src/tables/catalog.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { importFiles } from '../../../src/tables/import/import-files.ts'
import { placeTable } from '../../../src/tables/table-place.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { putHour } from '../tables/parquet-files.ts'
import { always, nextDay, toCompactOptions } from './table-rows.ts'

const place = placeTable({ url: 'hdfs://somewhere:8020' }, '/events/Order')

/** As a service loads tables: without a version. */
const asService = (directories: Catalog): Catalog => ({
  load: async path => {
    const table = await directories.load(path)
    return table && { ...table, version: undefined }
  },
  commit: async (base, next) => await directories.commit((await directories.load(place.path)) ?? base, next),
})

test.for([true, false])('a service: %s', async isService => {
  const memory = createMemoryFileSystem()
  for (const number of [1, 2]) await putHour(memory, place.path, 8, number)
  const directories = createDirectoryCatalog(memory)
  const how = { dateColumn: 'eventDate', onProgress: () => {} }
  await importFiles({ ...nextDay, ...how, fileSystem: memory, catalog: directories, place })
  const written = new Map<string, boolean>()
  const fileSystem: FileSystem = {
    ...memory,
    publish: async (path, source, options) => {
      written.set(baseName(path), options?.isUnique ?? false)
      return await memory.publish(path, source, options)
    },
  }
  const catalog = isService ? asService(directories) : directories
  const options = toCompactOptions(fileSystem, { catalog })
  const table = await catalog.load(place.path)
  if (!table) throw new Error('there is no table')
  const { hours } = await planCompaction(fileSystem, table, { ...always, targetBytes: options.targetBytes })
  for (const hour of hours) expect(await compactHour(options, table, hour)).toMatchObject({ filesAfter: 1 })
  const files = [...written].filter(([name]) => /\.(?:avro|parquet)$/.test(name))
  expect(new Set(files.map(([name]) => name.replace(/.*\./, '')))).toEqual(new Set(['avro', 'parquet']))
  expect(new Set(files.map(([, isUnique]) => isUnique))).toEqual(new Set([isService]))
})
