/**
 * Fields of Protocol Buffers, as they are on the wire: each a varint of its number and wire type, and a value.
 *
 *     tag     varint: number × 8 + wire type
 *     0       varint, at most 64 bits
 *     1       8 bytes, little-endian
 *     2       varint length, and as many bytes
 *     5       4 bytes, little-endian
 *
 * Groups (3 and 4) have been gone since 2008, and are refused.
 */
import { FormatError } from '../../errors.ts'

/** A field: a number, or the place of its bytes. */
export type ProtobufField = { readonly number: number; readonly at: number } & (
  | { readonly wire: 'varint' | 'fixed64'; readonly value: bigint }
  | { readonly wire: 'fixed32'; readonly value: number }
  | { readonly wire: 'bytes'; readonly start: number; readonly end: number }
)

/** The fields of a message, in their order. @throws FormatError `protobuf`: it is damaged */
export function* readProtobufFields(
  bytes: Uint8Array,
  start = 0,
  end: number = bytes.length,
): Generator<ProtobufField, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = start
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at]
      if (byte === undefined || at >= end) throw fault(at, 'expected the rest of a number')
      at++
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) {
        if (value > max64) break
        return value
      }
    }
    throw fault(at, 'expected a number of at most 64 bits')
  }
  const skip = (length: number): number => {
    if (length > end - at) throw fault(at, `expected ${length} bytes, found ${end - at}`)
    at += length
    return at - length
  }
  while (at < end) {
    const tagAt = at
    const tag = varint()
    const number = Number(tag >> 3n)
    if (number === 0 || number > maxFieldNumber) throw fault(tagAt, 'expected the number of a field')
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, at: tagAt, wire: 'varint', value: varint() }
        break
      case 1:
        yield { number, at: tagAt, wire: 'fixed64', value: view.getBigUint64(skip(8), true) }
        break
      case 2: {
        const length = varint()
        const from = skip(length > BigInt(end) ? end + 1 : Number(length))
        yield { number, at: tagAt, wire: 'bytes', start: from, end: at }
        break
      }
      case 5:
        yield { number, at: tagAt, wire: 'fixed32', value: view.getUint32(skip(4), true) }
        break
      default:
        throw fault(tagAt, 'expected the wire type 0, 1, 2 or 5')
    }
  }
}

const max64 = 2n ** 64n - 1n
const maxFieldNumber = 2 ** 29 - 1

const fault = (at: number, message: string): FormatError => new FormatError('protobuf', at, message)
