/**
 * The snappy framing format (google/snappy `framing_format.txt`): chunks of `kind length:3` (little-endian).
 *
 *     ff 06 00 00 "sNaPpY"       a stream begins; others may follow it
 *     00 length crc:4 block      a snappy block of at most 65 536 raw bytes, and their masked CRC-32C
 *     01 length crc:4 bytes      the same, not compressed
 *     80…fe length bytes         skippable
 */
import { crc32c } from '../bytes/crc32c.ts'
import { FormatError } from '../errors.ts'
import { ByteQueue, type QueueSource } from './byte-queue.ts'
import { type Codec, startsWith } from './codec.ts'
import { passPadding } from './frames.ts'
import { decompressHadoopBuffer } from './hadoop-blocks.ts'
import { decompressSnappy } from './snappy.ts'

export const snappy: Codec = {
  name: 'snappy',
  suffixes: ['sz'],
  isMagic: head => startsWith(head, 0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59),
  stream: decompressSnappyFrames,
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.SnappyCodec'],
    decode: (bytes, maxBytes) => decompressHadoopBuffer(bytes, 'snappy', maxBytes),
  },
}

const format = 'snappy frame'
const maxRawBytes = 65_536
const headerBytes = 4
const magic = 'sNaPpY'

/**
 * Decompresses chunk by chunk.
 * @throws FormatError `snappy frame`: cut short, damaged, an unknown chunk, or another checksum than stored
 */
export async function* decompressSnappyFrames(source: QueueSource): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  try {
    for (let isFirst = true; await queue.ensure(1); isFirst = false) {
      const { offset } = queue
      if (!(await queue.ensure(headerBytes))) throw fault(offset, 'expected the header of a chunk, found the end')
      // Padding: no chunk is so short. Fewer zero bytes may be a header that was cut.
      if (!isFirst && queue.view().readUInt32LE() === 0) return await passPadding(queue, format)
      const header = queue.take(headerBytes)
      const [kind = 0] = header
      const size = header.readUIntLE(1, 3)
      if (isFirst && kind !== 0xff) throw fault(offset, 'expected the begin of a stream')
      if (!(await queue.ensure(size)))
        throw fault(offset, `expected a chunk of ${size} bytes, found ${queue.available}`)
      const chunk = queue.take(size)
      if (kind === 0xff) {
        if (chunk.toString('latin1') !== magic) throw fault(offset, `expected "${magic}"`)
      } else if (kind < 2) yield decode(kind, chunk, offset)
      else if (kind < 0x80) throw fault(offset, `expected a known kind of chunk, found ${kind}`)
    }
  } finally {
    await queue.close()
  }
}

const decode = (kind: number, chunk: Uint8Array, offset: number): Uint8Array => {
  if (chunk.length < headerBytes) throw fault(offset, 'expected a checksum')
  const stored = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength).getUint32(0, true)
  const data = chunk.subarray(4)
  const raw = kind === 0 ? decompress(data, offset) : data
  if (raw.length > maxRawBytes) throw fault(offset, `expected at most ${maxRawBytes} raw bytes, found ${raw.length}`)
  const crc = crc32c(raw)
  if ((((crc >>> 15) | (crc << 17)) + 0xa282_ead8) >>> 0 !== stored) throw fault(offset, 'expected the checksum stored')
  return raw
}

const decompress = (data: Uint8Array, offset: number): Uint8Array => {
  try {
    return decompressSnappy(data, maxRawBytes)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new FormatError(format, offset + 2 * headerBytes + cause.offset, 'damaged block', { cause })
  }
}

const fault = (offset: number, message: string): FormatError => new FormatError(format, offset, message)
