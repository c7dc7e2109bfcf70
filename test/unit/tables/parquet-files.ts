import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { ColumnValue } from '../../../src/formats/parquet/column-value.ts'
import { createParquetFile, ParquetMemory } from '../../../src/formats/parquet/file-writer.ts'
import type { Kind } from '../../../src/formats/parquet/kind.ts'

const memory = new ParquetMemory()

/** Columns of files of events. */
export const eventColumns: Readonly<Record<string, Kind>> = { eventDate: 'timestamp', id: 'integer' }

/** A Parquet file of rows whose values are in the order of the columns. */
export const parquetBytes = (
  rows: readonly (readonly ColumnValue[])[],
  columns: Readonly<Record<string, Kind>> = eventColumns,
): Uint8Array => {
  const file = createParquetFile({ struct: new Map(Object.entries(columns)) }, 'zstd', memory)
  const group = file.openGroup()
  for (const row of rows) {
    for (const [i, value] of row.entries()) group.set(i, value)
    group.endRow()
  }
  file.writeGroup(group)
  return file.finish()
}

export const put = async (fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> => {
  async function* whole() {
    yield bytes
  }
  await fileSystem.publish(path, whole())
}

/** ms of an hour of 2026-11-22 */
export const atHour = (hour: number): number => Date.UTC(2026, 10, 22, hour, 15)

/** Puts a file of one hour, of rows that have its number, where the layout `hive` has it. */
export const putHour = (fileSystem: FileSystem, table: string, hour: number, number = 1): Promise<void> =>
  put(
    fileSystem,
    `${table}/dt=2026-11-22/hour=${String(hour).padStart(2, '0')}/${number}.parquet`,
    parquetBytes([
      [atHour(hour), number],
      [atHour(hour) + 1_000, number],
    ]),
  )
