import { randomUUID } from 'node:crypto'
import type { Json } from './members.ts'
import { formatVersion } from './metadata.ts'
import { nameMapping, toMappingText } from './name-mapping.ts'
import { type TableField, toSchemaJson } from './schema.ts'

export type NewTable = {
  readonly location: string
  readonly fields: readonly TableField[]
  /** Highest id of a field, of nested ones too. */
  readonly lastColumnId: number
  /** The column by whose hour files are put apart, and by which their rows are sorted: a time. Undefined: they are not. */
  readonly dateField: TableField | undefined
  readonly properties: Readonly<Record<string, string>>
  /** ms since the epoch */
  readonly now: number
}

/** The first id of a field of partitions, as other writers have it. */
const firstPartitionId = 1_000

/** The metadata of a table without rows. */
export const newMetadata = (table: NewTable): Json => {
  const { location, fields, lastColumnId, dateField, properties, now } = table
  const orders = dateField
    ? [{ transform: 'identity', 'source-id': dateField.id, direction: 'asc', 'null-order': 'nulls-first' }]
    : []
  const partitions = dateField
    ? [
        {
          'source-id': dateField.id,
          'field-id': firstPartitionId,
          name: `${dateField.name}_hour`,
          transform: 'hour',
        },
      ]
    : []
  // The order without columns has the id 0.
  const orderId = orders.length
  return {
    'format-version': formatVersion,
    'table-uuid': randomUUID(),
    location,
    'last-sequence-number': 0,
    'last-updated-ms': now,
    'last-column-id': lastColumnId,
    'current-schema-id': 0,
    schemas: [toSchemaJson({ id: 0, fields, identifierIds: [] })],
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: partitions }],
    'last-partition-id': dateField ? firstPartitionId : firstPartitionId - 1,
    'default-sort-order-id': orderId,
    'sort-orders': [{ 'order-id': orderId, fields: orders }],
    properties: { ...properties, [nameMapping]: toMappingText(fields) },
    'current-snapshot-id': -1,
    refs: {},
    snapshots: [],
    statistics: [],
    'snapshot-log': [],
    'metadata-log': [],
  }
}
