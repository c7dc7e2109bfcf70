/**
 * Zstandard frames (RFC 8878), one or more after another; only their outline is read here, Node does the rest.
 *
 *     28 b5 2f fd flags window:1? dictionary:0…4 size:0…8
 *     ( header:3 bytes )*        header, little-endian: last:1 type:2 size:21; type 1 repeats one byte
 *     checksum:4?
 *
 *     5x 2a 4d 18 length:4 …     a skippable frame; pzstd begins with one
 */
import { Buffer } from 'node:buffer'
import zlib from 'node:zlib'
import { FormatError } from '../errors.ts'
import type { ByteQueue, QueueSource } from './byte-queue.ts'
import { type BufferDecoder, type Codec, type StreamOptions, usualWindows, type WindowLimit } from './codec.ts'
import { decompressFrames, isSkippableMagic, passSkippable, showsMagic } from './frames.ts'
import { decodeByZlib } from './zlib-engines.ts'
import { decodeWhole, type ZlibKind, zlibKinds } from './zlib-kinds.ts'
import { type Feed, readByZlib } from './zlib-stream.ts'

export const zstd = {
  name: 'zstd',
  suffixes: ['zst', 'zstd'],
  isMagic: (head, suffix) => showsMagic(head, ['28b52ffd']) ?? suffix !== 'lz4',
  stream: decompressZstdStream,
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.ZStandardCodec'],
    decode: createDecoder(),
  },
  output: {
    compress: bytes => zlib.zstdCompressSync(bytes),
    decompress: (bytes, maxOutputLength) => decodeWhole(zlibKinds.zstd, bytes, { maxOutputLength }),
  },
} satisfies Codec

const frameMagic = 0xfd2f_b528
const dictionaryBytes = [0, 1, 2, 4] as const
const sizeBytes = [0, 2, 4, 8] as const

/** For windows up to the largest that the library knows, which were compared with a limit before. */
const wideZstd: ZlibKind = {
  ...zlibKinds.zstd,
  createStream: options =>
    zlib.createZstdDecompress({ ...options, params: { [zlib.constants.ZSTD_d_windowLogMax]: 31 } }),
}

/** Most bytes of a frame before its first block. */
const maxHeaderBytes = 18

/**
 * Decompresses frame by frame.
 * @throws FormatError `zstd`: cut short, damaged, or a window that is too large, after what is before
 */
export function decompressZstdStream(
  source: QueueSource,
  options: StreamOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  return decompressFrames(source, 'zstd', queue => readFrame(queue, options))
}

/** What is wrong with a frame whose window is too large: its size, the limit, and what to do; undefined with any other. */
export const findWindowFault = (head: Uint8Array, { max, setting }: WindowLimit = usualWindows): string | undefined => {
  const window = toWindowBytes(head)
  if (window <= max) return undefined
  const found = `the window of a frame is ${toMiB(window)}, and at most ${toMiB(max)} are read`
  const advice = `compress with --long=${Math.floor(Math.log2(max))} or less`
  return setting === undefined ? `${found}: ${advice}` : `${found} (${setting}): raise it, or ${advice}`
}

const toMiB = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`

const toFault = (offset: number, message: string): FormatError => new FormatError('zstd', offset, `${message};`)

/** Values of sequence files are far smaller than the usual windows, which need not be larger for them. */
function createDecoder(): BufferDecoder {
  const decode = decodeByZlib(zlibKinds.zstd)
  return (bytes, maxBytes, room) => {
    const fault = findWindowFault(bytes)
    if (fault !== undefined) throw toFault(0, fault)
    return decode(bytes, maxBytes, room)
  }
}

async function* readFrame(
  queue: ByteQueue,
  { windows, hold }: StreamOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { offset } = queue
  await queue.ensure(maxHeaderBytes)
  const magic = queue.available < 4 ? 0 : queue.view().readUInt32LE()
  if (isSkippableMagic(magic)) return await passSkippable(queue, 'zstd')
  if (magic !== frameMagic) throw new FormatError('zstd', offset, 'expected a frame (28 b5 2f fd)')
  const fault = findWindowFault(queue.view(), windows)
  if (fault !== undefined) throw toFault(offset, fault)
  const window = toWindowBytes(queue.view())
  const isUsual = window <= usualWindows.max
  const pieces = readByZlib(queue, isUsual ? zlibKinds.zstd : wideZstd, new FrameFeed(queue))
  yield* isUsual || !hold ? pieces : counting(pieces, window, hold)
}

/** A window takes memory as it fills, which a short file never does. */
async function* counting(
  pieces: AsyncIterable<Uint8Array>,
  window: number,
  hold: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held = 0
  try {
    for await (const piece of pieces) {
      const more = Math.min(piece.length, window - held)
      if (more > 0) hold(more)
      held += more
      yield piece
    }
  } finally {
    hold(-held)
  }
}

/** The bytes of one frame: Node's decompressor does not say where one ends that ends with a piece. */
class FrameFeed implements Feed {
  readonly #queue: ByteQueue
  #state: 'header' | 'blocks' | 'checksum' | 'end' = 'header'
  /** Bytes up to the next header. */
  #left = 0
  #hasChecksum = false

  constructor(queue: ByteQueue) {
    this.#queue = queue
  }

  get offset(): number {
    return this.#queue.offset
  }

  async next(maxBytes: number): Promise<Uint8Array | undefined> {
    while (this.#left === 0 && this.#state !== 'end') await this.#advance()
    if (this.#left === 0 || !(await this.#queue.ensure(1))) return undefined
    return this.#queue.view().subarray(0, Math.min(maxBytes, this.#left))
  }

  take(bytes: number): void {
    this.#left -= bytes
    this.#queue.skip(bytes)
  }

  /** Reads the next header; where it is cut short, what is there of it, so that the decompressor says so. */
  async #advance(): Promise<void> {
    const queue = this.#queue
    if (this.#state === 'header') {
      await queue.ensure(6)
      this.#left = toHeaderBytes(queue.view())
      this.#hasChecksum = ((queue.view()[4] ?? 0) & 4) !== 0
      this.#state = 'blocks'
    } else if (this.#state === 'blocks') {
      const isWhole = await queue.ensure(3)
      const word = isWhole ? queue.view().readUIntLE(0, 3) : 1
      this.#left = isWhole ? 3 + (((word >> 1) & 3) === 1 ? 1 : word >> 3) : queue.available
      if (word & 1) this.#state = isWhole && this.#hasChecksum ? 'checksum' : 'end'
    } else {
      this.#left = 4
      this.#state = 'end'
    }
  }
}

const toHeaderBytes = (bytes: Uint8Array): number => {
  const { isSingle, dictionary, size } = toFlags(bytes)
  return 5 + (isSingle ? 0 : 1) + dictionary + size
}

const toFlags = (bytes: Uint8Array) => {
  const flags = bytes[4] ?? 0
  const isSingle = (flags & 0x20) !== 0
  const size = flags >> 6 === 0 && isSingle ? 1 : (sizeBytes[flags >> 6] ?? 0)
  return { isSingle, dictionary: dictionaryBytes[flags & 3] ?? 0, size }
}

/** The window of the frame that begins there, 0 where none does; one without a descriptor has the size of its content. */
const toWindowBytes = (head: Uint8Array): number => {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, maxHeaderBytes))
  if (bytes.length < 6 || bytes.readUInt32LE() !== frameMagic) return 0
  const { isSingle, dictionary, size } = toFlags(bytes)
  if (!isSingle) {
    const descriptor = bytes[5] ?? 0
    const base = 2 ** (10 + (descriptor >> 3))
    return base + (base / 8) * (descriptor & 7)
  }
  const at = 5 + dictionary
  if (bytes.length < at + size) return 0
  return size === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, size)
}
