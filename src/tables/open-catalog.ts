import type { FileSystem } from '../filesystem/filesystem.ts'
import { parentPath } from '../filesystem/path.ts'
import type { Catalog } from './catalog.ts'
import { createDirectoryCatalog } from './directory-catalog.ts'
import { createRestCatalog } from './rest/rest-catalog.ts'
import type { RestCatalogSettings } from './rest/rest-settings.ts'

/**
 * The catalog of each table: that of the settings for those of events, and their directories for all others.
 * @param directory of events
 * @param signal ends what the catalog of the settings is asked
 */
export const openCatalog = (
  fileSystem: FileSystem,
  directory: string,
  settings: RestCatalogSettings | undefined,
  signal?: AbortSignal,
): Catalog => {
  const directories = createDirectoryCatalog(fileSystem)
  if (!settings) return directories
  const rest = createRestCatalog(fileSystem, settings, signal)
  const catalogOf = (path: string): Catalog => (parentPath(path) === directory ? rest : directories)
  return {
    load: path => catalogOf(path).load(path),
    commit: (base, next) => catalogOf('metadata' in base ? base.place.path : base.path).commit(base, next),
  }
}
