import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import { findStatus } from '../filesystem/find-status.ts'
import { baseName } from '../filesystem/path.ts'

/** What writers of tables have at the top of one: files that were never committed lie there as well. */
const ofTables: ReadonlySet<string> = new Set(['metadata', 'data'])

/**
 * Parquet files below a directory that are there for readers: not what is named, or lies below what is named, `_*` or `.*`,
 * and not in `data` and `metadata`, which are those of writers of the table.
 */
export const findParquetFiles = async (fileSystem: FileSystem, directory: string): Promise<FileStatus[]> => {
  const found: FileStatus[] = []
  const directories = [directory]
  for (let next = directories.shift(); next !== undefined; next = directories.shift()) {
    // Files of another table are its own.
    if (next !== directory && (await findStatus(fileSystem, `${next}/metadata/version-hint.text`))) continue
    for await (const part of fileSystem.listStatus(next))
      for (const status of part) {
        const name = baseName(status.path)
        if (/^[._]/.test(name)) continue
        if (status.isDirectory) {
          if (next !== directory || !ofTables.has(name)) directories.push(status.path)
        } else if (name.endsWith('.parquet')) found.push(status)
      }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}
