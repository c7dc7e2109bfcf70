/** An element of a Parquet schema and what its values mean (parquet.thrift, `SchemaElement` and `LogicalType`). */
import type { CompactReader } from './compact.ts'
import {
  type ConvertedType,
  convertedTypes,
  type PhysicalType,
  physicalTypes,
  type Repetition,
  repetitions,
} from './words.ts'

export type SchemaElement = {
  readonly name: string
  /** Absent for a group. */
  readonly type?: PhysicalType | undefined
  /** Bytes of a FIXED_LEN_BYTE_ARRAY. */
  readonly typeLength?: number | undefined
  readonly repetition: Repetition
  readonly children?: number | undefined
  /** What older writers say instead of, or beside, the logical type. */
  readonly converted?: ConvertedType | undefined
  readonly logical?: LogicalType | undefined
  readonly scale?: number | undefined
  readonly precision?: number | undefined
  /** By which a table knows it. */
  readonly fieldId?: number | undefined
  /** Whether it says of its values what is not known here, and so not kept. */
  readonly isForeign?: boolean
}

export type TimeUnit = 'MILLIS' | 'MICROS' | 'NANOS'

export type LogicalType =
  | { readonly kind: PlainKind }
  | { readonly kind: 'DECIMAL'; readonly scale: number; readonly precision: number }
  | { readonly kind: 'TIME' | 'TIMESTAMP'; readonly unit: TimeUnit; readonly isUtc: boolean }
  | { readonly kind: 'INTEGER'; readonly bits: number; readonly isSigned: boolean }

const plainKinds = {
  1: 'STRING',
  2: 'MAP',
  3: 'LIST',
  4: 'ENUM',
  6: 'DATE',
  11: 'NULL',
  12: 'JSON',
  13: 'BSON',
  14: 'UUID',
  15: 'FLOAT16',
  16: 'VARIANT',
  17: 'GEOMETRY',
  18: 'GEOGRAPHY',
} as const
type PlainKind = (typeof plainKinds)[keyof typeof plainKinds] | 'INTERVAL'

export const readSchemaElement = (reader: CompactReader, type: number): SchemaElement => {
  const found: { -readonly [Name in keyof SchemaElement]: SchemaElement[Name] } = { name: '', repetition: 'required' }
  reader.struct(type, (id, type) => {
    if (id === 1) {
      found.type = physicalTypes[reader.integer(type) ?? -1]
      if (found.type === undefined) found.isForeign = true
    } else if (id === 2) found.typeLength = reader.integer(type)
    else if (id === 3) {
      const repetition = repetitions[reader.integer(type) ?? -1]
      found.repetition = repetition ?? 'required'
      if (repetition === undefined) found.isForeign = true
    } else if (id === 4) found.name = reader.text(type) ?? ''
    else if (id === 5) found.children = reader.integer(type)
    else if (id === 6) {
      found.converted = convertedTypes[reader.integer(type) ?? -1]
      if (found.converted === undefined) found.isForeign = true
    } else if (id === 7) found.scale = reader.integer(type)
    else if (id === 8) found.precision = reader.integer(type)
    else if (id === 9) found.fieldId = reader.integer(type)
    else if (id === 10) {
      found.logical = readLogicalType(reader, type)
      if (found.logical === undefined) found.isForeign = true
    }
  })
  return found
}

const readLogicalType = (reader: CompactReader, type: number): LogicalType | undefined => {
  let found: LogicalType | undefined
  reader.struct(type, (kind, type) => {
    if (kind === 5) found = readDecimal(reader, type)
    else if (kind === 7 || kind === 8) found = readTime(reader, type, kind === 7 ? 'TIME' : 'TIMESTAMP')
    else if (kind === 10) found = readInteger(reader, type)
    else if (Object.hasOwn(plainKinds, kind)) found = { kind: plainKinds[kind as keyof typeof plainKinds] }
  })
  return found
}

const readDecimal = (reader: CompactReader, type: number): LogicalType => {
  let [scale, precision] = [0, 0]
  reader.struct(type, (id, type) => {
    if (id === 1) scale = reader.integer(type) ?? scale
    else if (id === 2) precision = reader.integer(type) ?? precision
  })
  return { kind: 'DECIMAL', scale, precision }
}

const units: Readonly<Record<number, TimeUnit>> = { 1: 'MILLIS', 2: 'MICROS', 3: 'NANOS' }

/** @returns undefined for a unit that is not known: what its numbers mean is not, either */
const readTime = (reader: CompactReader, type: number, kind: 'TIME' | 'TIMESTAMP'): LogicalType | undefined => {
  let isUtc = false
  let unit: TimeUnit | undefined
  reader.struct(type, (id, type) => {
    if (id === 1) isUtc = reader.boolean(type) ?? isUtc
    else if (id === 2) {
      reader.struct(type, id => {
        unit = units[id]
      })
    }
  })
  return unit && { kind, unit, isUtc }
}

const readInteger = (reader: CompactReader, type: number): LogicalType => {
  let [bits, isSigned] = [64, true]
  reader.struct(type, (id, type) => {
    if (id === 1) bits = reader.integer(type) ?? bits
    else if (id === 2) isSigned = reader.boolean(type) ?? isSigned
  })
  return { kind: 'INTEGER', bits, isSigned }
}

/** What values of an element mean, by its logical type or else by what older writers say; undefined where neither does. */
export const toLogicalType = ({ logical, converted, scale, precision }: SchemaElement): LogicalType | undefined => {
  if (logical !== undefined || converted === undefined) return logical
  switch (converted) {
    case 'UTF8':
      return { kind: 'STRING' }
    case 'MAP_KEY_VALUE':
      return { kind: 'MAP' }
    case 'DECIMAL':
      return { kind: 'DECIMAL', scale: scale ?? 0, precision: precision ?? 0 }
    case 'TIME_MILLIS':
      return { kind: 'TIME', unit: 'MILLIS', isUtc: true }
    case 'TIME_MICROS':
      return { kind: 'TIME', unit: 'MICROS', isUtc: true }
    case 'TIMESTAMP_MILLIS':
      return { kind: 'TIMESTAMP', unit: 'MILLIS', isUtc: true }
    case 'TIMESTAMP_MICROS':
      return { kind: 'TIMESTAMP', unit: 'MICROS', isUtc: true }
    case 'MAP':
    case 'LIST':
    case 'ENUM':
    case 'DATE':
    case 'JSON':
    case 'BSON':
    case 'INTERVAL':
      return { kind: converted }
    default: {
      const [word = '', bits] = converted.split('_')
      return { kind: 'INTEGER', bits: Number(bits), isSigned: word === 'INT' }
    }
  }
}
