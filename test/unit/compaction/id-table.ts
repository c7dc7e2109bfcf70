/** A table whose rows have ids of events: files as the collector writes them, and as others do. */
import { createHash } from 'node:crypto'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { ColumnValue } from '../../../src/formats/parquet/column-value.ts'
import { toParquetFile } from '../../../src/formats/parquet/file.ts'
import { createParquetFile, ParquetMemory } from '../../../src/formats/parquet/file-writer.ts'
import { type Kind, kindDocs, kindsKey } from '../../../src/formats/parquet/kind.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import type { Catalog } from '../../../src/tables/catalog.ts'
import { changeFields } from '../../../src/tables/change-fields.ts'
import { type DataFile, describeFile } from '../../../src/tables/data-file.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import type { TableField } from '../../../src/tables/schema.ts'
import { placeTable, toUri } from '../../../src/tables/table-place.ts'
import { dateField } from '../tables/a-table.ts'
import { atHour, put } from '../tables/parquet-files.ts'
import { nextDay, readTable, toText } from './table-rows.ts'

export const place = placeTable({ url: 'hdfs://somewhere:8020' }, '/events/Order')

/** As the collector makes them: text of 16 bytes. */
export const toId = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')

/** An event: its date in ms after a quarter past the hour, its id, and its payload. */
export type Row = readonly [at: number, id: string | null, n: number]

const columns: Readonly<Record<string, Kind>> = { eventDate: 'timestamp', _eventId: 'id', n: 'integer' }
const memory = new ParquetMemory()

const idField: TableField = { id: 2, name: '_eventId', isRequired: false, type: 'string', doc: kindDocs.id }

/** Makes the table where it is not there. */
export const makeIdTable = async (catalog: Catalog, field = idField): Promise<void> => {
  const fields: readonly TableField[] = [dateField, field, { id: 3, name: 'n', isRequired: false, type: 'long' }]
  await changeFields({
    ...nextDay,
    catalog,
    place,
    toFields: table => (table ? undefined : { fields, lastColumnId: 3 }),
    toNew: () => ({ dateField, properties: {} }),
  })
}

export type FileOptions = {
  readonly hour?: number
  /** Whether another program wrote it. */
  readonly isForeign?: boolean
  /** Without ids. */
  readonly isWithoutIds?: boolean
  readonly rowsOfGroup?: number
}

export const idFileBytes = (
  uuid: string,
  rows: readonly Row[],
  { hour = 8, isForeign = false, isWithoutIds = false, rowsOfGroup = 1e9 }: FileOptions = {},
): Uint8Array => {
  const struct = new Map(Object.entries(columns))
  if (isWithoutIds) struct.delete('_eventId')
  const ids = new Map([...struct.keys()].map(name => [name, { id: Object.keys(columns).indexOf(name) + 1 }]))
  const file = createParquetFile({ struct }, 'zstd', memory, { uuid, ids, sortedBy: 'eventDate' })
  const sorted = rows.toSorted((a, b) => a[0] - b[0])
  for (let at = 0; at < sorted.length; at += rowsOfGroup) {
    const group = file.openGroup()
    for (const [date, id, n] of sorted.slice(at, at + rowsOfGroup)) {
      const values: ColumnValue[] = isWithoutIds ? [atHour(hour) + date, n] : [atHour(hour) + date, id, n]
      for (const [i, value] of values.entries()) group.set(i, value)
      group.endRow()
    }
    file.writeGroup(group)
  }
  const bytes = Buffer.from(file.finish())
  // Of another length than any key of ours would need.
  if (isForeign) bytes.write('x', bytes.lastIndexOf(kindsKey))
  return bytes
}

/** Writes a file of the table. @returns what the table has to know of it */
export const writeIdFile = async (
  fileSystem: FileSystem,
  name: string,
  rows: readonly Row[],
  options: FileOptions = {},
): Promise<DataFile> => {
  const table = await createDirectoryCatalog(fileSystem).load(place.path)
  if (!table) throw new Error('there is no table')
  const bytes = idFileBytes(table.metadata.uuid, rows, options)
  await put(fileSystem, `${place.path}/${name}`, bytes)
  const read = async (offset: number, length: number) => Buffer.from(bytes.subarray(offset, offset + length))
  const { fields } = table.metadata.schema
  return await describeFile(toParquetFile(bytes.length, read), {
    uri: toUri(place, name),
    fields,
    dateId: dateField.id,
  })
}

export const appendData = async (fileSystem: FileSystem, files: readonly DataFile[]): Promise<void> => {
  await appendFiles({
    ...nextDay,
    writer: 'c0ffee00'.repeat(4),
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path: place.path,
    toAppend: async () => ({ files }),
  })
}

/** Adds a file to the table, as a snapshot. */
export const addIdFile = async (
  fileSystem: FileSystem,
  name: string,
  rows: readonly Row[],
  options: FileOptions = {},
): Promise<void> => await appendData(fileSystem, [await writeIdFile(fileSystem, name, rows, options)])

/** The payloads that a reader finds. */
export const readPayloads = async (fileSystem: FileSystem): Promise<readonly number[]> => {
  const { files } = await readTable(fileSystem, place.path)
  return files
    .flatMap(({ names, rows }) => rows.map(row => Number(toText(row[names.indexOf('n')] ?? null))))
    .sort((a, b) => a - b)
}
