import { FormatError, SluiceError } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import type { Catalog, LoadedTable } from '../../../src/tables/catalog.ts'

/** Directories below one another that are looked into: types, or name spaces with types. */
const maxLevels = 2

/** A table, or why a directory cannot be read that is one, or may hold some. */
export type FoundTable = LoadedTable | { readonly path: string; readonly problem: string }

/** Tables in a directory, in the order of their names. @throws what the file system says of the directory itself */
export async function* findTables(
  fileSystem: FileSystem,
  catalog: Catalog,
  directory: string,
  levels = maxLevels,
): AsyncGenerator<FoundTable, void, undefined> {
  const inner: string[] = []
  for await (const part of fileSystem.listStatus(directory))
    for (const { path, isDirectory } of part) {
      if (!isDirectory || /^[._]/.test(baseName(path))) continue
      if (baseName(path) === 'metadata') {
        const table = await orProblem(directory, () => catalog.load(directory))
        if (table) {
          yield table
          return
        }
      }
      inner.push(path)
    }
  if (levels > 0) for (const path of inner) yield* findBelow(fileSystem, catalog, path, levels - 1)
}

/** One directory that cannot be read holds up no other. */
async function* findBelow(...[fileSystem, catalog, path, levels]: Required<Parameters<typeof findTables>>) {
  const tables = findTables(fileSystem, catalog, path, levels)
  for (;;) {
    const next = await orProblem(path, () => tables.next())
    if ('problem' in next) yield next
    if ('problem' in next || next.done) return
    yield next.value
  }
}

/** What was asked for, or why it cannot be had. */
export const orProblem = async <T>(
  path: string,
  ask: () => Promise<T>,
): Promise<T | { readonly path: string; readonly problem: string }> => {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof SluiceError || error instanceof FormatError)) throw error
    return { path, problem: error.message }
  }
}
