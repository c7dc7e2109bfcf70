/** Codecs of the pages of Parquet files, by their names in the format. */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { decompressLz4Block, decompressSnappyBlock } from './block-stream.ts'
import { ByteQueue, type QueueSource } from './byte-queue.ts'
import { type StreamOptions, usualWindows } from './codec.ts'
import { gzip } from './gzip.ts'
import { decompressHadoopBuffer } from './hadoop-blocks.ts'
import { decompressLz4Into } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'
import { decodeWhole, type ZlibKind, zlibKinds } from './zlib-kinds.ts'
import { decompressByZlib } from './zlib-stream.ts'
import { zstd } from './zstd-stream.ts'

/** A codec of pages. */
export type ParquetPageCodec = {
  /** Unfolds a whole page into at most `size` bytes; undefined for what only the stream understands. */
  readonly direct: (bytes: Buffer, size: number) => Uint8Array | undefined
  /** Bytes that the stream itself holds once it has unfolded `unfolded` of `size`, at most. */
  readonly held: (unfolded: number, size: number) => number
  /** Starts unfolding a page that is large, as it is read. */
  readonly unfold: (source: QueueSource, size: number) => ByteQueue
}

type Ways = Pick<ParquetPageCodec, 'direct'> & {
  readonly held: (unfolded: number, size: number, options: StreamOptions) => number
  readonly stream: (source: QueueSource, size: number, options: StreamOptions) => AsyncIterable<Uint8Array>
}

/** What a stream hands over at once, and more. */
const pieceBytes = 64 * 1024

/** Bytes held by a stream whose copies refer to at most this many bytes before. */
const ofWindow =
  (bytes: number): Ways['held'] =>
  unfolded =>
    Math.min(unfolded, bytes) + pieceBytes

/** The smallest output chunk that Node's decompressors can be set to. */
const leastChunkBytes = 64

/** Most bytes of a page that unfolds in one go. */
const maxWholeBytes = 256 * 1024 * 1024

/** For blocks that refer to anything before: all of it is there at once. */
const inOneGo = (direct: (bytes: Buffer, size: number) => Uint8Array): Ways => ({
  direct,
  held: (_, size) => size,
  stream: async function* (source, size) {
    if (size > maxWholeBytes) throw new RangeError(`expected a page of at most ${maxWholeBytes} bytes, found ${size}`)
    const parts: Uint8Array[] = []
    let length = 0
    for await (const part of source) {
      length += part.length
      if (length > 2 * size + pieceBytes) throw new RangeError(`expected a block of ${size} bytes, found more`)
      parts.push(part)
    }
    yield direct(Buffer.concat(parts), size)
  },
})

/** Node's own decompressors, for all streams of a page; what is not to be taken at once is left to the stream. */
const byZlib = (kind: ZlibKind, held: Ways['held'], stream: Ways['stream']): Ways => ({
  held,
  direct: (bytes, size) => {
    try {
      // In one piece: several would be copied together, and the rest of a last one stay with it.
      return decodeWhole(kind, bytes, { maxOutputLength: size + 1, chunkSize: Math.max(leastChunkBytes, size + 1) })
    } catch {
      return undefined
    }
  },
  stream,
})

const toLz4 = (bytes: Uint8Array, size: number): Uint8Array => {
  const out = Buffer.allocUnsafeSlow(Math.min(size, bytes.length * 256))
  return out.subarray(0, decompressLz4Into(bytes, out, 0))
}

const codecs: ReadonlyMap<string, Ways> = new Map([
  ['UNCOMPRESSED', { direct: bytes => bytes, held: () => 0, stream: source => source }],
  ['SNAPPY', { direct: decompressSnappy, held: ofWindow(64 * 1024), stream: decompressSnappyBlock }],
  ['GZIP', byZlib(zlibKinds.gzip, ofWindow(32 * 1024), source => gzip.stream(source))],
  [
    'ZSTD',
    byZlib(
      zlibKinds.zstd,
      (unfolded, size, { windows = usualWindows }) => ofWindow(windows.max)(unfolded, size, {}),
      (source, _, options) => zstd.stream(source, options),
    ),
  ],
  [
    'BROTLI',
    byZlib(zlibKinds.brotli, ofWindow(16 * 1024 * 1024), source => decompressByZlib(source, zlibKinds.brotli)),
  ],
  ['LZ4_RAW', { direct: toLz4, held: ofWindow(64 * 1024), stream: decompressLz4Block }],
  [
    'LZ4',
    // Hadoop's framing, or none: writers did not agree.
    inOneGo((bytes, size) => {
      try {
        return decompressHadoopBuffer(bytes, 'lz4', size)
      } catch {
        return toLz4(bytes, size)
      }
    }),
  ],
])

/** @throws FormatError a codec that is not known */
export const findPageCodec = (name: string, options: StreamOptions = {}): ParquetPageCodec => {
  const codec = codecs.get(name)
  if (codec)
    return {
      direct: codec.direct,
      held: (unfolded, size) => codec.held(unfolded, size, options),
      unfold: (source, size) => new ByteQueue(codec.stream(source, size, options)),
    }
  throw new FormatError(
    'parquet',
    0,
    `expected one of the codecs ${[...codecs.keys()].join(', ')}, found ${name.slice(0, 40)}`,
  )
}
