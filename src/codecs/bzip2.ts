/**
 * bzip2 streams, one or more after another (as `cat`, `pbzip2` and Hadoop put them):
 *
 *     "BZh" level                '1'…'9': blocks of at most level × 100 000 bytes
 *     block*                     see `bzip2-block.ts`; they begin at any bit
 *     17 72 45 38 50 90 crc:32   the end, and zero bits up to a whole byte
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import type { ByteQueue, QueueSource } from './byte-queue.ts'
import { BitReader, maxBlockBytes, readBlock } from './bzip2-block.ts'
import { type Codec, startsWith } from './codec.ts'
import { checkPadding, decompressFrames } from './frames.ts'

export const bzip2: Codec = {
  name: 'bzip2',
  suffixes: ['bz2', 'bzip2'],
  isMagic: head =>
    startsWith(head, 0x42, 0x5a, 0x68) &&
    (startsWith(head.subarray(4), 0x31, 0x41, 0x59, 0x26) || startsWith(head.subarray(4), 0x17, 0x72, 0x45, 0x38)),
  stream: decompressBzip2Stream,
  hadoop: { classes: ['org.apache.hadoop.io.compress.BZip2Codec'], decode: decompressBzip2 },
}

/**
 * Decompresses block by block.
 * @throws FormatError `bzip2`: cut short, damaged, or another checksum than stored, after the blocks before it
 */
export function decompressBzip2Stream(source: QueueSource): AsyncGenerator<Uint8Array, void, undefined> {
  return decompressFrames(source, 'bzip2', readStream)
}

async function* readStream(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new Decoder()
  while (!decoder.isOver && (await queue.ensure(1))) {
    await queue.ensure(maxBlockBytes)
    const { offset } = queue
    yield* decoder.step(queue.view(), offset)
    queue.skip(decoder.taken)
  }
  decoder.end(queue.offset)
}

/**
 * Decompresses a whole buffer.
 * @throws FormatError as {@link decompressBzip2Stream}; more than `maxBytes`
 */
export function decompressBzip2(bytes: Uint8Array, maxBytes: number): Buffer {
  const decoder = new Decoder()
  const parts: Buffer[] = []
  let total = 0
  let at = 0
  while (at < bytes.length && !(decoder.isOver && bytes[at] === 0)) {
    for (const part of decoder.step(bytes.subarray(at), at)) {
      total += part.length
      if (total > maxBytes) throw new FormatError('bzip2', at, `expected at most ${maxBytes} raw bytes, found more`)
      parts.push(part)
    }
    at += decoder.taken
  }
  decoder.end(at)
  checkPadding(bytes, at, 'bzip2')
  return Buffer.concat(parts)
}

const bytesPerLevel = 100_000
const blockMagic = [0x314159, 0x265359] as const
const endMagic = [0x177245, 0x385090] as const

/** Goes over a header, a block or an end in each step; between steps it keeps which bit is next. */
class Decoder {
  /** Whole bytes that the last step went over. */
  taken = 0
  /** Bits of the next byte that are taken already. */
  #bit = 0
  /** 0 between streams. */
  #blockSize = 0
  #crc = 0
  #isOver = false

  /** Whether a stream has just ended. */
  get isOver(): boolean {
    return this.#isOver
  }

  *step(bytes: Uint8Array, base: number): Generator<Buffer, void, undefined> {
    const reader = new BitReader(bytes, this.#bit)
    if (this.#blockSize === 0) this.#header(reader, base)
    else {
      const magic = [reader.bits(24), reader.bits(24)]
      if (isSame(magic, blockMagic)) {
        const block = readBlock(reader, this.#blockSize, base)
        const crc = yield* block.output
        if (crc !== block.crc) throw new FormatError('bzip2', base, 'expected a block with the checksum that is stored')
        this.#crc = (((this.#crc << 1) | (this.#crc >>> 31)) ^ crc) >>> 0
      } else if (isSame(magic, endMagic)) this.#end(reader, base)
      else throw new FormatError('bzip2', base, 'expected a block or the end of the stream')
    }
    if (reader.isBeyond) throw new FormatError('bzip2', base + bytes.length, 'expected more bytes, found the end')
    this.taken = reader.position >>> 3
    this.#bit = reader.position & 7
  }

  /** @throws FormatError unless a stream has just ended */
  end(offset: number): void {
    if (this.#blockSize !== 0) throw new FormatError('bzip2', offset, 'expected a block or the end of the stream')
  }

  #header(reader: BitReader, base: number): void {
    const level = reader.bits(24) === 0x425a68 ? reader.bits(8) - 0x30 : 0
    if (level < 1 || level > 9) throw new FormatError('bzip2', base, 'expected "BZh" and a level from 1 to 9')
    this.#blockSize = level * bytesPerLevel
    this.#isOver = false
    this.#crc = 0
  }

  #end(reader: BitReader, base: number): void {
    const crc = ((reader.bits(16) << 16) | reader.bits(16)) >>> 0
    if (crc !== this.#crc) throw new FormatError('bzip2', base, 'expected a stream with the checksum that is stored')
    reader.position = (reader.position + 7) & ~7
    this.#blockSize = 0
    this.#isOver = true
  }
}

const isSame = (a: readonly number[], b: readonly number[]): boolean => a[0] === b[0] && a[1] === b[1]
