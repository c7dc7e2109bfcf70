import { crc32 } from 'node:zlib'
import { crc32c } from '../../../bytes/crc32c.ts'
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
const maxChunkBytes = 1024 * 1024

/** @throws FormatError a type of sum that HDFS does not have, or chunks of no use */
export const createChecksums = (type: number, bytesPerChunk: number): Checksums => {
  if (!(bytesPerChunk >= 1 && bytesPerChunk <= maxChunkBytes)) {
    throw new FormatError('data transfer', 0, `checksums of ${bytesPerChunk} bytes each`)
  }
  const take = takers.get(type)
  if (take === undefined && type !== checksumType.none)
    throw new FormatError('data transfer', 0, `checksums of type ${type}`)
  return {
    bytesPerChunk,
    sumBytes: take === undefined ? 0 : 4,

    findWrong: (sums, data) => {
      if (take === undefined) return undefined
      for (let chunk = 0, at = 0; at < data.length; chunk++, at += bytesPerChunk) {
        const end = Math.min(at + bytesPerChunk, data.length)
        if (take(data, at, end, 0) !== sums.readUInt32BE(chunk * 4)) return chunk
      }
      return undefined
    },

    write: (pieces, sums, at) => {
      if (take === undefined) return
      let to = at
      let sum = 0
      let left = bytesPerChunk
      for (const piece of pieces) {
        for (let from = 0; from < piece.length; ) {
          const end = Math.min(from + left, piece.length)
          sum = take(piece, from, end, sum)
          left -= end - from
          from = end
          if (left > 0) continue
          to = sums.writeUInt32BE(sum, to)
          sum = 0
          left = bytesPerChunk
        }
      }
      if (left < bytesPerChunk) sums.writeUInt32BE(sum, to)
    },
  }
}

type Take = (bytes: Uint8Array, start: number, end: number, before: number) => number

const takers = new Map<number, Take>([
  [checksumType.crc32, (bytes, start, end, before) => crc32(bytes.subarray(start, end), before)],
  [checksumType.crc32c, crc32c],
])
