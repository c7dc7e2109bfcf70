import zlib from 'node:zlib'
import { FormatError } from '../errors.ts'
import type { ByteSource } from './byte-queue.ts'
import { decompressBzip2, decompressBzip2Stream } from './bzip2.ts'
import { decompressHadoopBlocks, decompressHadoopBuffer } from './hadoop-blocks.ts'
import { decompressLz4Frames } from './lz4-frame.ts'
import { decompressLzf } from './lzf.ts'
import { decompressLzfStream } from './lzf-stream.ts'
import { decompressSnappyFrames } from './snappy-frame.ts'
import { type CreateZlib, createZlibEngines } from './zlib-engines.ts'
import { decompressByStream } from './zlib-stream.ts'
import { decompressZstdStream } from './zstd-stream.ts'

/** One way of compressing files, for reading. */
export type Decompressor = {
  /** For people: `gzip`, `hadoop-snappy`. */
  readonly name: string
  /** Suffixes of files, in lower case, without the dot. */
  readonly suffixes: readonly string[]
  /** Whether a file that begins so is of this kind; absent where nothing shows it, so that the suffix decides. */
  isMagic?(head: Uint8Array): boolean
  /** Decompresses a file, no faster than it is read. @throws FormatError at damage, after what stands before it */
  stream(source: ByteSource): AsyncIterable<Uint8Array>
}

/** All codecs of files. */
export const decompressors: readonly Decompressor[] = [
  {
    name: 'gzip',
    suffixes: ['gz', 'gzip', 'tgz'],
    isMagic: head => startsWith(head, 0x1f, 0x8b, 0x08),
    stream: source => decompressByStream(source, 'gzip', () => zlib.createGunzip()),
  },
  {
    name: 'bzip2',
    suffixes: ['bz2', 'bzip2'],
    isMagic: head =>
      startsWith(head, 0x42, 0x5a, 0x68) &&
      (startsWith(head.subarray(4), 0x31, 0x41, 0x59, 0x26) || startsWith(head.subarray(4), 0x17, 0x72, 0x45, 0x38)),
    stream: decompressBzip2Stream,
  },
  {
    name: 'zstd',
    suffixes: ['zst', 'zstd'],
    isMagic: head => startsWith(head, 0x28, 0xb5, 0x2f, 0xfd),
    stream: decompressZstdStream,
  },
  {
    name: 'lz4',
    suffixes: [],
    isMagic: head => startsWith(head, 0x04, 0x22, 0x4d, 0x18),
    stream: decompressLz4Frames,
  },
  {
    name: 'snappy',
    suffixes: ['sz'],
    isMagic: head => startsWith(head, 0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59),
    stream: decompressSnappyFrames,
  },
  {
    name: 'lzf',
    suffixes: ['lzf'],
    isMagic: head => startsWith(head, 0x5a, 0x56) && (head[2] === 0 || head[2] === 1),
    stream: decompressLzfStream,
  },
  {
    name: 'deflate',
    suffixes: ['deflate', 'zz', 'zlib'],
    // The two usual headers; the others are letters, and their check bits too weak to tell them from text.
    isMagic: head => head[0] === 0x78 && (head[1] === 0x9c || head[1] === 0xda),
    stream: source => decompressByStream(source, 'deflate', () => zlib.createInflate()),
  },
  { name: 'hadoop-snappy', suffixes: ['snappy'], stream: source => decompressHadoopBlocks(source, 'snappy') },
  { name: 'hadoop-lz4', suffixes: ['lz4'], stream: source => decompressHadoopBlocks(source, 'lz4') },
]

/**
 * Decompresses one buffer of a sequence file; nothing beyond `maxBytes` is allocated.
 * @param room memory that the result may be written to, where it is large enough
 * @throws FormatError
 */
export type BufferDecoder = (bytes: Uint8Array, maxBytes: number, room?: Buffer) => Uint8Array | Promise<Uint8Array>

const deflate = { name: 'deflate', decode: byZlib('deflate', zlib.inflateSync, zlib.createInflate) }

/** Codecs of sequence files by the class that names them. */
export const hadoopCodecs: ReadonlyMap<string, { readonly name: string; readonly decode: BufferDecoder }> = new Map([
  ...[
    'org.apache.hadoop.io.compress.DefaultCodec',
    'org.apache.hadoop.io.compress.DeflateCodec',
    'org.apache.hadoop.io.compress.ZlibCodec',
  ].map(name => [name, deflate] as const),
  [
    'org.apache.hadoop.io.compress.GzipCodec',
    { name: 'gzip', decode: byZlib('gzip', zlib.gunzipSync, zlib.createGunzip) },
  ],
  ['org.apache.hadoop.io.compress.BZip2Codec', { name: 'bzip2', decode: decompressBzip2 }],
  [
    'org.apache.hadoop.io.compress.SnappyCodec',
    { name: 'snappy', decode: (bytes, max) => decompressHadoopBuffer(bytes, 'snappy', max) },
  ],
  [
    'org.apache.hadoop.io.compress.Lz4Codec',
    { name: 'lz4', decode: (bytes, max) => decompressHadoopBuffer(bytes, 'lz4', max) },
  ],
  [
    'org.apache.hadoop.io.compress.ZStandardCodec',
    {
      name: 'zstd',
      decode: byZlib('zstd', zlib.zstdDecompressSync, zlib.createZstdDecompress, zlib.constants.ZSTD_e_end),
    },
  ],
  ['com.ning.compress.lzf.hadoop.LzfCodec', { name: 'lzf', decode: decompressLzf }],
])

/** From this size on a buffer is unfolded by the thread pool; below, the way there costs more than the work. */
const threadBytes = 32 * 1024

type ZlibOptions = { readonly maxOutputLength: number; readonly chunkSize: number }

function byZlib(
  format: string,
  decodeSync: (bytes: Uint8Array, options: ZlibOptions) => Uint8Array,
  createStream: CreateZlib,
  finish: number = zlib.constants.Z_FINISH,
): BufferDecoder {
  const toError = (cause: unknown): FormatError => {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    return new FormatError(format, 0, `damaged, or too large: ${reason}`, { cause })
  }
  const engines = createZlibEngines(createStream, finish)
  return (bytes, maxBytes, room) => {
    if (bytes.length >= threadBytes) {
      return engines.unfold(bytes, maxBytes, room).catch(error => Promise.reject(toError(error)))
    }
    try {
      return decodeSync(bytes, { maxOutputLength: maxBytes, chunkSize: Math.max(1024, bytes.length * 4) })
    } catch (error) {
      throw toError(error)
    }
  }
}

function startsWith(bytes: Uint8Array, ...magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte)
}
