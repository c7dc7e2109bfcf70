/**
 * Columns that a file of a table lacks because its partition has them, as files that Hive wrote do (Iceberg specification, "Column
 * Projection"): each of its rows has the value of the partition.
 */
import { toIsoDate, toIsoTimeOfDay, toIsoTimestamp } from '../../formats/iso-time.ts'
import { Decimal, type Value } from '../../formats/number.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { fromTwosComplement } from '../../formats/twos-complement.ts'
import { formatUuid } from '../../formats/uuid.ts'
import { widenFloat } from '../../rows/parquet/project.ts'
import type { ManifestEntry } from '../../tables/manifests.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import { toPrimitives } from '../../tables/schema.ts'

/** By the ids of columns, the values that rows of a file have where it lacks the column. @param specId of its manifest */
export type FileConstants = (entry: Pick<ManifestEntry, 'partition'>, specId: number) => ReadonlyMap<number, Value>

export const createConstants = ({ schema, specs }: Pick<TableMetadata, 'schema' | 'specs'>): FileConstants => {
  const types = toPrimitives(schema.fields)
  const whole = new Map(
    specs.map(({ id, fields }) => [id, fields.filter(({ transform }) => transform === 'identity')] as const),
  )
  return ({ partition }, specId) =>
    new Map(
      whole
        .get(specId)
        ?.map(({ fieldId, sourceId }) => [sourceId, toRowValue(partition.get(fieldId) ?? null, types.get(sourceId))]),
    )
}

/** A value of a manifest, as rows have it. @param type of the column now, which may have become wider */
const toRowValue = (value: Value, type: string | undefined): Value => {
  if (typeof value === 'number' || typeof value === 'bigint') return toTime(value, type)
  if (type === 'double') return widenFloat(value)
  if (!(value instanceof Uint8Array)) return value
  if (type === 'uuid' && value.length === 16) return formatUuid(toBuffer(value).toString('hex'))
  const [, scale] = /^decimal\(\d{1,2}, ?(\d{1,2})\)$/.exec(type ?? '') ?? []
  return scale === undefined ? value : new Decimal(fromTwosComplement(toBuffer(value)), Number(scale))
}

const toTime = (value: number | bigint, type: string | undefined): Value => {
  switch (type) {
    case 'date':
      return toIsoDate(Number(value))
    case 'time':
      return toIsoTimeOfDay(value, 6) ?? value
    case 'timestamp':
    case 'timestamptz':
      return toIsoTimestamp(value, 6)
    default:
      return value
  }
}
