/**
 * What the encoded values of a leaf are as values of a row: one rule for columns, their nested values, bounds and keys
 * of maps.
 *
 *     BOOLEAN       true, false                    INT96     a time: nanoseconds of the day:8, Julian day:4
 *     INT32, INT64  integers, decimals, dates, times of day, timestamps; all little-endian
 *     FLOAT, DOUBLE little-endian                  BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY   text, decimals (big-endian), UUIDs,
 *                                                  halves of a float, or bytes
 */
import type { Buffer } from 'node:buffer'
import { type SecondDigits, toIsoDate, toIsoInstant, toIsoTimeOfDay, toIsoTimestamp } from '../iso-time.ts'
import { Decimal, Float32, maxIntegerBytes, toDouble, toInteger, type Value } from '../number.ts'
import { fromTwosComplement } from '../twos-complement.ts'
import { formatUuid } from '../uuid.ts'
import type { Leaf } from './schema.ts'
import type { TimeUnit } from './schema-element.ts'

export type LeafValues = {
  /** Bytes of each value; undefined where it differs from value to value, and for booleans. */
  readonly width: number | undefined
  /** Bytes of a value from `start` to `end`, which may change afterwards. */
  readonly fromBytes: (bytes: Buffer, view: DataView, start: number, end: number) => Value
  /** Of INT32 and INT64. */
  readonly fromInteger: (value: number | bigint) => Value
}

/** @param isUnmarkedText whether bytes without a type are text: Impala does not mark its own */
export const toLeafValues = (leaf: Leaf, isUnmarkedText: boolean): LeafValues => {
  switch (leaf.element.type) {
    case 'INT32': {
      const fromInteger = toIntegers(leaf, 32)
      return { width: 4, fromBytes: (_, view, start) => fromInteger(view.getInt32(start, true)), fromInteger }
    }
    case 'INT64': {
      const fromInteger = toIntegers(leaf, 64)
      return { width: 8, fromBytes: (_, view, start) => fromInteger(getLong(view, start)), fromInteger }
    }
    case 'INT96':
      return { width: 12, fromBytes: toInt96, fromInteger: noInteger }
    case 'FLOAT':
      return {
        width: 4,
        fromBytes: (_, view, start) => new Float32(view.getFloat32(start, true)),
        fromInteger: noInteger,
      }
    case 'DOUBLE':
      return { width: 8, fromBytes: (_, view, start) => toDouble(view.getFloat64(start, true)), fromInteger: noInteger }
    case 'FIXED_LEN_BYTE_ARRAY':
      return { width: leaf.element.typeLength ?? 0, fromBytes: toBytes(leaf, isUnmarkedText), fromInteger: noInteger }
    case 'BOOLEAN':
      return { width: undefined, fromBytes: (bytes, _, start) => bytes[start] !== 0, fromInteger: noInteger }
    default:
      return { width: undefined, fromBytes: toBytes(leaf, isUnmarkedText), fromInteger: noInteger }
  }
}

const noInteger = (): null => null

/** Half of them are within a double, and far cheaper so. */
const getLong = (view: DataView, start: number): number | bigint => {
  const high = view.getInt32(start + 4, true)
  if (high >= -0x20_0000 && high < 0x20_0000) {
    const value = high * 0x1_0000_0000 + view.getUint32(start, true)
    if (value >= Number.MIN_SAFE_INTEGER) return value
  }
  return view.getBigInt64(start, true)
}

const digitsOf: Readonly<Record<TimeUnit, SecondDigits>> = { MILLIS: 3, MICROS: 6, NANOS: 9 }

type FromInteger = LeafValues['fromInteger']

const toIntegers = ({ logical }: Leaf, bits: 32 | 64): FromInteger => {
  switch (logical?.kind) {
    case 'DECIMAL': {
      const { scale } = logical
      if (!isScale(scale)) return value => value
      return value => new Decimal(BigInt(value), scale)
    }
    case 'DATE':
      return value => toIsoDate(Number(value))
    case 'TIME': {
      const digits = digitsOf[logical.unit]
      return value => toIsoTimeOfDay(value, digits) ?? value
    }
    case 'TIMESTAMP': {
      const digits = digitsOf[logical.unit]
      return value => toIsoTimestamp(value, digits)
    }
    case 'INTEGER':
      if (logical.isSigned) return value => value
      if (bits === 32) return value => Number(value) >>> 0
      return value => (value >= 0 ? value : toInteger(BigInt.asUintN(64, BigInt(value))))
    default:
      return value => value
  }
}

type FromBytes = LeafValues['fromBytes']

const toBytes = ({ logical, element }: Leaf, isUnmarkedText: boolean): FromBytes => {
  switch (logical?.kind) {
    case 'STRING':
    case 'ENUM':
    case 'JSON':
      return toText
    case 'DECIMAL': {
      const { scale } = logical
      if (!isScale(scale)) return copy
      return (bytes, view, start, end) =>
        end === start || end - start > maxIntegerBytes
          ? copy(bytes, view, start, end)
          : new Decimal(fromTwosComplement(bytes.subarray(start, end)), scale)
    }
    case 'UUID':
      return element.typeLength === 16 ? toUuid : copy
    case 'FLOAT16':
      return element.typeLength === 2 ? toHalf : copy
    case undefined:
      return isUnmarkedText && element.type === 'BYTE_ARRAY' ? toText : copy
    default:
      return copy
  }
}

const isScale = (scale: number): boolean => (scale | 0) === scale

const toText: FromBytes = (bytes, _, start, end) => bytes.toString('utf8', start, end)

const copy: FromBytes = (bytes, _, start, end) => new Uint8Array(bytes.subarray(start, end))

const toUuid: FromBytes = (bytes, _, start, end) => formatUuid(bytes.toString('hex', start, end))

/** IEEE 754 binary16: sign:1 exponent:5 fraction:10. */
const toHalf: FromBytes = (_, view, start) => {
  const bits = view.getUint16(start, true)
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1_023
  if (exponent === 31) return fraction === 0 ? toDouble(sign * Number.POSITIVE_INFINITY) : Number.NaN
  return toDouble(sign * (exponent === 0 ? fraction * 2 ** -24 : (1_024 + fraction) * 2 ** (exponent - 25)))
}

/** The Julian day of 1970-01-01, as its writers count. */
const julianEpoch = 2_440_588
const nanosPerDay = 86_400_000_000_000

const toInt96: FromBytes = (_, view, start) => {
  const days = view.getInt32(start + 8, true) - julianEpoch
  const nanos = getLong(view, start)
  if (typeof nanos === 'number' && nanos >= 0 && nanos < nanosPerDay) return toIsoInstant(days, nanos, 9)
  return toIsoTimestamp(BigInt(days) * BigInt(nanosPerDay) + BigInt(nanos), 9)
}
