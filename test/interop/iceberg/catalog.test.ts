/** Iceberg's REST catalog of the gateway, by the clients that people have. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { toParquetFile } from '../../../src/formats/parquet/file.ts'
import { createToken } from '../../../src/http/auth/auth.ts'
import { hashToken } from '../../../src/http/auth/token-callers.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import { changeFields } from '../../../src/tables/change-fields.ts'
import { describeFile } from '../../../src/tables/data-file.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import type { TableField } from '../../../src/tables/schema.ts'
import { placeTable } from '../../../src/tables/table-place.ts'
import { cleanUp, createDirectory, start } from '../../integration/process/child.ts'
import { describePart } from '../../suites/describe-part.ts'
import { calm, dateField } from '../../unit/tables/a-table.ts'
import { makePythonEnvironment } from '../python-environment.ts'

const run = promisify(execFile)
const scripts = resolve('test/interop/iceberg/python')
const environment = await makePythonEnvironment('tables', resolve('test/interop/tables/python/requirements.txt'))
const missing = 'missing' in environment ? environment.missing : undefined
const python = 'python' in environment ? environment.python : ''

const directory = createDirectory()
const root = join(directory, 'fs')
const token = createToken()
const fields: readonly TableField[] = [
  dateField,
  { id: 2, name: 'id', isRequired: false, type: 'long' },
  { id: 3, name: 'user', isRequired: false, type: 'string' },
]
const total = Array.from({ length: 3_000 }, (_, i) => 9_007_199_254_740_993n + BigInt(i)).reduce((sum, id) => sum + id)
let url = ''

afterAll(cleanUp)

/** A table of a file an hour, each in a snapshot of its own. @param at the URL of the file system, as its metadata has it */
const writeTable = async (at: string, name: string): Promise<void> => {
  const fileSystem = await createLocalFileSystem({ root })
  const catalog = createDirectoryCatalog(fileSystem)
  const place = placeTable({ url: at }, `/${name}/Order`)
  const toFields = (table: unknown) => (table ? undefined : { fields, lastColumnId: 3 })
  await changeFields({ ...calm, catalog, place, toFields, toNew: () => ({ dateField, properties: {} }) })
  const data = join(root, place.path, 'data')
  mkdirSync(data, { recursive: true })
  await run(python, [join(scripts, 'write_files.py'), data])
  for (const hour of [0, 1, 2]) {
    const bytes = readFileSync(join(data, `${hour}.parquet`))
    const file = toParquetFile(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length))
    const uri = `${place.location}/data/${hour}.parquet`
    const described = await describeFile(file, { uri, fields, dateId: 1 })
    const toAppend = async () => ({ files: [described] })
    await appendFiles({ ...calm, catalog, fileSystem, path: place.path, toAppend })
  }
}

const startServer = async (): Promise<string> => {
  writeFileSync(join(directory, 'tokens'), `reader read sha256:${hashToken(token)}\n`)
  const server = start(process.execPath, [resolve('src/main.ts')], {
    env: { SLUICE_SERVICES: 'gateway', SLUICE_DATA_DIR: directory, SLUICE_AUTH_TOKENS: join(directory, 'tokens') },
  })
  return String((await server.logged('sluice is ready'))['server'])
}

const read = async (program: string, warehouse: string, namespace: string): Promise<unknown> => {
  const { stdout } = await run(python, [join(scripts, 'read_table.py'), program, url, warehouse, token, namespace])
  return JSON.parse(stdout)
}

describePart('python-clients', missing, 'the catalog of tables', () => {
  beforeAll(async () => {
    mkdirSync(root)
    // Nothing that the metadata names can be reached but by the gateway.
    await writeTable('hdfs://nowhere.invalid:8020', 'events')
    await writeTable(`file://${root}`, 'near')
    url = await startServer()
  })

  test.each([
    ['gateway', 'events'],
    // By where its files are.
    ['sluice', 'near'],
  ])('leads DuckDB to every row, as the warehouse %s', async (warehouse, namespace) => {
    expect(await read('DuckDB', warehouse, namespace)).toEqual({
      tables: ['events.Order', 'near.Order'],
      rows: 3_000,
      sum: String(total),
      late: 1_000,
    })
  })

  test.each([
    ['gateway', 'events'],
    ['sluice', 'near'],
  ])('leads pyiceberg to every row, as the warehouse %s', async (warehouse, namespace) => {
    expect(await read('pyiceberg', warehouse, namespace)).toEqual({
      namespaces: ['events', 'near'],
      tables: [`${namespace}.Order`],
      there: [true, false, true],
      missing: ['NoSuchTableError', 'NoSuchNamespaceError', 'NotImplementedError'],
      files: 1,
      rows: 3_000,
      sum: String(total),
    })
  })
})
