/**
 * Which manifests and files of a table can hold wanted rows: by the hours (days, values) that their partition has, and
 * by the bounds and counts of nulls that a manifest has of each column (Iceberg specification, "Scan Planning"). What
 * they do not rule out is read.
 */
import { Buffer } from 'node:buffer'
import { isObject } from '../../formats/members.ts'
import { Float32, type Value } from '../../formats/number.ts'
import { extraColumn, ownColumns } from '../../formats/parquet/kind.ts'
import { compareNumbers, isOrdered } from '../../rows/where/decimal-order.ts'
import type { Comparison, Expression } from '../../rows/where/expression.ts'
import { compareInstants, type Instant } from '../../rows/where/instant.ts'
import { mayBeTrue, type Orders } from '../../rows/where/may-be-true.ts'
import type { ManifestEntry, ManifestFile } from '../../tables/manifests.ts'
import type { Members } from '../../tables/members.ts'
import type { PartitionField, TableMetadata } from '../../tables/metadata.ts'
import type { PartitionValues } from '../../tables/partition-record.ts'

export type FilePruning = {
  /** Whether a manifest may name files with wanted rows. */
  readonly manifest: (manifest: ManifestFile) => boolean
  /** Whether a file may have some. @param specId of its manifest */
  readonly file: (entry: Pick<ManifestEntry, 'file' | 'partition'>, specId: number) => boolean
}

/** A value, as a bound has it (specification, "Binary single-value serialization"); undefined where it is not known. */
type Bound = Uint8Array | undefined

/** What is known of the values of a column. */
type Known = { readonly lower?: Bound; readonly upper?: Bound; readonly isAllNull?: boolean }

export const createFilePruning = (
  expression: Expression | undefined,
  { schema, specs }: TableMetadata,
): FilePruning => {
  if (expression === undefined) return { manifest: () => true, file: () => true }
  const columns = new Map(
    schema.fields.flatMap(({ id, name, type }) => (typeof type === 'string' ? [[name, { id, type }] as const] : [])),
  )
  const types = new Map(Array.from(columns.values(), ({ id, type }) => [id, type]))
  const extra = columns.get(extraColumn)
  const fields = new Map(specs.map(spec => [spec.id, spec.fields]))
  // What a column could not hold is in another one, of which a partition says nothing.
  const isWhole = (name: string): boolean => extra === undefined || ownColumns.has(name)
  const may = (known: ReadonlyMap<number, Known>, isComplete: (name: string) => boolean): boolean =>
    mayBeTrue(expression, comparison => {
      const [name, ...within] = comparison.path
      const column = within.length === 0 && isComplete(name) ? columns.get(name) : undefined
      const found = column && known.get(column.id)
      return column && found && toOrders(comparison, column.type, found)
    })
  return {
    manifest: ({ specId, json }) => {
      const summaries = Array.isArray(json['partitions']) ? json['partitions'] : []
      const known = new Map<number, Known>()
      for (const [i, field] of (fields.get(specId) ?? []).entries()) {
        const summary = summaries[i]
        if (!isObject(summary)) continue
        const [lower, upper] = [summary['lower_bound'], summary['upper_bound']].map(toBytes)
        known.set(field.sourceId, toSource(field, types.get(field.sourceId), { lower, upper }))
      }
      return may(known, isWhole)
    },
    file: ({ file, partition }, specId) => {
      const columnsOf = toKnown(file)
      const hasNoExtra = extra !== undefined && columnsOf.get(extra.id)?.isAllNull === true
      return (
        may(toPartition(partition, fields.get(specId) ?? [], types), isWhole) &&
        may(columnsOf, name => hasNoExtra || isWhole(name))
      )
    },
  }
}

const toBytes = (value: Value | undefined): Bound => (value instanceof Uint8Array ? value : undefined)

/** By the ids of columns, what a manifest says of a file. */
const toKnown = ({ json }: Members): ReadonlyMap<number, Known> => {
  const of = (name: string): ReadonlyMap<number, Value> => {
    const list = json[name]
    const pairs = Array.isArray(list) ? list.filter(isObject) : []
    return new Map(pairs.flatMap(({ key, value }) => (typeof key === 'number' ? [[key, value ?? null] as const] : [])))
  }
  const [lower, upper, nulls] = [of('lower_bounds'), of('upper_bounds'), of('null_value_counts')]
  const ids = new Set([...lower.keys(), ...upper.keys(), ...nulls.keys()])
  return new Map(
    Array.from(ids, id => [
      id,
      {
        lower: toBytes(lower.get(id)),
        upper: toBytes(upper.get(id)),
        isAllNull: nulls.get(id) !== undefined && nulls.get(id) === json['record_count'],
      },
    ]),
  )
}

/** Of the columns that files are put apart by, what the partition of a file says. */
const toPartition = (
  values: PartitionValues,
  fields: readonly PartitionField[],
  types: ReadonlyMap<number, string>,
): ReadonlyMap<number, Known> => {
  const known = new Map<number, Known>()
  for (const field of fields) {
    const value = values.get(field.fieldId)
    if (!unitOf(field.transform) || typeof value !== 'number') continue
    const bytes = Buffer.alloc(4)
    if (Math.abs(value) >= 2 ** 31) continue
    bytes.writeInt32LE(value)
    known.set(field.sourceId, toSource(field, types.get(field.sourceId), { lower: bytes, upper: bytes }))
  }
  return known
}

const usOf = { hour: 3_600_000_000n, day: 86_400_000_000n } as const

const unitOf = (transform: string): bigint | undefined =>
  transform === 'hour' || transform === 'day' ? usOf[transform] : undefined

/** Bounds of a column by those of its partition. */
const toSource = ({ transform }: PartitionField, type: string | undefined, { lower, upper }: Known): Known => {
  if (transform === 'identity' || (transform === 'day' && type === 'date')) return { lower, upper }
  const unit = unitOf(transform)
  if (unit === undefined || type !== 'timestamptz') return {}
  const edge = (bound: Bound, more: bigint): Bound => {
    if (bound?.length !== 4) return undefined
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE((BigInt(view(bound).getInt32(0, true)) + more) * unit - more)
    return bytes
  }
  return { lower: edge(lower, 0n), upper: edge(upper, 1n) }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** How a bound compares with a literal; undefined where the two have another order than `where`, or it is damaged. */
type Compare = (bound: Uint8Array) => number | undefined

const toOrders = ({ literal }: Comparison, type: string, known: Known): Orders | 'nothing' | undefined => {
  if (literal.kind === 'null') return undefined
  if (known.isAllNull) return 'nothing'
  const compare = toCompare(literal, type)
  if (!compare) return undefined
  const [least, most] = [known.lower && compare(known.lower), known.upper && compare(known.upper)]
  if (least === undefined && most === undefined) return undefined
  return [least ?? -1, most ?? 1]
}

const toCompare = (literal: Comparison['literal'], type: string): Compare | undefined => {
  if (type === 'string') {
    // What names a time is compared as a time.
    if (literal.kind !== 'text' || literal.instant || !literal.text.isWellFormed()) return undefined
    const text = Buffer.from(literal.text)
    return bound => Buffer.compare(bound, text)
  }
  if (type === 'timestamptz' || type === 'date') {
    const instant = literal.kind === 'time' || literal.kind === 'text' ? literal.instant : undefined
    if (instant?.days === undefined) return undefined
    return bound => {
      const found = toInstantOf(bound, type)
      return found && compareInstants(found, instant)
    }
  }
  if (literal.kind !== 'number') return undefined
  return bound => {
    const found = toNumberOf(bound, type)
    return found !== undefined && isOrdered(found) ? compareNumbers(found, literal.value) : undefined
  }
}

const toNumberOf = (bound: Uint8Array, type: string): Value | undefined => {
  // A bound from before a column became wider is shorter.
  if (bound.length === 4 && (type === 'int' || type === 'long')) return view(bound).getInt32(0, true)
  if (bound.length === 8 && type === 'long') return view(bound).getBigInt64(0, true)
  if (bound.length === 4 && type === 'float') return new Float32(view(bound).getFloat32(0, true))
  if (bound.length === 4 && type === 'double') return view(bound).getFloat32(0, true)
  return bound.length === 8 && type === 'double' ? view(bound).getFloat64(0, true) : undefined
}

const usPerDay = 86_400_000_000n

const toInstantOf = (bound: Uint8Array, type: 'timestamptz' | 'date'): Instant | undefined => {
  if (type === 'date') return bound.length === 4 ? { days: view(bound).getInt32(0, true), nanos: 0 } : undefined
  if (bound.length !== 8) return undefined
  const us = view(bound).getBigInt64(0, true)
  const inDay = ((us % usPerDay) + usPerDay) % usPerDay
  return { days: Number((us - inDay) / usPerDay), nanos: Number(inDay) * 1_000 }
}
