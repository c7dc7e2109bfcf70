/**
 * Tables and namespaces among directories. A namespace is a directory that is no table, and has one within three levels. Names that
 * begin with `_` or `.` are left out, and so are directories of partitions (`hour=08`, `2026`), which no table is below of.
 */
import { SluiceError } from '../../errors.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import type { TableDirectories } from '../tables/table-directories.ts'
import { isAbsent } from '../tables/table-kind.ts'

type Listed = { readonly fileSystem: Pick<FileSystem, 'listStatus'>; readonly tables: Pick<TableDirectories, 'has'> }

/** Levels below a directory that are looked through for a table. */
const maxLevels = 3

/**
 * Directories that one answer looks into. What is left then counts as a namespace: a table is never hidden because there is
 * too much beside it.
 */
const maxLooks = 2_000

/** Directories that a listing of tables looks into. */
const maxDirectories = 20_000

/** Names of the tables in a directory, after one of them, in order. */
export async function* findTableNames(
  listed: Listed,
  path: string,
  options: { readonly startAfter?: string; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  let looks = maxDirectories
  for await (const directory of listDirectories(listed, path, options)) {
    if (looks-- === 0) {
      const message = `expected at most ${maxDirectories} directories, found more: ask for the tables by their names`
      throw new SluiceError('unsupported', `${path}: ${message}`)
    }
    if (await listed.tables.has(directory, options.signal)) yield baseName(directory)
  }
}

/** Names of the namespaces in a directory, after one of them, in order. */
export async function* findNamespaceNames(
  listed: Listed,
  path: string,
  options: { readonly startAfter?: string; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  const looks = { left: maxLooks }
  for await (const directory of listDirectories(listed, path, options)) {
    const found = await look(listed, directory, looks, options.signal)
    if (found === 'has-tables') yield baseName(directory)
  }
}

/** Level by level, so that what is near is found first. */
const look = async (
  listed: Listed,
  path: string,
  looks: { left: number },
  signal: AbortSignal,
): Promise<'table' | 'has-tables' | 'nothing'> => {
  if (looks.left-- <= 0) return 'has-tables'
  if (await listed.tables.has(path, signal)) return 'table'
  let level = [path]
  for (let depth = 0; depth < maxLevels; depth++) {
    const below: string[] = []
    for (const parent of level)
      for await (const child of readable(listDirectories(listed, parent, { signal }))) {
        if (looks.left-- <= 0 || (await listed.tables.has(child, signal))) return 'has-tables'
        below.push(child)
      }
    level = below
  }
  return 'nothing'
}

async function* listDirectories(
  { fileSystem }: Listed,
  path: string,
  options: { readonly startAfter?: string; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  for await (const part of fileSystem.listStatus(path, options))
    for (const status of part) if (status.isDirectory && !isLeftOut(status)) yield status.path
}

/** What the caller may not list has no tables that he could read. */
async function* readable(directories: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  try {
    yield* directories
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

const isLeftOut = ({ path }: FileStatus): boolean => /^[_.]|=|^\d+$/.test(baseName(path))
