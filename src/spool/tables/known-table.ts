import { extraColumn } from '../../formats/parquet/kind.ts'
import { toTwin } from '../../formats/parquet/learn.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import { headColumns } from '../parquet/event-schema.ts'
import type { KnownTable } from '../parquet/table-columns.ts'
import { toFixedIds } from './promotions.ts'
import { toKnownMembers, toPromotable } from './table-fields.ts'

/** The column by whose hour the files of a table are put apart. */
export const dateColumn = 'eventDate'

/** What files of ours can have of a table, or why they cannot be its files. @param path of the table */
export const toKnownTable = (path: string, metadata: TableMetadata): KnownTable => {
  const { uuid, schema, spec } = metadata
  const { columns, ids, others } = toKnownMembers(schema.fields)
  const date = columns.struct.get(dateColumn) === 'timestamp' ? ids.get(dateColumn) : undefined
  if (!date) return { refused: `The table ${path} has no column ${dateColumn} of the type timestamptz` }
  const [field, ...more] = spec.fields
  if (more.length > 0 || field?.transform !== 'hour' || field.sourceId !== date.id)
    return { refused: `The files of the table ${path} are put apart by something else than hour(${dateColumn})` }
  const required = schema.fields.find(({ name, isRequired }) => isRequired && !Object.hasOwn(headColumns, name))
  if (required)
    return { refused: `The table ${path} requires a value in the column "${required.name}", and events may have none` }
  if (!ids.has(extraColumn) && schema.fields.some(({ name }) => toTwin(name) === extraColumn))
    return { refused: `The table ${path} has a column ${extraColumn} of another type, or in another spelling` }
  const promotable = toPromotable(schema.fields, toFixedIds(metadata))
  return { table: { uuid, columns, ids, others, promotable } }
}
