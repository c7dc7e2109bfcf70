/**
 * One snappy block (google/snappy `format_description.txt`).
 *
 *     length                     of the raw bytes: 7 bits a byte, least significant first, at most 32 bits
 *     element*
 *
 *     nnnnnn00 …                 n + 1 bytes follow as they are; n = 60…63: n - 59 bytes hold the length - 1
 *     oooLLL01 oooooooo          copy L + 4 bytes from an offset of 11 bits
 *     LLLLLL10 offset:2          copy L + 1 bytes; little-endian
 *     LLLLLL11 offset:4          the same
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'

/** Three bytes copy at most 64, so no honest block unfolds more than 22-fold. */
const maxRatio = 22

/**
 * Decompresses one block.
 * @throws FormatError `snappy`: cut short, a copy from before the start, lengths that do not agree, or more than
 *   `maxBytes`, which is checked before they are allocated
 */
export const decompressSnappy = (bytes: Uint8Array, maxBytes: number): Buffer => {
  const { length, end: start } = readLength(bytes)
  const most = Math.min(maxBytes, bytes.length * maxRatio)
  if (length > most) throw fault(0, `expected at most ${most} raw bytes, found ${length}`)
  const out = Buffer.allocUnsafeSlow(length)
  let to = 0
  let at = start
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0
    const element = at
    at += 1
    if ((tag & 3) === 0) {
      let size = (tag >> 2) + 1
      if (size > 60) {
        const width = size - 60
        size = readLittle(bytes, at, width) + 1
        at += width
      }
      if (size > bytes.length - at || size > length - to) {
        throw fault(element, `expected a literal that fits, found one of ${size} bytes`)
      }
      out.set(bytes.subarray(at, at + size), to)
      at += size
      to += size
      continue
    }
    const width = (tag & 3) === 3 ? 4 : tag & 3
    const low = readLittle(bytes, at, width)
    at += width
    const size = width === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    const distance = width === 1 ? ((tag >> 5) << 8) | low : low
    if (distance === 0 || distance > to || size > length - to) {
      throw fault(element, `expected a copy within the block, found ${size} bytes from ${distance} before`)
    }
    if (distance >= size) out.copyWithin(to, to - distance, to - distance + size)
    // Byte by byte where a copy overlaps itself, which repeats a pattern.
    else for (let i = to; i < to + size; i++) out[i] = out[i - distance] ?? 0
    to += size
  }
  if (to < length) throw fault(at, `expected ${length - to} more raw bytes, found the end`)
  return out
}

const readLength = (bytes: Uint8Array): { readonly length: number; readonly end: number } => {
  let length = 0
  for (let i = 0; i < 5; i++) {
    const byte = bytes[i]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { length, end: i + 1 }
  }
  throw fault(0, 'expected a length of at most 5 bytes')
}

const readLittle = (bytes: Uint8Array, at: number, width: number): number => {
  if (width > bytes.length - at) throw fault(at, `expected ${width} more bytes, found ${bytes.length - at}`)
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0)
  return value
}

const fault = (at: number, message: string): FormatError => new FormatError('snappy', at, message)
