/**
 * What Hadoop's SnappyCodec and Lz4Codec (BlockCompressorStream) write around their blocks. It has no magic number.
 *
 *     raw:4                      bytes that the following chunks unfold into, big-endian; 0 ends the stream
 *     ( length:4 block )*        until they yield `raw` bytes
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { ByteQueue, type QueueSource } from './byte-queue.ts'
import type { Codec } from './codec.ts'
import { decompressLz4Into } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'

export const hadoopSnappy: Codec = {
  name: 'hadoop-snappy',
  suffixes: ['snappy'],
  stream: source => decompressHadoopBlocks(source, 'snappy'),
}

export const hadoopLz4: Codec = {
  name: 'hadoop-lz4',
  suffixes: ['lz4'],
  stream: source => decompressHadoopBlocks(source, 'lz4'),
}

/** Most bytes of one block, raw or compressed: Hadoop's own buffers have 256 KiB, but the writer may set them. */
export const maxHadoopBlockBytes = 64 * 1024 * 1024

/** Unfolds one block into `out` from `at` on and returns the end. */
type BlockDecoder = (block: Uint8Array, out: Buffer, at: number) => number

const decoders = {
  snappy: (block, out, at) => {
    const raw = decompressSnappy(block, out.length - at)
    out.set(raw, at)
    return at + raw.length
  },
  lz4: (block, out, at) => decompressLz4Into(block, out, at),
} satisfies Record<string, BlockDecoder>

/** Codecs that Hadoop frames this way. */
export type HadoopBlockCodec = keyof typeof decoders

/** No honest byte of either codec unfolds into more. */
const maxRatio = 256

/**
 * Decompresses a stream of blocks, each as soon as it is whole.
 * @throws FormatError `hadoop snappy`, `hadoop lz4`: cut short, damaged, or a block beyond {@link maxHadoopBlockBytes}
 */
export async function* decompressHadoopBlocks(
  source: QueueSource,
  codec: HadoopBlockCodec,
): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  const need = async (count: number, what: string): Promise<void> => {
    if (await queue.ensure(count)) return
    throw fault(codec, queue.offset, `expected ${what} of ${count} bytes, found ${queue.available}`)
  }
  try {
    while (await queue.ensure(1)) {
      await need(4, 'the length of a block')
      const raw = readLength(codec, queue.take(4), 0, queue.offset - 4)
      if (raw === 0) continue
      const parts: Buffer[] = []
      for (let left = raw; left > 0; ) {
        await need(4, 'the length of a chunk')
        const at = queue.offset
        const size = readLength(codec, queue.take(4), 0, at)
        await need(size, 'a chunk')
        const part = decode(codec, queue.take(size), left, at + 4)
        parts.push(part)
        left -= part.length
      }
      yield* parts
    }
  } finally {
    await queue.close()
  }
}

/**
 * Decompresses a buffer of blocks, as in sequence files.
 * @throws FormatError as {@link decompressHadoopBlocks}; more than `maxBytes`
 */
export const decompressHadoopBuffer = (bytes: Uint8Array, codec: HadoopBlockCodec, maxBytes: number): Buffer => {
  const parts: Buffer[] = []
  let total = 0
  for (let at = 0; at < bytes.length; ) {
    const raw = readLength(codec, bytes, at, 0)
    at += 4
    total += raw
    if (total > maxBytes) throw fault(codec, at - 4, `expected at most ${maxBytes} raw bytes, found more`)
    for (let left = raw; left > 0; ) {
      const size = readLength(codec, bytes, at, 0)
      at += 4
      if (size > bytes.length - at)
        throw fault(codec, at, `expected a chunk of ${size} bytes, found ${bytes.length - at}`)
      const part = decode(codec, bytes.subarray(at, at + size), left, at)
      parts.push(part)
      left -= part.length
      at += size
    }
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

const decode = (codec: HadoopBlockCodec, chunk: Uint8Array, most: number, at: number): Buffer => {
  const out = Buffer.allocUnsafeSlow(Math.min(most, chunk.length * maxRatio))
  try {
    const end = decoders[codec](chunk, out, 0)
    if (end > 0) return out.subarray(0, end)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw fault(codec, at + cause.offset, 'damaged chunk', cause)
  }
  throw fault(codec, at, 'expected a chunk with content, found an empty one')
}

const readLength = (codec: HadoopBlockCodec, bytes: Uint8Array, at: number, base: number): number => {
  if (at + 4 > bytes.length) throw fault(codec, base + at, `expected a length of 4 bytes, found ${bytes.length - at}`)
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at)
  if (length <= maxHadoopBlockBytes) return length
  throw fault(codec, base + at, `expected a block of at most ${maxHadoopBlockBytes} bytes, found ${length}`)
}

const fault = (codec: string, at: number, message: string, cause?: unknown): FormatError =>
  new FormatError(`hadoop ${codec}`, at, message, cause === undefined ? {} : { cause })
