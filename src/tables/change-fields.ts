import type { Catalog, LoadedTable } from './catalog.ts'
import { toMetadata, withFields } from './metadata.ts'
import { type NewTable, newMetadata } from './new-table.ts'
import type { TableField } from './schema.ts'
import { TableBusy } from './table-error.ts'
import type { TablePlace } from './table-place.ts'

/** All fields that a table is to have. */
export type FieldChange = {
  readonly fields: readonly TableField[]
  /** Highest id of a field, of nested ones too. */
  readonly lastColumnId: number
}

export type ChangeFieldsOptions = {
  readonly catalog: Catalog
  /** Where the table is, or is to be. */
  readonly place: TablePlace
  /** Asked before each try with the table as it is; undefined: nothing is to be changed. */
  readonly toFields: (table: LoadedTable | undefined) => FieldChange | undefined
  /** What a table is like that has to be made first. */
  readonly toNew: (change: FieldChange) => Pick<NewTable, 'dateField' | 'properties'>
  readonly now: () => number
  /** Waits a while before the next try; grows with the tries before. */
  readonly pause: (tries: number) => Promise<unknown>
}

const maxTries = 20

/**
 * Makes a table, or gives it other columns, before a file has them.
 * @returns the table with them; undefined where there is no table, and none was wanted. Rejects with `FileSystemError`: whether it
 *   has them is not known then, and the next call finds out
 * @throws TableError others were faster 20 times
 */
export const changeFields = async (options: ChangeFieldsOptions): Promise<LoadedTable | undefined> => {
  const { catalog, place, toFields, toNew, now, pause } = options
  for (let tries = 1; tries <= maxTries; tries++) {
    const table = await catalog.load(place.path)
    const change = toFields(table)
    if (!change) return table
    const next = table
      ? withFields(table.metadata, change, { now: now(), baseUri: table.metadataUri })
      : newMetadata({ ...change, ...toNew(change), location: place.location, now: now() })
    // Loaded again, as others see it.
    if ((await catalog.commit(table ?? place, toMetadata({ ...next }, place.location).json)) !== 'done')
      await pause(tries)
  }
  throw new TableBusy(place.path, maxTries)
}
