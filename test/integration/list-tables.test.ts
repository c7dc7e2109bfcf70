import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { parseJson } from '../../src/formats/json.ts'
import { appendFiles } from '../../src/tables/append.ts'
import { changeFields } from '../../src/tables/change-fields.ts'
import { createDirectoryCatalog } from '../../src/tables/directory-catalog.ts'
import { placeTable } from '../../src/tables/table-place.ts'
import { runCli } from '../suites/run-cli.ts'
import { aFile, calm, dateField } from '../unit/tables/a-table.ts'

/** A data directory with tables, each of one file. */
const makeTables = async (...names: readonly string[]): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-list-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const fileSystem = await createLocalFileSystem({ root: join(directory, 'fs') })
  const catalog = createDirectoryCatalog(fileSystem)
  for (const name of names) {
    const place = placeTable(fileSystem, `/events/${name}`)
    await changeFields({
      ...calm,
      catalog,
      place,
      toFields: table => (table ? undefined : { fields: [dateField], lastColumnId: 1 }),
      toNew: () => ({ dateField, properties: {} }),
    })
    const file = { ...aFile('one'), uri: `${place.location}/data/one.parquet` }
    await appendFiles({ ...calm, fileSystem, catalog, path: place.path, toAppend: async () => ({ files: [file] }) })
  }
  await fileSystem.close()
  return directory
}

/** Puts something else where a file of the metadata of a table is. */
const spoil = async (directory: string, table: string, name: RegExp): Promise<void> => {
  const metadata = join(directory, 'fs/events', table, 'metadata')
  const file =
    (await readdir(metadata))
      .filter(one => name.test(one))
      .sort()
      .at(-1) ?? ''
  await writeFile(join(metadata, file), 'no metadata')
}

test('`table list` names tables that cannot be read, with the reason, after the others', async () => {
  const directory = await makeTables('A', 'B', 'C', 'D')
  await spoil(directory, 'A', /\.metadata\.json$/)
  await spoil(directory, 'C', /^snap-.*\.avro$/)
  const list = (...words: string[]) => runCli(['table', 'list', ...words, '--set', `data.dir=${directory}`])
  const json = await list('--json')
  expect(json.code, json.stdout + json.stderr).toBe(1)
  expect(parseJson(json.stdout)).toMatchObject({
    tables: [
      { path: '/events/B', rows: 10, files: 1 },
      { path: '/events/D', rows: 10, files: 1 },
    ],
    broken: [
      { path: '/events/A', problem: expect.stringMatching(/\/events\/A\/metadata\/v2\.metadata\.json/) },
      { path: '/events/C', problem: expect.stringMatching(/expected an Avro file/) },
    ],
  })
  const text = await list()
  expect(text.code).toBe(1)
  expect(text.stdout).toMatch(/\/events\/B .*\n.*\/events\/D /)
  expect(text.stderr).toMatch(/\/events\/A: .*\n.*\/events\/C: .*\n.*2 tables cannot be read/)
})
