import { crc32 } from 'node:zlib'
import { crc32c } from '../../../bytes/crc32c.ts'
import { crc32cOfChunks } from '../../../bytes/crc32c-chunks.ts'
import { FormatError } from '../../../errors.ts'
import { checksumType } from './messages.ts'

/** Sums of a block: one for each chunk of bytes, the last of which may be shorter. */
export type Checksums = {
  readonly bytesPerChunk: number
  /** Of one sum; 0 in a block without sums. */
  readonly sumBytes: number
  /** The first chunk whose sum is another one; undefined where all are right. */
  findWrong(sums: Buffer, data: Buffer): number | undefined
  /** Writes the sums of what the pieces are together. */
  write(pieces: readonly Uint8Array[], sums: Buffer, at: number): void
}

/** What may be in a chunk: more than any cluster has. */
export const maxBytesPerChecksum = 1024 * 1024

/** @throws FormatError a type of sum that HDFS does not have, or chunks of no use */
export const createChecksums = (type: number, bytesPerChunk: number): Checksums => {
  if (!(bytesPerChunk >= 1 && bytesPerChunk <= maxBytesPerChecksum)) {
    throw new FormatError('data transfer', 0, `checksums of ${bytesPerChunk} bytes each`)
  }
  const sum = sumsOf.get(type)
  if (sum === undefined && type !== checksumType.none)
    throw new FormatError('data transfer', 0, `checksums of type ${type}`)
  return {
    bytesPerChunk,
    sumBytes: sum === undefined ? 0 : 4,

    findWrong: (sums, data) => {
      if (sum === undefined) return undefined
      const right = Buffer.allocUnsafe(Math.ceil(data.length / bytesPerChunk) * 4)
      sum.ofChunks(data, bytesPerChunk, right, 0)
      if (right.equals(sums)) return undefined
      for (let at = 0; at < right.length; at += 4) if (right.readInt32BE(at) !== sums.readInt32BE(at)) return at / 4
      return undefined
    },

    write: (pieces, sums, at) => {
      if (sum === undefined) return
      let to = at
      let before = 0
      let left = bytesPerChunk
      for (const piece of pieces) {
        for (let from = 0; from < piece.length; ) {
          const whole = left === bytesPerChunk ? Math.floor((piece.length - from) / bytesPerChunk) : 0
          if (whole > 0) {
            const end = from + whole * bytesPerChunk
            sum.ofChunks(piece.subarray(from, end), bytesPerChunk, sums, to)
            to += whole * 4
            from = end
            continue
          }
          const end = Math.min(from + left, piece.length)
          before = sum.take(piece, from, end, before)
          left -= end - from
          from = end
          if (left > 0) continue
          to = sums.writeUInt32BE(before, to)
          before = 0
          left = bytesPerChunk
        }
      }
      if (left < bytesPerChunk) sums.writeUInt32BE(before, to)
    },
  }
}

type Sum = {
  /** Of a part of `bytes`, where `before` is that of what stands before it. */
  take(bytes: Uint8Array, start: number, end: number, before: number): number
  /** Of each chunk, the last of which may be shorter. */
  ofChunks(bytes: Uint8Array, chunkBytes: number, sums: Buffer, to: number): void
}

const sumsOf = new Map<number, Sum>([
  [
    checksumType.crc32,
    {
      take: (bytes, start, end, before) => crc32(bytes.subarray(start, end), before),
      ofChunks: (bytes, chunkBytes, sums, to) => {
        for (let at = 0, next = to; at < bytes.length; at += chunkBytes) {
          next = sums.writeUInt32BE(crc32(bytes.subarray(at, at + chunkBytes)), next)
        }
      },
    },
  ],
  [checksumType.crc32c, { take: crc32c, ofChunks: crc32cOfChunks }],
])
