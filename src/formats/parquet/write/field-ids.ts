/**
 * The ids that a table has given to its columns, and to what is in them. Readers of the table go by them: a name may
 * change, an id does not.
 */
export type FieldIds = ReadonlyMap<string, FieldId>

/** The id of a column or of a part of one, and those below it: of the members of a struct, or of the elements of a list. */
export type FieldId = { readonly id: number; readonly members?: FieldIds; readonly element?: FieldId }

/** What makes a file one of a table. Its times are in microseconds, as Apache Iceberg wants them. */
export type TableFile = {
  readonly ids: FieldIds
  /** The UUID of the table: ids of another one mean other columns. */
  readonly uuid: string
  /** The column by which the rows of each row group are sorted, ascending, none of them null. */
  readonly sortedBy?: string
}

/** Key of the metadata of a file of a table that has its UUID. */
export const tableKey = 'sluice.table'
