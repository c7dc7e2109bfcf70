/**
 * Bounds of columns (Iceberg specification, Appendix D, "Binary single-value serialization"): numbers little-endian,
 * times in microseconds, texts in UTF-8, unscaled decimals big-endian.
 */
import { Buffer } from 'node:buffer'
import type { Leaf } from '../formats/parquet/schema.ts'
import { fromTwosComplement, toTwosComplement } from '../formats/twos-complement.ts'

/** Longest bound, in code points of a text and bytes of binary, as other writers have it (`truncate(16)`). */
const maxBoundLength = 16

/**
 * A bound as Parquet has it, as one of a column of a table.
 * @param bound as `PLAIN` encodes values, without a length
 * @param type of the column, as the schema of the table has it
 * @returns undefined where the two do not go together, or it bounds nothing
 */
export const toBound = (bound: Buffer, type: string, { element, logical }: Leaf): Buffer | undefined => {
  const physical = element.type
  switch (type) {
    case 'boolean':
      return physical === 'BOOLEAN' && bound.length === 1 ? bound : undefined
    case 'int':
    case 'date':
      return physical === 'INT32' && bound.length === 4 ? bound : undefined
    case 'long':
      return toInteger(bound, physical)
    case 'float':
      return physical === 'FLOAT' && bound.length === 4 && !Number.isNaN(bound.readFloatLE()) ? bound : undefined
    case 'double':
      return toDouble(bound, physical)
    case 'timestamp':
    case 'timestamptz': {
      const value = toInteger(bound, physical)
      if (value === undefined || logical?.kind !== 'TIMESTAMP' || logical.unit === 'NANOS') return undefined
      return logical.unit === 'MICROS' ? value : toLong(value.readBigInt64LE() * 1_000n)
    }
    case 'string':
    case 'binary':
      return physical === 'BYTE_ARRAY' ? bound : undefined
    default:
      return type.startsWith('decimal(') ? toUnscaled(bound, physical) : undefined
  }
}

const toInteger = (bound: Buffer, physical: string | undefined): Buffer | undefined => {
  if (physical === 'INT64' && bound.length === 8) return bound
  // A file from before the column became wider.
  return physical === 'INT32' && bound.length === 4 ? toLong(BigInt(bound.readInt32LE())) : undefined
}

const toDouble = (bound: Buffer, physical: string | undefined): Buffer | undefined => {
  const value = physical === 'DOUBLE' && bound.length === 8 ? bound.readDoubleLE() : undefined
  const number = physical === 'FLOAT' && bound.length === 4 ? bound.readFloatLE() : value
  if (number === undefined || Number.isNaN(number)) return undefined
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(number)
  return bytes
}

const toUnscaled = (bound: Buffer, physical: string | undefined): Buffer | undefined => {
  if (physical === 'INT32' && bound.length === 4) return Buffer.from(toTwosComplement(BigInt(bound.readInt32LE())))
  if (physical === 'INT64' && bound.length === 8) return Buffer.from(toTwosComplement(bound.readBigInt64LE()))
  const isBytes = physical === 'BYTE_ARRAY' || physical === 'FIXED_LEN_BYTE_ARRAY'
  return isBytes && bound.length > 0 ? Buffer.from(toTwosComplement(fromTwosComplement(bound))) : undefined
}

const toLong = (value: bigint): Buffer | undefined => {
  if (BigInt.asIntN(64, value) !== value) return undefined
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

/** By the order of the type. */
export const compareBounds = (left: Buffer, right: Buffer, type: string): number => {
  switch (type) {
    case 'int':
    case 'date':
      return left.readInt32LE() - right.readInt32LE()
    case 'long':
    case 'timestamp':
    case 'timestamptz':
      return Number(left.readBigInt64LE() - right.readBigInt64LE())
    case 'float':
      return left.readFloatLE() - right.readFloatLE()
    case 'double':
      return left.readDoubleLE() - right.readDoubleLE()
    default:
      return type.startsWith('decimal(')
        ? Number(fromTwosComplement(left) - fromTwosComplement(right))
        : Buffer.compare(left, right)
  }
}

/** A short bound in place of a long one: of the largest value nothing where no short one is above it. */
export const truncateBound = (bound: Buffer, type: string, side: 'lower' | 'upper'): Buffer | undefined => {
  const units = type === 'string' ? Array.from(bound.toString('utf8')) : undefined
  if ((units ?? bound).length <= maxBoundLength) return bound
  if (units) {
    const short = units.slice(0, maxBoundLength)
    return side === 'lower' ? Buffer.from(short.join('')) : nextText(short)
  }
  const short = Buffer.from(bound.subarray(0, maxBoundLength))
  return side === 'lower' ? short : nextBytes(short)
}

const lastCodePoint = 0x10_ff_ff
const [firstSurrogate, behindSurrogates] = [0xd800, 0xe000]

/** The least text above all that begin so. */
const nextText = (units: readonly string[]): Buffer | undefined => {
  for (let end = units.length; end > 0; end--) {
    const code = units[end - 1]?.codePointAt(0) ?? lastCodePoint
    if (code >= lastCodePoint) continue
    const next = code + 1 === firstSurrogate ? behindSurrogates : code + 1
    return Buffer.from(units.slice(0, end - 1).join('') + String.fromCodePoint(next))
  }
  return undefined
}

const nextBytes = (bytes: Buffer): Buffer | undefined => {
  for (let end = bytes.length; end > 0; end--) {
    const last = bytes[end - 1] ?? 0xff
    if (last === 0xff) continue
    const next = Buffer.from(bytes.subarray(0, end))
    next[end - 1] = last + 1
    return next
  }
  return undefined
}
