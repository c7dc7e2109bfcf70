import { crc32 } from 'node:zlib'
import { crc32cOfChunks } from '../../../bytes/crc32c-chunks.ts'
import { sumsOfChunks, type TakeSum } from '../../../bytes/sums-of-chunks.ts'
import { FormatError } from '../../../errors.ts'
import { checksumType } from './messages.ts'

/** Sums of a block: one for each chunk of bytes, the last of which may be shorter. */
export type Checksums = {
  readonly bytesPerChunk: number
  /** Of one sum; 0 in a block without sums. */
  readonly sumBytes: number
  /** The first chunk whose sum is another one; undefined where all are right. */
  findWrong(sums: Buffer, data: Uint8Array): number | undefined
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
  const write = writers.get(type)
  if (write === undefined && type !== checksumType.none)
    throw new FormatError('data transfer', 0, `checksums of type ${type}`)
  return {
    bytesPerChunk,
    sumBytes: write === undefined ? 0 : 4,

    findWrong: (sums, data) => {
      if (write === undefined) return undefined
      const right = Buffer.allocUnsafe(Math.ceil(data.length / bytesPerChunk) * 4)
      write([data], bytesPerChunk, right, 0)
      if (right.equals(sums)) return undefined
      for (let at = 0; at < right.length; at += 4) if (right.readInt32BE(at) !== sums.readInt32BE(at)) return at / 4
      return undefined
    },

    write: (pieces, sums, at) => write?.(pieces, bytesPerChunk, sums, at),
  }
}

type WriteSums = (pieces: readonly Uint8Array[], chunkBytes: number, sums: Buffer, to: number) => void

const takeCrc32: TakeSum = (bytes, start, end, before) => crc32(bytes.subarray(start, end), before)

const writers = new Map<number, WriteSums>([
  [checksumType.crc32, (...given) => sumsOfChunks(takeCrc32, ...given)],
  [checksumType.crc32c, crc32cOfChunks],
])
