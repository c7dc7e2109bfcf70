/**
 * Zstandard frames (RFC 8878), one or more after another; Node's own stream stops understanding behind the first one,
 * so each frame gets a stream of its own. Only their outline is read here:
 *
 *     28 b5 2f fd flags window:1? dictionary:0…4 size:0…8
 *     ( header:3 bytes )*        header, little-endian: last:1 type:2 size:21; type 1 repeats one byte
 *     checksum:4?
 *
 *     5x 2a 4d 18 length:4 …     a frame to be passed over
 */
import zlib from 'node:zlib'
import { FormatError } from '../errors.ts'
import { ByteQueue, type ByteSource } from './byte-queue.ts'
import { type Codec, startsWith } from './codec.ts'
import { decodeByZlib } from './zlib-engines.ts'
import { decompressByStream } from './zlib-stream.ts'

export const zstd = {
  name: 'zstd',
  suffixes: ['zst', 'zstd'],
  isMagic: head => startsWith(head, 0x28, 0xb5, 0x2f, 0xfd),
  stream: decompressZstdStream,
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.ZStandardCodec'],
    decode: decodeByZlib('zstd', zlib.zstdDecompressSync, zlib.createZstdDecompress, zlib.constants.ZSTD_e_end),
  },
  output: {
    compress: bytes => zlib.zstdCompressSync(bytes),
    decompress: (bytes, maxOutputLength) => zlib.zstdDecompressSync(bytes, { maxOutputLength }),
  },
} satisfies Codec

const frameMagic = 0xfd2f_b528
const skippableMagic = 0x184d_2a50
const dictionaryBytes = [0, 1, 2, 4] as const
const sizeBytes = [0, 2, 4, 8] as const

/** The window that a frame may ask for, as a power of two: 32 MiB; only `zstd --ultra` and `--long` want more. */
const maxWindowLog = 25

/**
 * Decompresses frame by frame.
 * @throws FormatError `zstd`: cut short, damaged, or a window beyond 32 MiB, after what stands before
 */
export async function* decompressZstdStream(source: ByteSource): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  try {
    while (await queue.ensure(1)) {
      const { offset } = queue
      await queue.ensure(4)
      const magic = queue.available < 4 ? 0 : queue.view().readUInt32LE()
      if (magic === frameMagic) yield* decompressByStream(readFrame(queue), 'zstd', createStream, offset)
      else if ((magic & 0xffff_fff0) >>> 0 === skippableMagic) await pass(queue)
      else throw new FormatError('zstd', offset, 'expected a frame (28 b5 2f fd)')
    }
  } finally {
    await queue.close()
  }
}

const createStream = () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: maxWindowLog } })

/** The bytes of one frame; they end too soon where the source does, and the decompressor then says so. */
async function* readFrame(queue: ByteQueue): AsyncGenerator<Uint8Array, void, undefined> {
  if (!(await queue.ensure(5))) return yield queue.take(queue.available)
  const flags = queue.view()[4] ?? 0
  const isSingle = (flags & 0x20) !== 0
  const sizeFlag = flags >> 6
  const size = sizeFlag === 0 && isSingle ? 1 : (sizeBytes[sizeFlag] ?? 0)
  const header = 5 + (isSingle ? 0 : 1) + (dictionaryBytes[flags & 3] ?? 0) + size
  yield* takeSome(queue, header)
  for (let isLast = false; !isLast; ) {
    if (!(await queue.ensure(3))) return yield queue.take(queue.available)
    const word = queue.view().readUIntLE(0, 3)
    isLast = (word & 1) === 1
    yield* takeSome(queue, 3 + (((word >> 1) & 3) === 1 ? 1 : word >> 3))
  }
  if (flags & 4) yield* takeSome(queue, 4)
}

async function* takeSome(queue: ByteQueue, count: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let left = count; left > 0 && (await queue.ensure(1)); ) {
    const part = queue.take(Math.min(left, queue.available))
    left -= part.length
    yield part
  }
}

const pass = async (queue: ByteQueue): Promise<void> => {
  const { offset } = queue
  if (!(await queue.ensure(8))) throw new FormatError('zstd', offset, 'expected a length, found the end')
  const end = offset + 8 + queue.view().readUInt32LE(4)
  for (let left = end - offset; left > 0; left = end - queue.offset) {
    if (!(await queue.ensure(1))) throw new FormatError('zstd', queue.offset, `expected ${left} more bytes`)
    queue.skip(Math.min(left, queue.available))
  }
}
