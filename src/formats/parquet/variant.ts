/**
 * Variant values (VariantEncoding.md, VariantShredding.md); numbers are little-endian unless they say otherwise:
 *
 *     metadata   version:4 sorted:1 0:1 offset size - 1:2   size offsets:size+1 names      the names of all objects within
 *     value      basic type:2 header:6, then
 *     0          a scalar; the header is its type
 *     1          a text of as many bytes as the header says
 *     2          header: offset size - 1:2, id size - 1:2, large:1     size:1|4 ids:size offsets:size+1 values
 *     3          header: offset size - 1:2, large:1                    size:1|4 offsets:size+1 values
 *
 * Shredded, a value is in `typed_value` as far as it has that type, a list or object of such pairs, and in `value`
 * otherwise; a member of an object that is in neither is absent, which differs from null.
 */
import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import { toIsoDate, toIsoTimeOfDay, toIsoTimestamp } from '../iso-time.ts'
import { isObject, setMember, toMembers } from '../members.ts'
import { Decimal, Float32, toDouble, toInteger, type Value } from '../number.ts'
import { toBuffer } from '../to-buffer.ts'
import { fromTwosComplement } from '../twos-complement.ts'
import { formatUuid } from '../uuid.ts'

/** Deepest nesting of arrays and objects. */
const maxNesting = 500

/**
 * The value of a Variant column.
 * @param found its group without the metadata, as it is assembled
 * @param budget in which each value counts
 * @throws FormatError damage; LimitError
 */
export const readVariant = (metadata: Value, found: Value, budget: Budget): Value =>
  toWhole(found, { names: metadata instanceof Uint8Array ? toBuffer(metadata) : noBytes, budget }) ?? null

const noBytes = toBuffer(new Uint8Array())

type Kit = { readonly names: Buffer; readonly budget: Budget }

/** Undefined where there is nothing. */
const toWhole = (found: Value, kit: Kit): Value | undefined => {
  if (!isObject(found)) return undefined
  const { value = null, typed_value: typed = null } = found
  const rest = value instanceof Uint8Array ? readValue(toBuffer(value), 0, kit, 0) : undefined
  if (typed === null) return rest
  if (Array.isArray(typed)) return typed.map(item => toWhole(item, kit) ?? null)
  if (!isObject(typed)) return typed
  const object: { [name: string]: Value } = {}
  for (const source of [typed, isObject(rest) ? rest : {}]) {
    const { names, values } = toMembers(source)
    for (const [i, name] of names.entries()) {
      const member = values[i] ?? null
      const whole = source === typed ? toWhole(member, kit) : member
      if (whole !== undefined) setMember(object, name, whole)
    }
  }
  return object
}

const readValue = (bytes: Buffer, at: number, kit: Kit, nesting: number): Value => {
  if (nesting > maxNesting) throw fault(`expected at most ${maxNesting} levels`)
  kit.budget.value()
  const head = readNumber(bytes, at, 1)
  const header = head >> 2
  switch (head & 3) {
    case 0:
      return readScalar(bytes, at + 1, header, kit)
    case 1:
      return readText(bytes, at + 1, header, kit)
    case 2:
      return readObject(bytes, at + 1, header, kit, nesting)
    default:
      return readArray(bytes, at + 1, header, kit, nesting)
  }
}

const readScalar = (bytes: Buffer, at: number, type: number, kit: Kit): Value => {
  switch (type) {
    case 0:
      return null
    case 1:
    case 2:
      return type === 1
    case 3:
      return take(bytes, at, 1).readInt8()
    case 4:
      return take(bytes, at, 2).readInt16LE()
    case 5:
      return take(bytes, at, 4).readInt32LE()
    case 6:
      return readLong(bytes, at)
    case 7:
      return toDouble(take(bytes, at, 8).readDoubleLE())
    case 8:
    case 9:
    case 10:
      return new Decimal(
        fromTwosComplement(take(bytes, at + 1, 2 ** (type - 6)).toReversed()),
        readNumber(bytes, at, 1),
      )
    case 11:
      return toIsoDate(take(bytes, at, 4).readInt32LE())
    case 12:
    case 13:
      return toIsoTimestamp(readLong(bytes, at), 6)
    case 14:
      return new Float32(take(bytes, at, 4).readFloatLE())
    case 15: {
      const length = readNumber(bytes, at, 4)
      kit.budget.bytes(length)
      return new Uint8Array(take(bytes, at + 4, length))
    }
    case 16:
      return readText(bytes, at + 4, readNumber(bytes, at, 4), kit)
    case 17: {
      const count = readLong(bytes, at)
      return toIsoTimeOfDay(count, 6) ?? count
    }
    case 18:
    case 19:
      return toIsoTimestamp(readLong(bytes, at), 9)
    case 20:
      return formatUuid(take(bytes, at, 16).toString('hex'))
    default:
      throw fault(`expected a type from 0 to 20, found ${type}`)
  }
}

const readObject = (bytes: Buffer, at: number, header: number, kit: Kit, nesting: number): Value => {
  const offsetSize = (header & 3) + 1
  const idSize = ((header >> 2) & 3) + 1
  const countSize = header & 16 ? 4 : 1
  const count = readNumber(bytes, at, countSize)
  const ids = at + countSize
  const offsets = ids + count * idSize
  const start = offsets + (count + 1) * offsetSize
  const object: { [name: string]: Value } = {}
  for (let i = 0; i < count; i++) {
    const name = readName(readNumber(bytes, ids + i * idSize, idSize), kit)
    const value = readValue(bytes, start + readNumber(bytes, offsets + i * offsetSize, offsetSize), kit, nesting + 1)
    setMember(object, name, value)
  }
  return object
}

const readArray = (bytes: Buffer, at: number, header: number, kit: Kit, nesting: number): Value => {
  const offsetSize = (header & 3) + 1
  const countSize = header & 4 ? 4 : 1
  const count = readNumber(bytes, at, countSize)
  const offsets = at + countSize
  const start = offsets + (count + 1) * offsetSize
  const items: Value[] = []
  for (let i = 0; i < count; i++) {
    items.push(readValue(bytes, start + readNumber(bytes, offsets + i * offsetSize, offsetSize), kit, nesting + 1))
  }
  return items
}

const readName = (id: number, { names, budget }: Kit): string => {
  const size = (readNumber(names, 0, 1) >> 6) + 1
  const count = readNumber(names, 1, size)
  if (id >= count) throw fault(`expected one of ${count} names, found ${id}`)
  const offsets = 1 + size
  const [start, end] = [
    readNumber(names, offsets + id * size, size),
    readNumber(names, offsets + (id + 1) * size, size),
  ]
  if (end < start) throw fault('expected a name that ends behind its start')
  budget.bytes(end - start)
  return take(names, offsets + (count + 1) * size + start, end - start).toString('utf8')
}

const readText = (bytes: Buffer, at: number, length: number, { budget }: Kit): string => {
  budget.bytes(length)
  return take(bytes, at, length).toString('utf8')
}

const readLong = (bytes: Buffer, at: number): number | bigint => toInteger(take(bytes, at, 8).readBigInt64LE())

const readNumber = (bytes: Buffer, at: number, size: number): number => take(bytes, at, size).readUIntLE(0, size)

const take = (bytes: Buffer, at: number, size: number): Buffer => {
  if (at + size <= bytes.length) return bytes.subarray(at, at + size)
  throw fault(`expected ${at + size} bytes, found ${bytes.length}`)
}

const fault = (message: string): FormatError => new FormatError('parquet', 0, `in a variant: ${message};`)
