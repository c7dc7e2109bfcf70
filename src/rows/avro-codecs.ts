import { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import { ByteQueue, type ByteSource } from '../codecs/byte-queue.ts'
import { decompressBzip2Stream } from '../codecs/bzip2.ts'
import { decompressSnappy } from '../codecs/snappy.ts'
import { decompressByStream } from '../codecs/zlib-stream.ts'
import { decompressZstdStream } from '../codecs/zstd-stream.ts'
import { FormatError } from '../errors.ts'

/** Most bytes of a block of snappy, which unfolds in one go; writers cut blocks at some kilobytes. */
const maxSnappyBytes = 16 * 1024 * 1024

/** What a block unfolds into at once; a larger one unfolds as it is read. */
const maxDirectBytes = 1024 * 1024

/** Bytes handed on at a time. */
const pieceBytes = 256 * 1024

/** Unfolds the bytes of one block as they are read. Damage is thrown here, or by the queue. */
export type UnfoldBlock = (bytes: Buffer) => ByteQueue

type Codec = {
  /** Unfolds small blocks. @throws RangeError more than {@link maxDirectBytes}, which is for the stream then */
  readonly direct?: (bytes: Buffer) => Uint8Array
  readonly stream: (source: ByteSource) => AsyncIterable<Uint8Array>
}

const limit = { maxOutputLength: maxDirectBytes }

const codecs: ReadonlyMap<string, Codec> = new Map<string, Codec>([
  ['null', { stream: source => source }],
  [
    'deflate',
    {
      direct: bytes => zlib.inflateRawSync(bytes, limit),
      stream: source => decompressByStream(source, 'deflate', () => zlib.createInflateRaw()),
    },
  ],
  ['snappy', { stream: unfoldSnappy }],
  ['bzip2', { stream: decompressBzip2Stream }],
  ['zstandard', { direct: bytes => zlib.zstdDecompressSync(bytes, limit), stream: decompressZstdStream }],
])

/** What unfolds blocks of a codec. @throws FormatError `avro`: an unknown one */
export const findAvroCodec = (name: string): UnfoldBlock => {
  const codec = codecs.get(name)
  if (codec) return bytes => unfold(codec, bytes)
  const known = [...codecs.keys()].join(', ')
  throw new FormatError('avro', 0, `unknown codec "${name.slice(0, 100)}": only ${known}`)
}

const unfold = ({ direct, stream }: Codec, bytes: Buffer): ByteQueue => {
  if (direct && bytes.length <= maxDirectBytes) {
    try {
      return new ByteQueue(toPieces(direct(bytes)))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return new ByteQueue(stream(toPieces(bytes)))
}

async function* toPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** The last four bytes are the CRC-32 of what comes out. */
async function* unfoldSnappy(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  const bytes = Buffer.concat(parts)
  const raw = decompressSnappy(bytes.subarray(0, -4), maxSnappyBytes)
  if (bytes.length < 4 || zlib.crc32(raw) !== bytes.readUInt32BE(bytes.length - 4)) {
    throw new FormatError('avro', 0, 'expected a block with the checksum that is stored')
  }
  yield* toPieces(raw)
}
