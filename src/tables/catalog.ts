import type { Json } from './members.ts'
import type { TableMetadata } from './metadata.ts'
import type { TablePlace } from './table-place.ts'

/** A table as it was at a moment. */
export type LoadedTable = {
  readonly place: TablePlace
  readonly metadata: TableMetadata
  /** The place of that file. */
  readonly metadataUri: string
  /** Grows by one with each change, where the directory is the catalog; undefined where a service is. */
  readonly version: number | undefined
}

/**
 * Whether a service lets one change at a time through, and not a file that replaces none: then all that is asked of the files
 * of a change is that their names are unique.
 */
export const isSwapped = ({ version }: Pick<LoadedTable, 'version'>): boolean => version === undefined

/**
 * The outcome of a change; except after `done` the table has to be loaded again:
 *
 *     done       it is made
 *     refused    another writer was faster, and nothing refers to the files of this change
 *     unknown    it may be made
 */
export type TableCommit = 'done' | 'refused' | 'unknown'

/** What has the current metadata of tables, and lets one change at a time through. */
export type Catalog = {
  /** @returns undefined where there is no such table. Rejects with `FileSystemError` `unavailable` where that is not known now, and TableError. */
  load(path: string): Promise<LoadedTable | undefined>
  /**
   * Puts metadata in place of that which was loaded; of a new table in place of nothing.
   * @returns what became of it. Rejects with `FileSystemError` where nothing was changed, or that is not known
   */
  commit(base: LoadedTable | TablePlace, next: Json): Promise<TableCommit>
}
