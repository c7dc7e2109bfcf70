/** A gateway on a table in memory, and what harms the table. */
import { afterEach } from 'vitest'
import { readAvroFile, writeAvroFile } from '../../../../src/formats/avro/container.ts'
import { unlimited } from '../../../../src/formats/budget.ts'
import { parseJson, stringifyJson } from '../../../../src/formats/json.ts'
import type { Value } from '../../../../src/formats/number.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../../src/tables/files.ts'
import { importFiles } from '../../../../src/tables/import/import-files.ts'
import { createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { calm, place } from '../../tables/a-table.ts'
import { put, putHour } from '../../tables/parquet-files.ts'

export const { path } = place

export type Memory = ReturnType<typeof createMemoryFileSystem>
export type JsonObject = { [name: string]: Value }

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

export const toText = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

/** The file system, and the files of rows that were opened in it. */
export const watch = (fileSystem: Memory) => {
  const opened = new Set<string>()
  const watched: Memory = {
    ...fileSystem,
    open: (name, options) => {
      if (name.endsWith('.parquet')) opened.add(name.slice(path.length + 1))
      return fileSystem.open(name, options)
    },
  }
  return { fileSystem: watched, opened }
}

export const importAll = (fileSystem: Memory, at = place): Promise<unknown> => {
  const catalog = createDirectoryCatalog(fileSystem)
  return importFiles({ ...calm, fileSystem, catalog, place: at, dateColumn: 'eventDate', onProgress: () => {} })
}

/** A table of three hours in a snapshot each, with a file beside them that no snapshot has. */
export const createTable = async (): Promise<Memory> => {
  const fileSystem = createMemoryFileSystem()
  for (const hour of [8, 9, 10]) {
    await putHour(fileSystem, path, hour, hour)
    await importAll(fileSystem)
  }
  await putHour(fileSystem, path, 11, 11)
  return fileSystem
}

export const open = async (fileSystem: Memory): Promise<TestGateway> => {
  await gateway?.close()
  gateway = await createTestGateway({ fileSystem, settings: ['gateway.readers=0'] })
  return gateway
}

export const get = async (fileSystem: Memory, target: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await (await open(fileSystem)).call(target, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

export const getText = async (fileSystem: Memory, query = ''): Promise<string> => {
  const { status, text } = await get(fileSystem, `/rest/1.0/text?path=${path}&header=true${query}`)
  return status === 200 ? text.replaceAll('\r', '') : `${status} ${text}`
}

export type Listed = {
  readonly entries: readonly {
    readonly path: string
    readonly content: readonly JsonObject[]
    readonly error?: string
  }[]
}

export const getJson = async (fileSystem: Memory, query = '', at = path): Promise<Listed> =>
  JSON.parse((await get(fileSystem, `/rest/1.0/json?path=${at}${query}`)).text) as Listed

export const rowsOf = ({ entries }: Listed): JsonObject[] => entries.flatMap(({ content }) => content)

const overwrite = async (fileSystem: Memory, name: string, bytes: Uint8Array): Promise<void> => {
  await fileSystem.delete(name)
  await put(fileSystem, name, bytes)
}

/** Changes the current metadata. */
export const change = async (fileSystem: Memory, edit: (json: JsonObject) => void): Promise<void> => {
  const version = (await createDirectoryCatalog(fileSystem).load(path))?.version
  const name = `${path}/metadata/v${version}.metadata.json`
  const json = parseJson((await readFileWhole(fileSystem, name, 1e6)).toString('utf8')) as JsonObject
  edit(json)
  await overwrite(fileSystem, name, Buffer.from(stringifyJson(json)))
}

/** Changes the records of the list of manifests, or of the manifests. */
export const changeRecords = async (
  fileSystem: Memory,
  of: 'list' | 'manifests',
  edit: (record: JsonObject, i: number) => JsonObject,
) => {
  const table = await createDirectoryCatalog(fileSystem).load(path)
  const toName = (uri: Value | undefined): string => toText(uri).replace('hdfs://somewhere:8020', '')
  const list = toName(table?.metadata.current?.manifestList)
  const rewrite = async (name: string, to: (record: JsonObject, i: number) => JsonObject): Promise<number> => {
    const { metadata, records } = readAvroFile(await readFileWhole(fileSystem, name, 1e6), unlimited)
    const schema = JSON.parse(metadata.get('avro.schema') ?? '') as { [name: string]: unknown }
    const own = [...metadata].filter(([key]) => !key.startsWith('avro.'))
    const bytes = writeAvroFile(
      schema,
      Object.fromEntries(own),
      records.map((record, i) => to(record as JsonObject, i)),
    )
    await overwrite(fileSystem, name, bytes)
    return bytes.length
  }
  if (of === 'list') return await rewrite(list, edit)
  const lengths: number[] = []
  const { records } = readAvroFile(await readFileWhole(fileSystem, list, 1e6), unlimited)
  for (const record of records) lengths.push(await rewrite(toName((record as JsonObject)['manifest_path']), edit))
  return await rewrite(list, (record, i) => ({ ...record, manifest_length: lengths[i] ?? 0 }))
}

export const editFile =
  (edit: (file: JsonObject) => JsonObject) =>
  (record: JsonObject): JsonObject => ({ ...record, data_file: edit(record['data_file'] as JsonObject) })
