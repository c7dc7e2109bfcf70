/**
 * Columns of other writers that files of ours can have once they are wider (Iceberg specification, "Schema Evolution"): int becomes
 * long, and float double. Files from before stay as they are, and readers widen their values.
 */
import { isList, isStruct, type Kind } from '../../formats/parquet/kind.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import type { TableField, TableType } from '../../tables/schema.ts'

const wider: ReadonlyMap<string, string> = new Map([
  ['int', 'long'],
  ['float', 'double'],
])

/** Fields whose types do not change: partitions and sort order depend on them, or they identify rows. */
export const toFixedIds = ({ specs, sortOrders, schema }: Pick<TableMetadata, 'specs' | 'sortOrders' | 'schema'>) =>
  new Set([
    ...[...specs, ...sortOrders].flatMap(({ fields }) => fields.map(({ sourceId }) => sourceId)),
    ...schema.identifierIds,
  ])

/** A field as wide as it can be. */
export const widenField = <F extends Pick<TableField, 'id' | 'type'>>(field: F, fixed: ReadonlySet<number>): F => ({
  ...field,
  type: widenType(field, fixed),
})

const widenType = ({ id, type }: Pick<TableField, 'id' | 'type'>, fixed: ReadonlySet<number>): TableType => {
  if (typeof type === 'string') return fixed.has(id) ? type : (wider.get(type) ?? type)
  if (type.kind === 'struct') return { ...type, fields: type.fields.map(member => widenField(member, fixed)) }
  return type.kind === 'list' ? { ...type, element: widenType({ id: type.id, type: type.element }, fixed) } : type
}

/** Whether a column is one for values of a kind: numbers may be of another kind than they were learned as. */
export const isFor = (column: Kind, kind: Kind): boolean => {
  if (isList(column)) return isList(kind) && isFor(column.list, kind.list)
  if (isStruct(column)) {
    const { struct } = column
    return isStruct(kind) && kind.struct.entries().every(([name, member]) => isForMember(struct.get(name), member))
  }
  return column === kind || (numbers.has(column) && typeof kind === 'string' && numbers.has(kind))
}

const isForMember = (column: Kind | undefined, kind: Kind): boolean => column === undefined || isFor(column, kind)

const numbers: ReadonlySet<string> = new Set(['integer', 'double'])
