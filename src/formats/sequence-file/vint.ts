/**
 * Hadoop's variable-length integer, here of 32 bits:
 *
 *     b               -112 <= b <= 127      the value itself
 *     b bytes         -113 >= b >= -116     a positive number in -112 - b bytes, big-endian
 *     b bytes         -121 >= b >= -124     a negative number in -120 - b bytes: its one's complement
 */
import { FormatError } from '../../errors.ts'

const maxBytes = 4

/** Bytes of a vint; RangeError unless it is a 32-bit integer. */
export const encodeVint = (value: number): Uint8Array => {
  if ((value | 0) !== value) throw new RangeError(`Cannot write ${value} as a vint: expected a 32-bit integer`)
  if (value >= -112 && value <= 127) return Uint8Array.of(value)
  const bits = value < 0 ? ~value : value
  const count = Math.max(1, Math.ceil((32 - Math.clz32(bits)) / 8))
  const bytes = new Uint8Array(1 + count)
  bytes[0] = (value < 0 ? -120 : -112) - count
  for (let i = 0; i < count; i++) bytes[1 + i] = bits >>> (8 * (count - 1 - i))
  return bytes
}

/**
 * Reads a vint of 32 bits at `at`.
 * @throws FormatError `vint`: cut short, or more than 32 bits
 */
export const readVint = (bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } => {
  const unsigned = bytes[at]
  if (unsigned === undefined) throw new FormatError('vint', at, 'expected an integer, found the end')
  const first = (unsigned << 24) >> 24
  if (first >= -112) return { value: first, end: at + 1 }
  const count = first < -120 ? -120 - first : -112 - first
  if (count > maxBytes) throw new FormatError('vint', at, `expected a 32-bit integer, found ${8 * count} bits`)
  const end = at + 1 + count
  if (end > bytes.length)
    throw new FormatError('vint', at, `expected ${count} more bytes, found ${bytes.length - at - 1}`)
  let bits = 0
  for (let i = at + 1; i < end; i++) bits = (bits << 8) | (bytes[i] ?? 0)
  if (bits < 0) throw new FormatError('vint', at, 'expected a 32-bit integer, found a larger one')
  return { value: first < -120 ? ~bits : bits, end }
}
