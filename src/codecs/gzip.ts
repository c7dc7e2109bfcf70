/**
 * gzip (RFC 1952): members, one after another.
 *
 *     1f 8b 08 flags time:4 extra:1 system:1
 *     ( length:2 … )?            flag 4; numbers are little-endian
 *     ( name … 00 )?             flag 8
 *     ( comment … 00 )?          flag 16
 *     crc:2?                     flag 2: the lower half of the CRC-32 of the header before it
 *     a stream of deflate
 *     crc:4 length:4             of the raw bytes
 */
import type { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import { FormatError } from '../errors.ts'
import type { ByteQueue } from './byte-queue.ts'
import { type Codec, startsWith } from './codec.ts'
import { decompressFrames } from './frames.ts'
import { decodeByZlib, decodeStartByZlib } from './zlib-engines.ts'
import { decodeWhole, type ZlibKind, zlibKinds } from './zlib-kinds.ts'
import { readByZlib } from './zlib-stream.ts'

export const gzip = {
  name: 'gzip',
  suffixes: ['gz', 'gzip', 'tgz'],
  isMagic: head => startsWith(head, 0x1f, 0x8b, 0x08),
  stream: source => decompressFrames(source, 'gzip', readMember),
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.GzipCodec'],
    decode: decodeByZlib(zlibKinds.gzip),
    decodeStart: decodeStartByZlib(zlibKinds.gzip),
  },
  output: {
    compress: bytes => zlib.gzipSync(bytes),
    decompress: (bytes, maxOutputLength) => decodeWhole(zlibKinds.gzip, bytes, { maxOutputLength }),
  },
} satisfies Codec

/**
 * What is inside a member. Node's own gzip takes a member and the bytes after it in one go, and where that is damaged,
 * drops what the member unfolded into.
 */
const content: ZlibKind = { ...zlibKinds.rawDeflate, format: 'gzip' }

async function* readMember(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  await passHeader(queue)
  let crc = 0
  let length = 0
  for await (const part of readByZlib(queue, content)) {
    crc = zlib.crc32(part, crc)
    length += part.length
    yield part
  }
  const { offset } = queue
  const trailer = await take(queue, 8)
  if (trailer.readUInt32LE() !== crc) throw fault(offset, 'expected data with the checksum that is stored')
  if (trailer.readUInt32LE(4) !== length % 2 ** 32)
    throw fault(offset + 4, 'expected data of the length that is stored')
}

const passHeader = async (queue: ByteQueue): Promise<void> => {
  const { offset } = queue
  const fixed = await take(queue, 10)
  const flags = fixed[3] ?? 0
  if (!gzip.isMagic(fixed) || flags > 31) throw fault(offset, 'expected a member (1f 8b 08)')
  let crc = zlib.crc32(fixed)
  const pass = async (count: number): Promise<Buffer> => {
    const bytes = await take(queue, count)
    crc = zlib.crc32(bytes, crc)
    return bytes
  }
  if (flags & 4) await pass((await pass(2)).readUInt16LE())
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue
    for (let end = -1; end < 0; ) {
      if (!(await queue.ensure(1))) throw fault(queue.offset, 'expected the end of a name, found the end')
      end = queue.view().indexOf(0)
      await pass(end < 0 ? queue.available : end + 1)
    }
  }
  if ((flags & 2) === 0) return
  const expected = crc & 0xffff
  if ((await take(queue, 2)).readUInt16LE() !== expected)
    throw fault(offset, 'expected a header with the checksum that is stored')
}

const take = async (queue: ByteQueue, count: number): Promise<Buffer> => {
  if (await queue.ensure(count)) return queue.take(count)
  throw fault(queue.offset, `damaged or cut short: expected ${count} more bytes, found ${queue.available}`)
}

const fault = (offset: number, message: string): FormatError => new FormatError('gzip', offset, message)
