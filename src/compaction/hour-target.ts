import { layOut } from '../formats/parquet/rewrite/target.ts'
import type { LoadedTable } from '../tables/catalog.ts'
import { hourFieldOf } from '../tables/replace/live-files.ts'
import type { TableField } from '../tables/schema.ts'
import { TableError } from '../tables/table-error.ts'
import { mapColumnNames } from './column-names.ts'
import { findIdField } from './event-ids.ts'
import type { RowTarget } from './read-rows.ts'
import { toTargetColumns } from './target-columns.ts'

/** What rows of an hour are read and written as. */
export type HourTarget = RowTarget & {
  readonly dateId: number
  /** The date and the id alone; undefined where the table has no ids of events. */
  readonly idsOnly: RowTarget | undefined
}

/** @throws TableError the table has a type that is not written */
export const toHourTarget = ({ metadata, metadataUri }: LoadedTable, hour: number): HourTarget => {
  const field = hourFieldOf(metadata, metadataUri)
  const { fields } = metadata.schema
  const date = fields.find(({ id }) => id === field.sourceId)
  const ids = findIdField(fields)
  const names = mapColumnNames(metadata)
  const toTarget = (columns: readonly TableField[]): RowTarget => {
    const layout = layOut(toTargetColumns(columns, metadataUri))
    const find = (column: TableField | undefined) =>
      layout.leaves.find(({ path: [name], path }) => path.length === 1 && name === column?.name)
    const sortedBy = find(date)
    if (sortedBy?.type.meaning !== 'timestamp')
      throw new TableError(metadataUri, `expected the hour of a timestamp in ${field.name}`)
    return { layout, sortedBy, identifiedBy: find(ids), hour, names }
  }
  const idsOnly = date && ids && toTarget([date, ids])
  return { ...toTarget(fields), dateId: field.sourceId, idsOnly }
}
