/** The rows of a table as a reader has them: of all files of its current snapshot, by its columns. */
import { tmpdir } from 'node:os'
import { findPageCodec } from '../../../src/codecs/parquet-pages.ts'
import type { CompactOptions } from '../../../src/compaction/compact-hour.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { Budget } from '../../../src/formats/budget.ts'
import { stringifyJson } from '../../../src/formats/json.ts'
import { isObject } from '../../../src/formats/members.ts'
import { Float32, Float64, isNumber, type Value } from '../../../src/formats/number.ts'
import { openColumns } from '../../../src/formats/parquet/columns.ts'
import { readFooter, toParquetFile } from '../../../src/formats/parquet/file.ts'
import { toLeafValues } from '../../../src/formats/parquet/leaf-values.ts'
import { PageMemory } from '../../../src/formats/parquet/pages/page-memory.ts'
import { toSchema } from '../../../src/formats/parquet/schema.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import { readLiveFiles } from '../../../src/tables/replace/live-files.ts'
import { readSnapshotFiles } from '../../../src/tables/snapshot-files.ts'
import { toTablePath } from '../../../src/tables/table-place.ts'

export type TableFileRows = {
  readonly uri: string
  readonly names: readonly string[]
  readonly rows: readonly (readonly Value[])[]
}

/** What every call needs, on the day after the events. */
export const nextDay = { now: () => Date.UTC(2026, 10, 23), pause: async () => {} }

/** Options of a compaction into one file for each hour, unless others are given. */
export const toCompactOptions = (fileSystem: FileSystem, others: Partial<CompactOptions>): CompactOptions => ({
  ...nextDay,
  fileSystem,
  catalog: createDirectoryCatalog(fileSystem),
  temporaryDirectory: tmpdir(),
  targetBytes: 512 * 1024 * 1024,
  onRows: () => {},
  ...others,
})

/** All hours. */
export const always = { from: -1e9, to: 1e9 }

export const readTable = async (fileSystem: FileSystem, path: string) => {
  const table = await createDirectoryCatalog(fileSystem).load(path)
  if (!table) throw new Error('there is no table')
  const live = await readLiveFiles(readSnapshotFiles(fileSystem, table.place), table, always)
  const files: TableFileRows[] = []
  for (const { uri } of live) {
    const bytes = await readFileWhole(fileSystem, toTablePath(table.place, uri), 1e9)
    files.push({ uri, ...(await readParquet(bytes)) })
  }
  const names = table.metadata.schema.fields.map(({ name }) => name)
  return { table, live, files, rows: toSorted(names, files) }
}

/** Rows as texts, in an order that is not that of the files; a column that a file lacks is null, and so is a member of a struct. */
const toSorted = (names: readonly string[], files: readonly TableFileRows[]): string[] =>
  files
    .flatMap(file => file.rows.map(row => names.map(name => row[file.names.indexOf(name)] ?? null)))
    .map(row => stringifyJson(row.map(toPlain)))
    // Of ms, and of µs.
    .map(row => row.replace(/(T[\d:]{8}\.\d{3})000Z/g, '$1Z'))
    .sort()

/** A few rows that two tables do not both have, as often. */
export const differ = (left: readonly string[], right: readonly string[]): string[] =>
  left.length === right.length
    ? left.flatMap((row, i) => (row === right[i] ? [] : [row, right[i] ?? ''])).slice(0, 4)
    : [`${left.length} rows and ${right.length}`]

/** Members that are null say what members that are missing say. */
const toPlain = (value: Value): Value => {
  if (typeof value === 'number' || value instanceof Float32 || value instanceof Float64)
    return Object.is(Number(value), -0) ? 'negative zero' : String(value)
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      // Each file has its own order.
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, toPlain(member ?? null)]),
  )
}

/** A value that is not nested; bytes in hexadecimal digits. */
export const toText = (value: Value): string => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || isNumber(value)) return String(value)
  throw new TypeError('expected a value that is not nested')
}

export const readParquet = async (bytes: Uint8Array): Promise<Omit<TableFileRows, 'uri'>> => {
  const file = toParquetFile(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length))
  const footer = await readFooter(file)
  const { columns } = toSchema(footer.schema)
  const rows: Value[][] = []
  const budget = new Budget('parquet')
  for (const [index, group] of footer.groups.entries()) {
    const memory = new PageMemory().open()
    const opened = await openColumns({
      file,
      group,
      index,
      columns,
      budget,
      memory,
      findCodec: findPageCodec,
      toValues: leaf => toLeafValues(leaf, false),
      turn: () => undefined,
    })
    for (let left = group.rows; left > 0; ) {
      const some = Math.min(await opened.fill(), left)
      for (let i = 0; i < some; i++) rows.push(opened.next())
      opened.took(some)
      left -= some
    }
  }
  return { names: columns.map(({ name }) => name), rows }
}
