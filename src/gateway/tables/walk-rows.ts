import { SluiceError } from '../../errors.ts'
import { type FileStatus, FileSystemError } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { type WalkEntry, type WalkOptions, walk } from '../walk.ts'
import type { FilesAndTables } from './table-directories.ts'
import { NotInTable, readTableFiles, type TableFilesOptions } from './table-files.ts'

type WalkRowsOptions = Omit<WalkOptions, 'instead'> & Pick<TableFilesOptions, 'where' | 'signal'>

export type RowEntries = {
  /** Of the table that the path is; undefined of anything else. */
  readonly columns: readonly string[] | undefined
  readonly parts: AsyncIterable<readonly WalkEntry[]>
}

/**
 * The contents of a path as {@link walk} returns them, for readers of rows: for an Iceberg table the files of its
 * current snapshot, the oldest first, in place of the contents of its directory. Rejects as `TableDirectories.load` does,
 * and its parts as `walk` and `readTableFiles`.
 */
export const findRowEntries = async (
  files: FilesAndTables,
  root: FileStatus,
  { where, ...options }: WalkRowsOptions,
): Promise<RowEntries> => {
  const { fileSystem, tables } = files
  const { signal, startAfter } = options
  const table = root.isDirectory ? await tables.load(root.path, signal) : undefined
  const order = 'oldest-first'
  if (table) {
    const columns = table.metadata.schema.fields.map(({ name }) => name)
    return { columns, parts: readTableFiles(fileSystem, table, { where, order, signal, startAfter }) }
  }
  const instead = (directory: FileStatus) => filesOfTable(files, directory, { where, order, signal })
  return { columns: undefined, parts: walk(fileSystem, root, { ...options, instead }) }
}

/**
 * The files of a table among directories; undefined for any other directory. An error of the table goes into an entry
 * for it, also if it is not known now whether it is one. Its files reject if their cluster is unavailable, and with
 * {@link NotInTable}.
 */
export const filesOfTable = async (
  { fileSystem, tables }: FilesAndTables,
  directory: FileStatus,
  options: TableFilesOptions,
): Promise<AsyncIterable<readonly WalkEntry[]> | undefined> => {
  // No table is below a partition, and most directories are one.
  if (/=|^\d+$/.test(baseName(directory.path))) return undefined
  const { signal } = options
  try {
    const table = await tables.load(directory.path, signal)
    return table && guarded(directory, readTableFiles(fileSystem, table, options), signal)
  } catch (error) {
    return toFault(directory, error, signal)
  }
}

async function* guarded(
  directory: FileStatus,
  parts: AsyncIterable<readonly WalkEntry[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly WalkEntry[]> {
  try {
    yield* parts
  } catch (error) {
    if (error instanceof NotInTable || (error instanceof FileSystemError && error.code === 'unavailable')) throw error
    yield* toFault(directory, error, signal)
  }
}

/** @throws errors that do not concern one table alone */
const toFault = (status: FileStatus, error: unknown, signal: AbortSignal): AsyncGenerator<readonly WalkEntry[]> => {
  if (signal.aborted || !(error instanceof SluiceError)) throw error
  return once([{ status, error }])
}

async function* once(part: readonly WalkEntry[]): AsyncGenerator<readonly WalkEntry[]> {
  yield part
}
