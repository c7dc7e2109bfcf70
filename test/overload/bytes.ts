import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { lz4Frame, lzf, snappyBlock } from '../unit/codecs/encoders.ts'

const mebibyte = 2 ** 20

/** So many MB of one letter. */
export const letters = (megabytes: number): Buffer => Buffer.alloc(megabytes * mebibyte, 'a')

/** The same bytes, or ASCII text, again and again. */
export const repeat = (bytes: Uint8Array | string, times: number): Buffer =>
  Buffer.alloc(bytes.length * times, Buffer.from(bytes))

/** Letters, or zeros, compressed: at the best ratio, 1 MB expands to a thousand. Most are streams one after another. */
export const bombs = {
  gzip: (megabytes: number): Buffer => repeat(gzipSync(letters(8)), megabytes / 8),
  deflate: (megabytes: number): Buffer => deflateSync(letters(megabytes)),
  zstd: (megabytes: number): Buffer => repeat(zstdCompressSync(letters(8)), megabytes / 8),
  /** 900 KB of zeros each: a stream of one block, made by bzip2 1.0.8. */
  bzip2: (megabytes: number): Buffer => repeat(bzip2Zeros, megabytes),
  lz4: (megabytes: number): Buffer => repeat(lz4Frame(letters(8)), megabytes / 8),
  lzf: (megabytes: number): Buffer => Buffer.from(lzf(letters(megabytes))),
  /** Hadoop's framing: raw length of a block, length of its one chunk. */
  snappy: (megabytes: number): Buffer => {
    const block = snappyBlock(letters(1))
    return repeat(Buffer.concat([toBytes(mebibyte), toBytes(block.length), block]), megabytes)
  },
} as const

/** JSON of one event whose payload is one long text. */
export const longEvent = (megabytes: number): Buffer =>
  Buffer.concat([Buffer.from('{"eventName":"a","payload":{"x":"'), letters(megabytes), Buffer.from('"}}')])

/** A number of 32 bits, big-endian. */
export const toBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const bzip2Zeros = Buffer.from(
  '425a6839314159265359b6c39c070006e4c200c00010000008200030cc09aa6994a136a9284f177245385090b6c39c07',
  'hex',
)
