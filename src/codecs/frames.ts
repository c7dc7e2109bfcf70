/**
 * The bytes after the end of a compressed stream: nothing, another stream (as `cat` makes them, and encoders that flush
 * by ending one), or zero bytes up to the end, which tapes and block devices add. Anything else is damage.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { ByteQueue, type QueueSource } from './byte-queue.ts'

/**
 * Decompresses one stream after another up to the end of the source.
 * @param readStream takes one stream from the front of the queue, and leaves the rest
 * @throws FormatError `format`: something else than a stream or padding, after what is before it
 */
export async function* decompressFrames(
  source: QueueSource,
  format: string,
  readStream: (queue: ByteQueue) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  try {
    for (let isFirst = true; await queue.ensure(1); isFirst = false) {
      if (!isFirst && queue.view()[0] === 0) return await passPadding(queue, format)
      yield* readStream(queue)
    }
  } finally {
    await queue.close()
  }
}

/** Goes over zero bytes up to the end. @throws FormatError `format`: another byte */
export const passPadding = async (queue: ByteQueue, format: string): Promise<void> => {
  while (await queue.ensure(1)) {
    checkPadding(queue.view(), 0, format, queue.offset)
    queue.skip(queue.available)
  }
}

/**
 * Checks that there are only zero bytes from `start` on.
 * @param base offset of the first byte, for the error
 * @throws FormatError `format`: another byte
 */
export const checkPadding = (bytes: Uint8Array, start: number, format: string, base = 0): void => {
  for (let at = start; at < bytes.length; at += zeros.length) {
    const part = bytes.subarray(at, at + zeros.length)
    if (zeros.compare(part, 0, part.length, 0, part.length) === 0) continue
    const found = at + part.findIndex(byte => byte !== 0)
    throw new FormatError(format, base + found, 'expected zero bytes up to the end behind the compressed data')
  }
}

const zeros = Buffer.alloc(64 * 1024)

/** Bytes of a skippable frame, by its first eight bytes; Zstandard and LZ4 share it. */
export const toSkippableBytes = (header: Buffer): number | undefined =>
  header.length >= 8 && (header.readUInt32LE() & 0xffff_fff0) >>> 0 === skippableMagic
    ? 8 + header.readUInt32LE(4)
    : undefined

/** `5x 2a 4d 18 length:4 …`, little-endian. */
export const isSkippableMagic = (magic: number): boolean => (magic & 0xffff_fff0) >>> 0 === skippableMagic

const skippableMagic = 0x184d_2a50

/** Skips a skippable frame. @throws FormatError `format`: it is cut short */
export const passSkippable = async (queue: ByteQueue, format: string): Promise<void> => {
  const { offset } = queue
  if (!(await queue.ensure(8))) throw new FormatError(format, offset, 'expected a length, found the end')
  const end = offset + 8 + queue.view().readUInt32LE(4)
  for (let left = end - offset; left > 0; left = end - queue.offset) {
    if (!(await queue.ensure(1))) throw new FormatError(format, queue.offset, `expected ${left} more bytes`)
    queue.skip(Math.min(left, queue.available))
  }
}

/**
 * Whether a file begins with one of `magics` (hexadecimal), after frames that may be skipped. Undefined if these extend
 * beyond the head, so that the head does not show it.
 */
export const showsMagic = (head: Uint8Array, magics: readonly string[]): boolean | undefined => {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  let at = 0
  for (let size = toSkippableBytes(bytes); size !== undefined; size = toSkippableBytes(bytes.subarray(at))) at += size
  if (at > 0 && at + 4 > bytes.length) return undefined
  return magics.includes(bytes.toString('hex', at, at + 4))
}
