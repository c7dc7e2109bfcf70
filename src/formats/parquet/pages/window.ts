import { Buffer } from 'node:buffer'
import { FormatError } from '../../../errors.ts'
import type { ParquetFile } from '../file.ts'

const firstWindowBytes = 64 * 1024
const pieceBytes = 16 * 1024

/** Bytes of a chunk, read some at a time in the order in which they are needed. Every method throws FormatError `parquet` where they end. */
export type ByteWindow = {
  /** Bytes from `at` on, at least `length` of them if the file has as many. */
  upTo(at: number, length: number): Promise<Buffer>
  exactly(at: number, length: number): Promise<Buffer>
  /** Says how many bytes are wanted next. */
  expect(length: number): void
  pieces(from: number, length: number): AsyncGenerator<Buffer, void, undefined>
}

/** @param chunkEnd where the chunk ought to end: no more is read ahead */
export const createWindow = (file: ParquetFile, windowBytes: number, chunkEnd: number): ByteWindow => {
  let bytes: Buffer = Buffer.alloc(0)
  let start = 0
  let ahead = firstWindowBytes
  let isExpected = false
  const upTo = async (at: number, length: number): Promise<Buffer> => {
    const skip = at - start
    if (skip >= 0 && skip + length <= bytes.length) return bytes.subarray(skip, skip + length)
    if (!(at >= 0 && at < file.size)) throw fault(at, `expected bytes within the ${file.size} of the file`)
    // The bytes at hand are kept; little is read at first: often only the first rows are wanted.
    const kept = skip >= 0 && skip < bytes.length ? bytes.subarray(skip) : undefined
    const from = at + (kept?.length ?? 0)
    // Sequential reads take ever larger steps; after a jump again only the first rows may be wanted.
    if (kept === undefined && at !== start + bytes.length && !isExpected) ahead = firstWindowBytes
    isExpected = false
    const held = kept?.length ?? 0
    const most = Math.max(length - held, Math.min(ahead, windowBytes - held, chunkEnd - from))
    ahead = Math.min(windowBytes, Math.max(firstWindowBytes, 2 * ahead))
    const more = await file.read(from, Math.min(most, file.size - from))
    bytes = kept ? Buffer.concat([kept, more]) : more
    start = at
    return bytes.subarray(0, length)
  }
  return {
    upTo,
    expect: length => {
      ahead = length
      isExpected = true
    },
    exactly: async (at, length) => {
      const found = length === 0 ? Buffer.alloc(0) : await upTo(at, length)
      if (found.length === length) return found
      throw fault(at, `expected ${length} bytes, found the end of the file after ${found.length}`)
    },
    async *pieces(from, length) {
      for (let at = from, end = from + length; at < end; ) {
        const piece = await upTo(at, Math.min(pieceBytes, end - at))
        if (piece.length === 0) throw fault(at, `expected ${end - at} more bytes, found the end of the file`)
        yield piece
        at += piece.length
      }
    },
  }
}

const fault = (at: number, message: string): FormatError => new FormatError('parquet', at, message)
