/**
 * One LZ4 block (lz4 `lz4_Block_format.md`): sequences up to the end.
 *
 *     token                      LLLLMMMM
 *     length*                    when L is 15: bytes to add, up to one that is not 255
 *     L bytes                    as they are; the last sequence ends here
 *     offset:2                   little-endian, from 1
 *     length*                    when M is 15
 *                                copy M + 4 bytes from `offset` before
 */
import { FormatError } from '../errors.ts'

const minCopy = 4

/**
 * Decompresses one block into `out` from `start` on and returns the end; copies may reach back to `from`, where the
 * output of earlier blocks is.
 * @throws FormatError `lz4`: cut short, a copy from before `from`, or more than fits into `out`
 */
export const decompressLz4Into = (bytes: Uint8Array, out: Uint8Array, start: number, from = start): number => {
  let to = start
  let at = 0
  while (at < bytes.length) {
    const sequence = at
    const token = bytes[at] ?? 0
    at += 1
    let literals = token >> 4
    if (literals === 15) {
      for (let more = 255; more === 255; at++) {
        more = byteAt(bytes, at)
        literals += more
      }
    }
    if (literals > bytes.length - at || literals > out.length - to) {
      throw fault(sequence, `expected literals that fit, found ${literals} bytes`)
    }
    if (literals > 0) out.set(bytes.subarray(at, at + literals), to)
    at += literals
    to += literals
    if (at === bytes.length) return to
    const distance = byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8)
    at += 2
    let size = token & 15
    if (size === 15) {
      for (let more = 255; more === 255; at++) {
        more = byteAt(bytes, at)
        size += more
      }
    }
    size += minCopy
    if (distance === 0 || distance > to - from || size > out.length - to) {
      throw fault(sequence, `expected a copy that fits, found ${size} bytes from ${distance} before`)
    }
    if (distance >= size) out.copyWithin(to, to - distance, to - distance + size)
    // Byte by byte where a copy overlaps itself, which repeats a pattern.
    else for (let i = to; i < to + size; i++) out[i] = out[i - distance] ?? 0
    to += size
  }
  throw fault(at, 'expected literals at the end of the block')
}

const byteAt = (bytes: Uint8Array, at: number): number => {
  const byte = bytes[at]
  if (byte === undefined) throw fault(at, 'expected more bytes, found the end of the block')
  return byte
}

const fault = (at: number, message: string): FormatError => new FormatError('lz4', at, message)
