/**
 * Blocks of Snappy and LZ4 of any length, unfolded while they are read: what their copies refer to is at most 64 KiB back,
 * in LZ4 by its format, in Snappy by all of its writers, which cut their input so.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { ByteQueue, type QueueSource } from './byte-queue.ts'

/** How far back copies may reach, */
const windowBytes = 64 * 1024
/** and what is handed on at once. */
const pieceBytes = 16 * 1024

/** What was unfolded: bytes that were not handed on yet, after those that copies may refer to. */
class Unfolded {
  readonly #bytes = Buffer.allocUnsafeSlow(windowBytes + pieceBytes)
  #end = 0
  #taken = 0
  total = 0

  /** How many bytes fit before some are taken. */
  get room(): number {
    return pieceBytes - (this.#end - this.#taken)
  }

  /** How far back a copy may reach now. */
  get reach(): number {
    return Math.min(this.#end, windowBytes)
  }

  literal(bytes: Buffer, start: number, count: number): void {
    bytes.copy(this.#bytes, this.#end, start, start + count)
    this.#end += count
    this.total += count
  }

  copy(distance: number, count: number): void {
    const bytes = this.#bytes
    const to = this.#end
    if (distance >= count) bytes.copyWithin(to, to - distance, to - distance + count)
    // Byte by byte where a copy overlaps itself, which repeats a pattern.
    else for (let i = to; i < to + count; i++) bytes[i] = bytes[i - distance] as number
    this.#end += count
    this.total += count
  }

  take(): Buffer {
    const piece = Buffer.from(this.#bytes.subarray(this.#taken, this.#end))
    if (this.#end > windowBytes) {
      this.#bytes.copyWithin(0, this.#end - windowBytes, this.#end)
      this.#end = windowBytes
    }
    this.#taken = this.#end
    return piece
  }
}

/** An element: bytes as they are, and then a copy. Lengths of 0 leave either out. */
type Element = {
  /** Bytes of its header. */
  readonly size: number
  readonly literal: number
  readonly copy: number
  readonly distance: number
}

/** Reads an element at an offset; undefined if it extends beyond the bytes at hand. */
type ReadElement = (bytes: Buffer, at: number, isLast: boolean) => Element | undefined

async function* unfold(
  queue: ByteQueue,
  format: string,
  readElement: ReadElement,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  const out = new Unfolded()
  let [literal, copy, distance] = [0, 0, 0]
  /** Takes the bytes at hand, until it is full; returns how many bytes it took. */
  const step = (bytes: Buffer, isLast: boolean): number => {
    let at = 0
    for (;;) {
      if (literal > 0) {
        const some = Math.min(literal, bytes.length - at, out.room)
        out.literal(bytes, at, some)
        at += some
        literal -= some
      } else if (copy > 0) {
        const some = Math.min(copy, out.room)
        out.copy(distance, some)
        copy -= some
      }
      if (literal > 0 || copy > 0) {
        if (out.room === 0 || (literal > 0 && at === bytes.length)) return at
        continue
      }
      const element = at < bytes.length ? readElement(bytes, at, isLast) : undefined
      if (element === undefined) return at
      at += element.size
      literal = element.literal
      copy = element.copy
      distance = element.distance
      if (out.total + literal + copy > maxBytes) {
        throw new FormatError(format, queue.offset + at, `expected at most ${maxBytes} raw bytes, found more`)
      }
      if (copy > 0 && (distance === 0 || distance > out.reach)) {
        throw new FormatError(
          format,
          queue.offset + at,
          `expected a copy from at most ${out.reach} bytes before, found ${distance}`,
        )
      }
    }
  }
  try {
    for (;;) {
      const taken = step(queue.view(), queue.isDone)
      queue.skip(taken)
      if (out.room === 0) yield out.take()
      else if (!queue.isDone) await queue.more()
      else if (queue.available === 0 && literal === 0) break
      else throw new FormatError(format, queue.offset, 'expected more bytes, found the end of the block')
    }
    yield out.take()
  } finally {
    await queue.close()
  }
}

/** One snappy block, see snappy.ts. @throws FormatError `snappy` */
export async function* decompressSnappyBlock(
  source: QueueSource,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const queue = new ByteQueue(source)
  await queue.ensure(5)
  const head = queue.view()
  let size = 0
  while (size < 4 && (head[size] ?? 0) >= 0x80) size++
  queue.skip(Math.min(size + 1, queue.available))
  yield* unfold(queue, 'snappy', readSnappyElement, maxBytes)
}

const readSnappyElement: ReadElement = (bytes, at, isLast) => {
  const tag = bytes[at] as number
  const kind = tag & 3
  const width = kind === 0 ? Math.max(0, (tag >> 2) - 59) : kind === 3 ? 4 : kind
  if (width > bytes.length - at - 1) return isLast ? cutShort('snappy', at) : undefined
  const number = width === 0 ? 0 : bytes.readUIntLE(at + 1, width)
  const size = 1 + width
  if (kind === 0) return { size, literal: (width === 0 ? tag >> 2 : number) + 1, copy: 0, distance: 0 }
  if (kind === 1) return { size, literal: 0, copy: ((tag >> 2) & 7) + 4, distance: ((tag >> 5) << 8) | number }
  return { size, literal: 0, copy: (tag >> 2) + 1, distance: number }
}

/** One LZ4 block, see lz4.ts. @throws FormatError `lz4` */
export const decompressLz4Block = (
  source: QueueSource,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> => {
  /** The token whose copy follows its literals. */
  let token: number | undefined
  const readLength = (bytes: Buffer, at: number): { readonly size: number; readonly more: number } | undefined => {
    let more = 0
    for (let size = 0; at + size < bytes.length; ) {
      const byte = bytes[at + size] as number
      more += byte
      size++
      if (byte !== 255) return { size, more }
    }
    return undefined
  }
  return unfold(
    new ByteQueue(source),
    'lz4',
    (bytes, at, isLast) => {
      if (token === undefined) {
        const next = bytes[at] as number
        const length = next >> 4 === 15 ? readLength(bytes, at + 1) : { size: 0, more: 0 }
        if (length === undefined) return isLast ? cutShort('lz4', at) : undefined
        token = next
        return { size: 1 + length.size, literal: (next >> 4) + length.more, copy: 0, distance: 0 }
      }
      const length = (token & 15) === 15 ? readLength(bytes, at + 2) : { size: 0, more: 0 }
      if (length === undefined || bytes.length - at < 2) return isLast ? cutShort('lz4', at) : undefined
      const copy = (token & 15) + 4 + length.more
      token = undefined
      return { size: 2 + length.size, literal: 0, copy, distance: bytes.readUInt16LE(at) }
    },
    maxBytes,
  )
}

const cutShort = (format: string, at: number): never => {
  throw new FormatError(format, at, 'expected more bytes, found the end of the block')
}
