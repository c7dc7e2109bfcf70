/**
 * LZF as the old collector's files have it (the chunk format of ning-compress): chunks one after another, no trailer.
 *
 *     5a 56 00 length:2 bytes                           stored
 *     5a 56 01 length:2 rawLength:2 instructions        compressed; lengths are big-endian, at most 65 535
 *
 *     000lllll                     l + 1 bytes follow as they are (1 to 32)
 *     lllooooo oooooooo            copy l + 2 bytes (3 to 8) from o + 1 before the end of the output
 *     111ooooo llllllll oooooooo   copy l + 9 bytes (9 to 264)
 *
 * A copy never reaches before its chunk, so chunks are independent.
 */
import { FormatError } from '../errors.ts'
import { checkPadding } from './frames.ts'

/** Most bytes of one chunk, raw: what its two-byte length can say. */
export const maxChunkBytes = 0xffff

const magic = [0x5a, 0x56] as const
const storedHeader = 5
const compressedHeader = 7
const maxLiteral = 32
const maxCopy = 264
const maxDistance = 8192
/** Three bytes copy at most 264, so no honest chunk unfolds more than 88-fold. */
const maxRatio = 88
const hashBits = 14

/** Compresses bytes; empty input gives empty output. */
export const compressLzf = (bytes: Uint8Array): Uint8Array => {
  const chunks = Math.ceil(bytes.length / maxChunkBytes)
  // A chunk that does not shrink is stored; before that is known it may run over by one control byte in 32.
  const out = new Uint8Array(bytes.length + chunks * compressedHeader + Math.ceil(maxChunkBytes / maxLiteral))
  // Positions of three-byte sequences, plus 1. Entries of earlier chunks lie before `start` and are skipped.
  const seen = new Int32Array(1 << hashBits)
  let at = 0
  for (let start = 0; start < bytes.length; start += maxChunkBytes) {
    const end = Math.min(start + maxChunkBytes, bytes.length)
    const raw = end - start
    const compressed = compressChunk(bytes, start, end, out, at + compressedHeader, seen) - at - compressedHeader
    out.set(magic, at)
    if (compressed + compressedHeader < raw + storedHeader) {
      out[at + 2] = 1
      writeU16(out, at + 3, compressed)
      writeU16(out, at + 5, raw)
      at += compressedHeader + compressed
    } else {
      out[at + 2] = 0
      writeU16(out, at + 3, raw)
      out.set(bytes.subarray(start, end), at + storedHeader)
      at += storedHeader + raw
    }
  }
  return out.subarray(0, at)
}

/**
 * Decompresses chunks up to the end of `bytes`, or to padding.
 * @throws FormatError `lzf`: no chunk where one is due, a chunk cut short, lengths that do not agree, a copy from before
 *   the chunk, or more than `maxBytes` of output, which is checked before it is allocated
 */
export const decompressLzf = (bytes: Uint8Array, maxBytes: number): Uint8Array => {
  const { total, last } = measure(bytes, maxBytes)
  const out = new Uint8Array(total)
  let to = 0
  for (let at = 0; at < last; ) {
    const { compressed, data, end, raw } = readHeader(bytes, at)
    if (compressed) decompressChunk(bytes, data, end, out, to, to + raw)
    else out.set(bytes.subarray(data, end), to)
    to += raw
    at = end
  }
  return out
}

const compressChunk = (
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  outAt: number,
  seen: Int32Array,
) => {
  let literal = start
  let to = outAt
  let at = start
  while (at + 2 < end) {
    const three = (byteAt(bytes, at) << 16) | (byteAt(bytes, at + 1) << 8) | byteAt(bytes, at + 2)
    const slot = Math.imul(three, 0x9e3779b1) >>> (32 - hashBits)
    const from = (seen[slot] ?? 0) - 1
    seen[slot] = at + 1
    if (from < start || at - from > maxDistance || !isSame(bytes, from, at)) {
      at++
      continue
    }
    to = writeLiterals(bytes, literal, at, out, to)
    const most = Math.min(maxCopy, end - at)
    let length = 3
    while (length < most && bytes[from + length] === bytes[at + length]) length++
    to = writeCopy(length, at - from, out, to)
    at += length
    literal = at
  }
  return writeLiterals(bytes, literal, end, out, to)
}

const writeLiterals = (bytes: Uint8Array, start: number, end: number, out: Uint8Array, outAt: number): number => {
  let to = outAt
  for (let at = start; at < end; at += maxLiteral) {
    const stop = Math.min(at + maxLiteral, end)
    out[to++] = stop - at - 1
    for (let i = at; i < stop; i++) out[to++] = byteAt(bytes, i)
  }
  return to
}

const writeCopy = (length: number, distance: number, out: Uint8Array, outAt: number): number => {
  let to = outAt
  const offset = distance - 1
  if (length < 9) {
    out[to++] = ((length - 2) << 5) | (offset >> 8)
  } else {
    out[to++] = (7 << 5) | (offset >> 8)
    out[to++] = length - 9
  }
  out[to++] = offset & 0xff
  return to
}

type Chunk = { readonly compressed: boolean; readonly data: number; readonly end: number; readonly raw: number }

const readHeader = (bytes: Uint8Array, at: number): Chunk => {
  const kind = bytes[at + 2]
  if (bytes[at] !== magic[0] || bytes[at + 1] !== magic[1] || (kind !== 0 && kind !== 1)) {
    throw new FormatError('lzf', at, 'expected a chunk (5a 56 and 00 or 01)')
  }
  const data = at + (kind === 1 ? compressedHeader : storedHeader)
  if (data > bytes.length) throw new FormatError('lzf', at, `expected a chunk header, found ${bytes.length - at} bytes`)
  const length = readU16(bytes, at + 3)
  const raw = kind === 1 ? readU16(bytes, at + 5) : length
  if (length > bytes.length - data) {
    throw new FormatError('lzf', at, `expected a chunk of ${length} bytes, found ${bytes.length - data}`)
  }
  if (raw > length * maxRatio)
    throw new FormatError('lzf', at, `expected at most ${length * maxRatio} raw bytes, found ${raw}`)
  return { compressed: kind === 1, data, end: data + length, raw }
}

/** How much the chunks unfold into, and where they end: padding may follow. */
const measure = (bytes: Uint8Array, maxBytes: number): { readonly total: number; readonly last: number } => {
  let total = 0
  let at = 0
  while (at < bytes.length && !(at > 0 && bytes[at] === 0)) {
    const { end, raw } = readHeader(bytes, at)
    total += raw
    if (total > maxBytes)
      throw new FormatError('lzf', at, `expected at most ${maxBytes} decompressed bytes, found more`)
    at = end
  }
  checkPadding(bytes, at, 'lzf')
  return { total, last: at }
}

const decompressChunk = (
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  outStart: number,
  outEnd: number,
) => {
  let to = outStart
  for (let at = start; at < end; ) {
    const control = byteAt(bytes, at)
    const literal = control < maxLiteral
    const long = control >> 5 === 7
    const length = literal ? control + 1 : long ? byteAt(bytes, at + 1) + 9 : (control >> 5) + 2
    const next = at + (literal ? 1 + length : long ? 3 : 2)
    if (next > end) throw new FormatError('lzf', at, 'expected a whole instruction, found the end of the chunk')
    if (length > outEnd - to)
      throw new FormatError('lzf', at, `expected at most ${outEnd - to} more bytes, found ${length}`)
    if (literal) {
      out.set(bytes.subarray(at + 1, next), to)
      to += length
    } else {
      const from = to - (((control & 0x1f) << 8) | byteAt(bytes, next - 1)) - 1
      if (from < outStart) throw new FormatError('lzf', at, 'expected a copy from within the chunk')
      // Byte by byte: a copy may overlap itself, which repeats a pattern.
      for (let i = 0; i < length; i++) out[to++] = byteAt(out, from + i)
    }
    at = next
  }
  if (to < outEnd) throw new FormatError('lzf', end, `expected ${outEnd - to} more bytes in the chunk`)
}

const isSame = (bytes: Uint8Array, a: number, b: number): boolean =>
  bytes[a] === bytes[b] && bytes[a + 1] === bytes[b + 1] && bytes[a + 2] === bytes[b + 2]

/** Callers stay within the array; the fallback only satisfies the compiler. */
const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

const readU16 = (bytes: Uint8Array, at: number): number => (byteAt(bytes, at) << 8) | byteAt(bytes, at + 1)

const writeU16 = (bytes: Uint8Array, at: number, value: number): void => {
  bytes[at] = value >> 8
  bytes[at + 1] = value & 0xff
}
