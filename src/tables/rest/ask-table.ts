import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { isObject } from '../../formats/members.ts'
import { type Json, Members } from '../members.ts'
import { TableError } from '../table-error.ts'
import { type TablePlace, toPathOrUri, withoutAuthority } from '../table-place.ts'
import { type CatalogTable, isNoSuch } from './catalog-table.ts'

/** What a catalog answers of a table. */
export type AnsweredTable = {
  readonly uuid: string
  /** Without a slash at its end. */
  readonly location: string
  /** Where the current metadata is. */
  readonly metadataUri: string
  /** That metadata. */
  readonly metadata: Json
}

/**
 * Asks a catalog for a table. Rejects with `FileSystemError` where the catalog does not say whether it has that.
 * @returns undefined where it has no such table
 * @throws TableError what it answers is no table
 */
export const askTable = async (table: CatalogTable): Promise<AnsweredTable | undefined> => {
  const answer = await table.ask()
  if (isNoSuch(answer)) return undefined
  const { json } = answer
  if (answer.status !== 200 || !isObject(json) || !isObject(json['metadata'])) throw table.toFault('load', answer)
  const metadata = new Members(json['metadata'], table.where)
  return {
    uuid: metadata.text('table-uuid'),
    location: metadata.text('location').replace(/\/+$/, ''),
    metadataUri: new Members(json, table.where).text('metadata-location'),
    metadata: metadata.json,
  }
}

/**
 * The place of a table, as its catalog has it. Its metadata has to be below the path, by this file system, whatever the catalog
 * calls that. Rejects as the file system does.
 * @param expected where it is, as this server has it
 * @param where the table, for errors
 * @throws TableError it is elsewhere
 */
export const checkPlace = async (
  fileSystem: Pick<FileSystem, 'getFileStatus'>,
  { location, metadataUri }: Pick<AnsweredTable, 'location' | 'metadataUri'>,
  expected: TablePlace,
  where: string,
): Promise<TablePlace> => {
  const place = { path: expected.path, location }
  if (location === expected.location) return place
  if (withoutAuthority(location) === withoutAuthority(expected.location)) {
    const file = toPathOrUri(place, metadataUri)
    if (file.startsWith(`${place.path}/`) && (await findStatus(fileSystem, file))) return place
  }
  const message = `expected it at ${expected.location}, where this server writes its files, found it at ${location}`
  throw new TableError(where, message)
}
