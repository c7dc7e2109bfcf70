import type { FileSystem } from '../filesystem/filesystem.ts'
import { parentPath } from '../filesystem/path.ts'
import type { Catalog } from './catalog.ts'
import { createDirectoryCatalog } from './directory-catalog.ts'
import { createRestCatalog } from './rest/rest-catalog.ts'
import type { RestCatalogSettings } from './rest/rest-settings.ts'

/**
 * The catalog of each table: that of the settings for those of events, and their directories for all others.
 * @param directory of events
 */
export const openCatalog = (
  fileSystem: FileSystem,
  directory: string,
  settings: RestCatalogSettings | undefined,
): Catalog => {
  const directories = createDirectoryCatalog(fileSystem)
  if (!settings) return directories
  const rest = createRestCatalog(fileSystem, settings)
  const catalogOf = (path: string): Catalog => (parentPath(path) === directory ? rest : directories)
  return {
    load: (path, signal) => catalogOf(path).load(path, signal),
    commit: (base, next, signal) =>
      catalogOf('metadata' in base ? base.place.path : base.path).commit(base, next, signal),
  }
}
