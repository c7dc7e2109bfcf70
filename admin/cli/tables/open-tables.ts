import { clustersOf } from '../../../src/config/clusters.ts'
import type { Settings } from '../../../src/config/table.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'
import { childPath, parsePath } from '../../../src/filesystem/path.ts'
import { pauseBeforeTry } from '../../../src/runtime/pause-before-try.ts'
import type { Catalog, LoadedTable } from '../../../src/tables/catalog.ts'
import type { TablePlace } from '../../../src/tables/table-place.ts'
import { CliError } from '../command/failure.ts'
import { withNameSpace } from '../spool/name-space.ts'

/** The tables of the file systems that a server with the same settings would have. */
export type Tables = {
  readonly fileSystem: MountTable
  readonly catalog: Catalog
  /** Where a table is that is called so: a path, or an event type below the directory of events. */
  readonly placeOf: (name: string) => TablePlace
  /** @throws CliError `not-found` */
  readonly load: (name: string) => Promise<LoadedTable>
  readonly now: () => number
  readonly pause: typeof pauseBeforeTry
}

/** Opens them for as long as the work takes. */
export const withTables = async <T>(settings: Settings, work: (tables: Tables) => Promise<T>): Promise<T> => {
  const [{ openCatalog }, { placeTable }, { encodeEventName }, { toCatalogSettings }] = await Promise.all([
    import('../../../src/tables/open-catalog.ts'),
    import('../../../src/tables/table-place.ts'),
    import('../../../src/spool/bucket.ts'),
    import('../../../src/spool/to-spool-settings.ts'),
  ])
  return await withNameSpace(clustersOf(settings), async fileSystem => {
    const events = settings['collector.event-output-directory']
    const catalog = openCatalog(fileSystem, events, toCatalogSettings(settings))
    const placeOf = (name: string): TablePlace => {
      return placeTable(
        fileSystem,
        parsePath(name.startsWith('/') ? name : childPath(parsePath(events), encodeEventName(name))),
      )
    }
    return await work({
      fileSystem,
      catalog,
      placeOf,
      load: async name => {
        const { path } = placeOf(name)
        const table = await catalog.load(path)
        if (table) return table
        const hint = `See \`sluice table list\`; \`sluice table import ${path}\` makes a table of the Parquet files there.`
        throw new CliError(`${path} is not a table`, { code: 'not-found', hint })
      },
      now: Date.now,
      pause: pauseBeforeTry,
    })
  })
}
