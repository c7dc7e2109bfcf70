/** What values of an element are, as a schema says it (parquet.thrift, `SchemaElement`), for new readers and for old ones. */
import type { convertedTypes, PhysicalType } from '../words.ts'
import type { CompactWriter } from './compact-writer.ts'

/** What values of an element are; of a group without a physical type. */
export type ElementType = {
  readonly physical?: PhysicalType
  /** Bytes of a FIXED_LEN_BYTE_ARRAY. */
  readonly width?: number
  /** Of a decimal. */
  readonly scale?: number
  readonly precision?: number
  readonly converted?: (typeof convertedTypes)[number]
  /** Writes the union of logical types. */
  readonly logical?: (writer: CompactWriter) => void
}

/** Of the group of a list. */
export const listType: ElementType = { converted: 'LIST', logical: writer => writer.struct(3, () => {}) }
/** Of the group of a map. */
export const mapType: ElementType = { converted: 'MAP', logical: writer => writer.struct(2, () => {}) }
/** Of text. */
export const textType = {
  physical: 'BYTE_ARRAY',
  converted: 'UTF8',
  logical: (writer: CompactWriter) => writer.struct(1, () => {}),
} as const

/** Places of logical types in their union, and of the units in theirs. */
const timeKinds = { time: 7, timestamp: 8 } as const
const timeUnits = { millis: 1, micros: 2 } as const

/** Of a time of day, or a point in time. */
export const toTimeType = (
  kind: keyof typeof timeKinds,
  unit: keyof typeof timeUnits,
  isUtc = true,
): ElementType & { readonly physical: 'INT64' } => ({
  physical: 'INT64',
  // The older words are of times in UTC alone.
  ...(isUtc ? { converted: convertedTimes[kind][unit] } : {}),
  logical: writer =>
    writer.struct(timeKinds[kind], () => {
      writer.boolean(1, isUtc)
      writer.struct(2, () => writer.struct(timeUnits[unit], () => {}))
    }),
})

const convertedTimes = {
  time: { millis: 'TIME_MILLIS', micros: 'TIME_MICROS' },
  timestamp: { millis: 'TIMESTAMP_MILLIS', micros: 'TIMESTAMP_MICROS' },
} as const
