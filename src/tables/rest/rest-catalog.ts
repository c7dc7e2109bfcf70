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
import { findStatus } from '../../filesystem/find-status.ts'
import { isObject } from '../../formats/members.ts'
import type { Catalog, LoadedTable, TableCommit } from '../catalog.ts'
import { type Json, Members } from '../members.ts'
import { toMetadata } from '../metadata.ts'
import { TableError } from '../table-error.ts'
import { placeTable, type TablePlace, toPathOrUri, withoutAuthority } from '../table-place.ts'
import { createCatalogCalls } from './catalog-calls.ts'
import { type CatalogTable, isNoSuch, toCatalogTable } from './catalog-table.ts'
import { makeTable } from './make-table.ts'
import type { RestCatalogSettings } from './rest-settings.ts'
import { sendChange } from './send-change.ts'
import { toTableChange } from './table-updates.ts'

/** Tables by their paths: the last part of one is the name of the table. */
export const createRestCatalog = (
  fileSystem: FileSystem,
  settings: RestCatalogSettings,
  signal?: AbortSignal,
): Catalog => {
  const calls = createCatalogCalls(settings, { signal })
  const tableAt = (path: string): CatalogTable => toCatalogTable(calls, settings, path)

  /** Its metadata has to be below the path, by this file system, whatever the catalog calls that. */
  const isAt = async ({ path, location }: TablePlace, metadataUri: string): Promise<boolean> => {
    const expected = placeTable(fileSystem, path).location
    if (location === expected) return true
    if (withoutAuthority(location) !== withoutAuthority(expected)) return false
    const file = toPathOrUri({ path, location }, metadataUri)
    return file.startsWith(`${path}/`) && (await findStatus(fileSystem, file)) !== undefined
  }

  const load = async (path: string): Promise<LoadedTable | undefined> => {
    const table = tableAt(path)
    const answer = await table.ask()
    if (isNoSuch(answer)) return undefined
    const { json } = answer
    if (answer.status !== 200 || !isObject(json) || !isObject(json['metadata'])) throw table.toFault('load', answer)
    const metadata = toMetadata(json['metadata'], table.where)
    const metadataUri = new Members(json, table.where).text('metadata-location')
    const place = { path, location: metadata.location }
    if (await isAt(place, metadataUri)) return { place, metadata, metadataUri, version: undefined }
    const expected = `expected it at ${placeTable(fileSystem, path).location}, where this server writes its files`
    throw new TableError(table.where, `${expected}, found it at ${metadata.location}`)
  }

  const update = async (base: LoadedTable, next: Json): Promise<TableCommit> => {
    const { place, metadata } = base
    const change = toTableChange(metadata, next)
    const outcome = await sendChange(tableAt(place.path), change, metadata.uuid)
    if (outcome !== 'conflict') return outcome
    // Something in between may have sent it twice: then the second one is refused, and the first one is made.
    const now = (await load(place.path))?.metadata
    const isOther = now !== undefined && now.current?.id !== metadata.current?.id
    return isOther && !now.snapshots.some(({ id }) => change.added.includes(id)) ? 'refused' : 'unknown'
  }

  return {
    load,
    commit: (base, next) =>
      'metadata' in base ? update(base, next) : makeTable(tableAt(base.path), base, next, fileSystem),
  }
}
