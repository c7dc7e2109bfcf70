/**
 * Tables of a REST catalog (Iceberg's `rest-catalog-open-api.yaml`). It has the metadata, and writes its files; all other files
 * of a table are written by this server, so each table has to be in its file system, at a place that it chooses.
 *
 *     load      GET  …/tables/<name>
 *     commit    POST …/tables/<name>           what must still hold, and what changes
 *     make      POST …/tables                  prepared by the catalog, then as a commit
 *
 * An answer that says less than "done" or "refused" leaves it open what became of a commit, and so does silence.
 */
import type { FileSystem } from '../../filesystem/filesystem.ts'
import type { Catalog, LoadedTable, TableCommit } from '../catalog.ts'
import type { Json } from '../members.ts'
import { type TableMetadata, toMetadata } from '../metadata.ts'
import { placeTable } from '../table-place.ts'
import { askTable, checkPlace } from './ask-table.ts'
import { createCatalogCalls } from './catalog-calls.ts'
import { type CatalogTable, toCatalogTable } from './catalog-table.ts'
import { makeTable } from './make-table.ts'
import type { RestCatalogSettings } from './rest-settings.ts'
import { sendChange } from './send-change.ts'
import { type TableChange, toTableChange } from './table-updates.ts'

/** Tables by their paths: the last part of one is the name of the table. */
export const createRestCatalog = (
  fileSystem: FileSystem,
  settings: RestCatalogSettings,
  signal?: AbortSignal,
): Catalog => {
  const calls = createCatalogCalls(settings, { signal })
  const tableAt = (path: string): CatalogTable => toCatalogTable(calls, settings, path)

  const load = async (path: string): Promise<LoadedTable | undefined> => {
    const table = tableAt(path)
    const answered = await askTable(table)
    if (answered === undefined) return undefined
    const place = await checkPlace(fileSystem, answered, placeTable(fileSystem, path), table.where)
    const metadata = toMetadata(answered.metadata, table.where)
    return { place, metadata, metadataUri: answered.metadataUri, version: undefined }
  }

  const update = async (base: LoadedTable, next: Json): Promise<TableCommit> => {
    const { place, metadata } = base
    const change = toTableChange(metadata, next)
    const outcome = await sendChange(tableAt(place.path), change, metadata.uuid)
    if (outcome !== 'conflict') return outcome
    // Something in between may have sent it twice: then the second one is refused, and the first one is made.
    const now = (await load(place.path))?.metadata
    return now && isOvertaken(metadata, now, change) ? 'refused' : 'unknown'
  }

  return {
    load,
    commit: (base, next) =>
      'metadata' in base ? update(base, next) : makeTable(tableAt(base.path), base, next, fileSystem),
  }
}

/** Whether another change took the place of one: a number is of one snapshot only. One that the table does not have may be forgotten since. */
const isOvertaken = (base: TableMetadata, now: TableMetadata, { added }: TableChange): boolean =>
  added.length > 0
    ? now.snapshots.some(
        ({ id, sequenceNumber }) => sequenceNumber === base.lastSequenceNumber + 1 && !added.includes(id),
      )
    : now.current?.id !== base.current?.id
