/**
 * Values of a file as they are written into another one, exact to the bit:
 *
 *     BOOLEAN                            true, false
 *     INT32, FLOAT                       the integer of their 32 bits
 *     INT64                              an integer
 *     DOUBLE                             a number; one that is not a number as the integer of its 64 bits
 *     BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY   a text with a character for each byte: far cheaper than a buffer
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../../../errors.ts'
import { fromTwosComplement } from '../../twos-complement.ts'
import { type LeafValues, toLeafValues } from '../leaf-values.ts'
import type { Leaf } from '../schema.ts'
import type { PhysicalType } from '../words.ts'
import type { TargetLeaf, TargetType } from './target.ts'

/** Values of a leaf that are gone over: nothing takes them. */
export const noValues = (leaf: Leaf): LeafValues => ({
  ...toLeafValues(leaf, false),
  fromBytes: () => true,
  fromInteger: () => true,
})

/** Makes what reads values of a leaf as those of a target. @throws FormatError the two do not go together */
export const toRawValues = (leaf: Leaf, { type, path }: TargetLeaf): LeafValues => {
  const found = leaf.element.type === undefined ? undefined : convert(leaf, type)
  if (found) return { width: toLeafValues(leaf, false).width, ...found }
  const { logical, element } = leaf
  const what = `${element.type ?? 'a group'}${logical ? ` (${logical.kind})` : ''}`
  throw new FormatError('parquet', 0, `expected values of ${type.meaning} in ${path.join('.')}, found ${what};`)
}

type Conversion = Pick<LeafValues, 'fromBytes' | 'fromInteger'>

const asInteger = (fromInteger: LeafValues['fromInteger'], physical: string | undefined): Conversion => ({
  fromInteger,
  fromBytes: (_, view, start) =>
    fromInteger(physical === 'INT32' ? view.getInt32(start, true) : toShort(view.getBigInt64(start, true))),
})

const toShort = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

const asBytes = (fromBytes: LeafValues['fromBytes']): Conversion => ({ fromBytes, fromInteger: () => null })

const toText = (bytes: Buffer, _: unknown, start: number, end: number): string => bytes.toString('latin1', start, end)

const convert = (leaf: Leaf, target: TargetType): Conversion | undefined => {
  const { element, logical } = leaf
  const physical = element.type
  const isSigned = logical === undefined || (logical.kind === 'INTEGER' && logical.isSigned)
  const isOfWidth = physical === 'FIXED_LEN_BYTE_ARRAY' && element.typeLength === target.width
  switch (target.meaning) {
    case 'ordered':
    case 'unordered':
      return physical === target.physical ? keep(physical) : undefined
    case 'boolean':
      return physical === 'BOOLEAN' ? asBytes((bytes, _, start) => bytes[start] !== 0) : undefined
    case 'int':
      return physical === 'INT32' && isSigned ? asInteger(value => value, physical) : undefined
    case 'long':
      return (physical === 'INT32' || physical === 'INT64') && isSigned
        ? asInteger(value => value, physical)
        : undefined
    case 'date':
      return physical === 'INT32' && logical?.kind === 'DATE' ? asInteger(value => value, physical) : undefined
    case 'time':
    case 'timestamp':
      return convertTime(leaf, target.meaning)
    case 'float':
      return physical === 'FLOAT' ? asBytes((_, view, start) => view.getInt32(start, true)) : undefined
    case 'double':
      if (physical === 'DOUBLE') return asBytes(toDouble)
      return physical === 'FLOAT' ? asBytes((_, view, start) => view.getFloat32(start, true)) : undefined
    case 'string':
      return physical === 'BYTE_ARRAY' && isText(leaf) ? asBytes(toText) : undefined
    case 'binary':
      return physical === 'BYTE_ARRAY' && logical?.kind !== 'DECIMAL' ? asBytes(toText) : undefined
    case 'uuid':
      return isOfWidth ? asBytes(toText) : undefined
    case 'fixed':
      return isOfWidth && logical?.kind !== 'DECIMAL' ? asBytes(toText) : undefined
    case 'decimal':
      return convertDecimal(leaf, target)
  }
}

/** As it is, whatever it means. */
const keep = (physical: PhysicalType): Conversion => {
  switch (physical) {
    case 'BOOLEAN':
      return asBytes((bytes, _, start) => bytes[start] !== 0)
    case 'INT32':
    case 'INT64':
      return asInteger(value => value, physical)
    case 'FLOAT':
      return asBytes((_, view, start) => view.getInt32(start, true))
    case 'DOUBLE':
      return asBytes(toDouble)
    default:
      return asBytes(toText)
  }
}

const toDouble: LeafValues['fromBytes'] = (_, view, start) => {
  const value = view.getFloat64(start, true)
  // The engine may have but one value that is not a number.
  return Number.isNaN(value) ? view.getBigInt64(start, true) : value
}

const isText = ({ logical }: Leaf): boolean =>
  logical === undefined || logical.kind === 'STRING' || logical.kind === 'ENUM' || logical.kind === 'JSON'

const convertTime = ({ element, logical }: Leaf, meaning: 'time' | 'timestamp'): Conversion | undefined => {
  const kind = meaning === 'time' ? 'TIME' : 'TIMESTAMP'
  if (logical?.kind !== kind) return undefined
  const isWide = element.type === 'INT64'
  if (logical.unit === 'MICROS') return isWide ? asInteger(value => value, 'INT64') : undefined
  if (logical.unit !== 'MILLIS') return undefined
  return asInteger(value => toLong(BigInt(value) * 1_000n), isWide ? 'INT64' : 'INT32')
}

const toLong = (value: bigint): number | bigint => {
  if (BigInt.asIntN(64, value) === value) return toShort(value)
  throw new FormatError('parquet', 0, `expected a time in µs of 64 bits, found ${value}`)
}

const integerBytes: { readonly [physical in PhysicalType]?: number } = { INT32: 4, INT64: 8 }

const convertDecimal = (
  { element, logical }: Leaf,
  { physical, scale, precision, width = 0 }: TargetType,
): Conversion | undefined => {
  if (logical?.kind !== 'DECIMAL' || logical.scale !== scale) return undefined
  const bits = (integerBytes[physical] ?? width) * 8
  const toTarget = (value: bigint): number | bigint | string => {
    if (BigInt.asIntN(bits, value) !== value)
      throw new FormatError('parquet', 0, `expected a decimal of ${precision} digits, found ${value}`)
    if (physical !== 'FIXED_LEN_BYTE_ARRAY') return toShort(value)
    const digits = BigInt.asUintN(width * 8, value)
      .toString(16)
      .padStart(width * 2, '0')
    return Buffer.from(digits, 'hex').toString('latin1')
  }
  switch (element.type) {
    case 'INT32':
    case 'INT64':
      return asInteger(value => toTarget(BigInt(value)), element.type)
    case 'FIXED_LEN_BYTE_ARRAY':
    case 'BYTE_ARRAY':
      if (element.typeLength === width && element.type === physical) return asBytes(toText)
      return asBytes((bytes, _, start, end) =>
        toTarget(start === end ? 0n : fromTwosComplement(bytes.subarray(start, end))),
      )
    default:
      return undefined
  }
}
