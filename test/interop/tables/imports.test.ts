/** Imports into a table that pyiceberg reads, and changes in between. */
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import type { Kind } from '../../../src/formats/parquet/kind.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { importFiles } from '../../../src/tables/import/import-files.ts'
import { placeTable } from '../../../src/tables/table-place.ts'
import { cleanUp, createDirectory } from '../../integration/process/child.ts'
import { describePart } from '../../suites/describe-part.ts'
import { calm } from '../../unit/tables/a-table.ts'
import { atHour, parquetBytes, put, putHour } from '../../unit/tables/parquet-files.ts'
import { missing, runScript } from './run-script.ts'

afterAll(cleanUp)

const path = '/events/Order'

const open = async () => {
  const root = createDirectory()
  const fileSystem = await createLocalFileSystem({ root })
  return { fileSystem, table: join(root, path) }
}

const runImport = (fileSystem: FileSystem) =>
  importFiles({
    ...calm,
    now: Date.now,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    place: placeTable(fileSystem, path),
    dateColumn: 'eventDate',
    onProgress: () => {},
  })

describePart('readers', missing, 'sluice table import and pyiceberg', () => {
  test('rows come once, also where it puts files together and forgets the snapshots that had them', async () => {
    const { fileSystem, table } = await open()
    const idsAfter = async (...works: readonly string[]) => JSON.parse(await runScript('compact.py', table, ...works))
    for (const hour of [8, 9]) await putHour(fileSystem, path, hour, hour)
    expect(await runImport(fileSystem)).toMatchObject({ files: 2 })
    expect(await idsAfter('compact')).toEqual([8, 8, 9, 9])
    expect(await runImport(fileSystem)).toMatchObject({ files: 0, known: 2, left: [] })
    await putHour(fileSystem, path, 10, 10)
    expect(await runImport(fileSystem)).toMatchObject({ files: 1, known: 2 })
    expect(await idsAfter('compact', 'forget')).toEqual([8, 8, 9, 9, 10, 10])
    expect(await runImport(fileSystem)).toMatchObject({ files: 0, known: 0, left: [{}, {}, {}] })
    await putHour(fileSystem, path, 11, 11)
    expect(await runImport(fileSystem)).toMatchObject({ files: 1, left: [{}, {}, {}] })
    expect(await idsAfter()).toEqual([8, 8, 9, 9, 10, 10, 11, 11])
  })

  test('the table stays readable where files have a column "a.b" and a struct "a" with a member "b"', async () => {
    const { fileSystem, table } = await open()
    const columns: Readonly<Record<string, Kind>> = { eventDate: 'timestamp', id: 'integer' }
    const struct = { struct: new Map<string, Kind>([['b', 'text']]) }
    await put(fileSystem, `${path}/1.parquet`, parquetBytes([[atHour(8), 1, { b: 'x' }]], { ...columns, a: struct }))
    await put(fileSystem, `${path}/2.parquet`, parquetBytes([[atHour(8), 2, 'x']], { ...columns, 'a.b': 'text' }))
    expect(await runImport(fileSystem)).toMatchObject({
      files: 1,
      left: [{ path: `${path}/2.parquet`, reason: expect.stringContaining('"a.b"') }],
    })
    expect(JSON.parse(await runScript('compact.py', table))).toEqual([1])
  })
})
