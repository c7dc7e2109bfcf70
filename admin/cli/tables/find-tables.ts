import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import type { Catalog, LoadedTable } from '../../../src/tables/catalog.ts'

/** Directories below one another that are looked into: types, or name spaces with types. */
const maxLevels = 2

/** Tables in a directory, in the order of their names. */
export async function* findTables(
  fileSystem: FileSystem,
  catalog: Catalog,
  directory: string,
  levels = maxLevels,
): AsyncGenerator<LoadedTable, void, undefined> {
  const inner: string[] = []
  for await (const part of fileSystem.listStatus(directory))
    for (const { path, isDirectory } of part) {
      if (!isDirectory || /^[._]/.test(baseName(path))) continue
      if (baseName(path) === 'metadata') {
        const table = await catalog.load(directory)
        if (table) {
          yield table
          return
        }
      }
      inner.push(path)
    }
  if (levels > 0) for (const path of inner) yield* findTables(fileSystem, catalog, path, levels - 1)
}
