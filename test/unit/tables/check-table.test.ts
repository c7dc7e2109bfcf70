import { expect, test } from 'vitest'
import { appendFiles } from '../../../src/tables/append.ts'
import { checkTable } from '../../../src/tables/check-table.ts'
import type { DataFile } from '../../../src/tables/data-file.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, calm, makeTable, place } from './a-table.ts'
import { put } from './parquet-files.ts'

const build = async (files: readonly DataFile[], lengths: Readonly<Record<string, number>>) => {
  const fileSystem = createMemoryFileSystem()
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const [name, length] of Object.entries(lengths))
    await put(fileSystem, `${place.path}/${name}`, new Uint8Array(length))
  await appendFiles({ ...calm, fileSystem, catalog, path: place.path, toAppend: async () => ({ files }) })
  const table = await catalog.load(place.path)
  if (!table) throw new Error('there is no table')
  return { fileSystem, table, check: () => checkTable(fileSystem, table, () => {}) }
}

test('a table of which each file is there, once', async () => {
  const { check } = await build([aFile('a'), aFile('b')], { 'data/a.parquet': 1_000, 'data/b.parquet': 1_000 })
  expect(await check()).toEqual({ manifests: 1, files: 2, rows: 20, bytes: 2_000, findings: [] })
})

test.each<[string, readonly DataFile[], Readonly<Record<string, number>>, string]>([
  ['missing', [aFile('a')], {}, 'it is not there'],
  ['short', [aFile('a')], { 'data/a.parquet': 999 }, 'it has 999 bytes, and 1000 in the table'],
  ['twice', [aFile('a'), aFile('a')], { 'data/a.parquet': 1_000 }, 'it is in the table more than once'],
])('a file that is %s', async (_, files, lengths, detail) => {
  const { check } = await build(files, lengths)
  const { findings } = await check()
  expect(findings).toEqual([{ level: 'problem', file: `${place.path}/data/a.parquet`, detail }])
})

test('a file elsewhere is not looked for, and a damaged manifest is named', async () => {
  const uri = 'hdfs://somewhere:8020/other/a.parquet'
  const { check, fileSystem, table } = await build([{ ...aFile('a'), uri }], {})
  expect((await check()).findings).toEqual([{ level: 'problem', file: uri, detail: expect.stringMatching(/outside/) }])
  for await (const part of fileSystem.listStatus(`${table.place.path}/metadata`))
    for (const { path } of part) if (path.endsWith('-m0.avro')) await fileSystem.delete(path)
  expect((await check()).findings).toEqual([
    { level: 'problem', file: expect.stringMatching(/-m0\.avro$/), detail: expect.stringMatching(/cannot be read/) },
  ])
})

test('a Parquet file that is not in it is noted', async () => {
  const { check } = await build([aFile('a')], { 'data/a.parquet': 1_000, 'dt=1/b.parquet': 1 })
  expect((await check()).findings).toEqual([
    { level: 'note', file: `${place.path}/dt=1/b.parquet`, detail: 'it is not in the current snapshot' },
  ])
})
