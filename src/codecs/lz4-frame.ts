/**
 * LZ4 frames (lz4 `lz4_Frame_format.md`), one or more after another; numbers are little-endian.
 *
 *     04 22 4d 18 flags size     flags: version 01 · independent · block checksums · size · checksum · – · dictionary
 *     size:8 dictionary:4        when the flags say so
 *     hc                         second byte of the descriptor's xxHash
 *     ( length:4 block crc:4? )* bit 31 of the length: not compressed
 *     00000000 crc:4?            the end, and the xxHash of all raw bytes
 *
 *     5x 2a 4d 18 length:4 …     a frame to be passed over
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { ByteQueue, type ByteSource } from './byte-queue.ts'
import { Xxh32 } from './checksums.ts'
import { type Codec, startsWith } from './codec.ts'
import { decompressHadoopBuffer } from './hadoop-blocks.ts'
import { decompressLz4Into } from './lz4.ts'

export const lz4: Codec = {
  name: 'lz4',
  suffixes: [],
  isMagic: head => startsWith(head, 0x04, 0x22, 0x4d, 0x18),
  stream: decompressLz4Frames,
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.Lz4Codec'],
    decode: (bytes, maxBytes) => decompressHadoopBuffer(bytes, 'lz4', maxBytes),
  },
}

const frameMagic = 0x184d_2204
const skippableMagic = 0x184d_2a50
/** How far a block may reach back into those before it. */
const historyBytes = 65_536

/**
 * Decompresses block by block.
 * @throws FormatError `lz4 frame`: cut short, damaged, another checksum than stored, or a dictionary, which nobody has
 */
export async function* decompressLz4Frames(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  try {
    while (await queue.ensure(1)) {
      const { offset } = queue
      const magic = (await take(queue, 4)).readUInt32LE()
      if (magic === frameMagic) yield* readFrame(queue)
      else if ((magic & 0xffff_fff0) >>> 0 === skippableMagic) await pass(queue, (await take(queue, 4)).readUInt32LE())
      else throw fault(offset, 'expected a frame (04 22 4d 18)')
    }
  } finally {
    await queue.close()
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
    throw new FormatError('lz4 frame', offset + cause.offset, 'damaged block', { cause })
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

const pass = async (queue: ByteQueue, count: number): Promise<void> => {
  for (let left = count; left > 0; ) {
    if (!(await queue.ensure(1))) throw fault(queue.offset, `expected ${left} more bytes, found the end`)
    const step = Math.min(left, queue.available)
    queue.skip(step)
    left -= step
  }
}

const fault = (offset: number, message: string): FormatError => new FormatError('lz4 frame', offset, message)
