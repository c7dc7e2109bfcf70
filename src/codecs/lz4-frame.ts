/**
 * LZ4 frames (lz4 `lz4_Frame_format.md`), one or more in a row; numbers are little-endian.
 *
 *     04 22 4d 18 flags size     flags: version 01 · independent · block checksums · size · checksum · – · dictionary
 *     size:8 dictionary:4        when the flags say so
 *     hc                         second byte of the descriptor's xxHash
 *     ( length:4 block crc:4? )* bit 31 of the length: not compressed
 *     00000000 crc:4?            the end, and the xxHash of all raw bytes
 *
 *     02 21 4c 18                the old format (`lz4 -l`), up to the next frame or the end of the file
 *     ( length:4 block )*        8 MiB of raw bytes each, except the last
 *
 *     5x 2a 4d 18 length:4 …     a skippable frame
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import type { ByteQueue, QueueSource } from './byte-queue.ts'
import { Xxh32 } from './checksums.ts'
import type { Codec } from './codec.ts'
import { decompressFrames, isSkippableMagic, passSkippable, showsMagic } from './frames.ts'
import { decompressHadoopBuffer } from './hadoop-blocks.ts'
import { decompressLz4Into } from './lz4.ts'

export const lz4: Codec = {
  name: 'lz4',
  suffixes: [],
  isMagic: (head, suffix) => showsMagic(head, ['04224d18', '02214c18']) ?? suffix === 'lz4',
  stream: decompressLz4Frames,
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.Lz4Codec'],
    decode: (bytes, maxBytes) => decompressHadoopBuffer(bytes, 'lz4', maxBytes),
  },
}

const format = 'lz4 frame'
const frameMagic = 0x184d_2204
const legacyMagic = 0x184c_2102
const legacyBlockBytes = 8 * 1024 * 1024
/** A block that did not shrink takes some bytes more. */
const maxLegacyBytes = legacyBlockBytes + Math.ceil(legacyBlockBytes / 255) + 16
/** How far a block may reach back into those before it. */
const historyBytes = 65_536

/**
 * Decompresses block by block.
 * @throws FormatError `lz4 frame`: cut short, damaged, another checksum than stored, or a dictionary, which is not
 * available
 */
export function decompressLz4Frames(source: QueueSource): AsyncGenerator<Uint8Array, void, undefined> {
  return decompressFrames(source, format, readAnyFrame)
}

async function* readAnyFrame(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  const { offset } = queue
  if (!(await queue.ensure(4))) throw fault(offset, `expected 4 more bytes, found ${queue.available}`)
  const magic = queue.view().readUInt32LE()
  if (isSkippableMagic(magic)) return await passSkippable(queue, format)
  queue.skip(4)
  if (magic === frameMagic) yield* readFrame(queue)
  else if (magic === legacyMagic) yield* readLegacyFrame(queue)
  else throw fault(offset, 'expected a frame (04 22 4d 18)')
}

/** Nothing marks its end: a length that cannot be one begins the next frame. */
async function* readLegacyFrame(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  while (await queue.ensure(1)) {
    const { offset } = queue
    if (!(await queue.ensure(4))) throw fault(offset, `expected a length, found ${queue.available} bytes`)
    const size = queue.view().readUInt32LE()
    if (size === 0 || size > maxLegacyBytes) return
    queue.skip(4)
    yield decode(await take(queue, size), Buffer.alloc(0), legacyBlockBytes, offset + 4)
  }
}

async function* readFrame(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  const { isLinked, hasBlockChecksums, hasChecksum, maxBytes } = await readDescriptor(queue)
  const hash = new Xxh32()
  let history = Buffer.alloc(0)
  for (;;) {
    const { offset } = queue
    const word = (await take(queue, 4)).readUInt32LE()
    if (word === 0) break
    const size = word & 0x7fff_ffff
    if (size > maxBytes) throw fault(offset, `expected a block of at most ${maxBytes} bytes, found ${size}`)
    const block = await take(queue, size)
    if (hasBlockChecksums) await checkHash(queue, new Xxh32().update(block))
    const raw = word === size ? decode(block, history, maxBytes, offset + 4) : block
    if (hasChecksum) hash.update(raw)
    if (isLinked) history = Buffer.concat([history, raw]).subarray(-historyBytes)
    yield raw
  }
  if (hasChecksum) await checkHash(queue, hash)
}

const readDescriptor = async (queue: ByteQueue) => {
  const { offset } = queue
  if (!(await queue.ensure(2))) throw fault(offset, 'expected a frame descriptor, found the end')
  const [flags = 0, size = 0] = queue.view()
  if (flags >> 6 !== 1) throw fault(offset, `expected version 1, found ${flags >> 6}`)
  if (flags & 1) throw fault(offset, 'expected a frame without a dictionary')
  const level = (size >> 4) & 7
  if (level < 4) throw fault(offset + 1, `expected a block size of 4 to 7, found ${level}`)
  const descriptor = await take(queue, flags & 8 ? 10 : 2)
  const [check] = await take(queue, 1)
  if (((new Xxh32().update(descriptor).digest() >>> 8) & 0xff) !== check)
    throw fault(offset, 'expected a descriptor with the checksum that is stored')
  return {
    isLinked: (flags & 0x20) === 0,
    hasBlockChecksums: (flags & 0x10) !== 0,
    hasChecksum: (flags & 4) !== 0,
    maxBytes: 1 << (2 * level + 8),
  }
}

const decode = (block: Uint8Array, history: Buffer, maxBytes: number, offset: number): Buffer => {
  const out = Buffer.allocUnsafeSlow(history.length + Math.min(maxBytes, block.length * 256))
  history.copy(out)
  try {
    return out.subarray(history.length, decompressLz4Into(block, out, history.length, 0))
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new FormatError(format, offset + cause.offset, 'damaged block', { cause })
  }
}

const checkHash = async (queue: ByteQueue, hash: Xxh32): Promise<void> => {
  const { offset } = queue
  if ((await take(queue, 4)).readUInt32LE() !== hash.digest()) throw fault(offset, 'expected the checksum of the data')
}

const take = async (queue: ByteQueue, count: number): Promise<Buffer> => {
  if (await queue.ensure(count)) return queue.take(count)
  throw fault(queue.offset, `expected ${count} more bytes, found ${queue.available}`)
}

const fault = (offset: number, message: string): FormatError => new FormatError(format, offset, message)
