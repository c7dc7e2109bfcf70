import { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import { ByteQueue, type QueueSource } from '../../codecs/byte-queue.ts'
import { decompressBzip2Stream } from '../../codecs/bzip2.ts'
import type { StreamOptions } from '../../codecs/codec.ts'
import { checkPadding, passPadding } from '../../codecs/frames.ts'
import { decompressSnappy } from '../../codecs/snappy.ts'
import { decodeFirst, decodeWhole, zlibKinds } from '../../codecs/zlib-kinds.ts'
import { readByZlib } from '../../codecs/zlib-stream.ts'
import { decompressZstdStream } from '../../codecs/zstd-stream.ts'
import { FormatError } from '../../errors.ts'

/** Most bytes of a block of snappy, which unfolds in one go; writers cut blocks at some kilobytes. */
const maxSnappyBytes = 16 * 1024 * 1024

/** What a block unfolds into at once; a larger one unfolds as it is read. */
const maxDirectBytes = 1024 * 1024

/** Bytes handed on at a time. */
const pieceBytes = 256 * 1024

/** Unfolds the bytes of one block as they are read. Damage is thrown here, or by the queue. */
export type UnfoldBlock = (bytes: Buffer, options?: StreamOptions) => ByteQueue

/** Bare streams, under the name of the other ones. */
const avroDeflate = { ...zlibKinds.rawDeflate, format: 'deflate' }

type Codec = {
  /** Unfolds small blocks. @throws Error at damage, and for more than {@link maxDirectBytes}: the stream has a try then */
  readonly direct?: (bytes: Buffer) => Uint8Array
  readonly stream: (source: QueueSource, options?: StreamOptions) => AsyncIterable<Uint8Array>
}

const limit = { maxOutputLength: maxDirectBytes }

const codecs: ReadonlyMap<string, Codec> = new Map<string, Codec>([
  ['null', { stream: source => source }],
  ['deflate', { direct: unfoldDeflate, stream: streamDeflate }],
  ['snappy', { stream: unfoldSnappy }],
  ['bzip2', { stream: decompressBzip2Stream }],
  ['zstandard', { direct: bytes => decodeWhole(zlibKinds.zstd, bytes, limit), stream: decompressZstdStream }],
])

/** What unfolds blocks of a codec. @throws FormatError `avro`: an unknown one */
export const findAvroCodec = (name: string): UnfoldBlock => {
  const codec = codecs.get(name)
  if (codec) return (bytes, options) => unfold(codec, bytes, options)
  const known = [...codecs.keys()].join(', ')
  throw new FormatError('avro', 0, `unknown codec "${name.slice(0, 100)}": only ${known}`)
}

const unfold = ({ direct, stream }: Codec, bytes: Buffer, options?: StreamOptions): ByteQueue => {
  if (direct && bytes.length <= maxDirectBytes) {
    try {
      return new ByteQueue(toPieces(direct(bytes)))
    } catch {
      // Too large, or damaged: the stream reports it, after the data before the damage.
    }
  }
  return new ByteQueue(stream(toPieces(bytes), options))
}

async function* toPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Writers in Python cut zlib's envelope off and leave three bytes of its checksum after the stream. */
const maxChecksumBytes = 4

function unfoldDeflate(bytes: Buffer): Uint8Array {
  const parts: Buffer[] = []
  let at = 0
  let total = 0
  do {
    const { raw, taken } = decodeFirst(avroDeflate, bytes.subarray(at), limit)
    parts.push(raw)
    at += taken
    total += raw.length
    if (total > maxDirectBytes) throw new RangeError(`more than ${maxDirectBytes} bytes`)
  } while (bytes.length - at > maxChecksumBytes && bytes[at] !== 0)
  if (bytes.length - at > maxChecksumBytes) checkPadding(bytes, at, 'avro')
  return Buffer.concat(parts, total)
}

async function* streamDeflate(source: QueueSource): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  try {
    do yield* readByZlib(queue, avroDeflate)
    while ((await queue.ensure(maxChecksumBytes + 1)) && queue.view()[0] !== 0)
    if (await queue.ensure(maxChecksumBytes + 1)) await passPadding(queue, 'avro')
  } finally {
    await queue.close()
  }
}

/** The last four bytes are the CRC-32 of the output. */
async function* unfoldSnappy(source: QueueSource): AsyncGenerator<Uint8Array, void, undefined> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  const bytes = Buffer.concat(parts)
  const raw = decompressSnappy(bytes.subarray(0, -4), maxSnappyBytes)
  if (bytes.length < 4 || zlib.crc32(raw) !== bytes.readUInt32BE(bytes.length - 4)) {
    throw new FormatError('avro', 0, 'expected a block with the checksum that is stored')
  }
  yield* toPieces(raw)
}
