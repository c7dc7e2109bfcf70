import { Buffer } from 'node:buffer'
import { FormatError } from '../../../errors.ts'
import { toBuffer } from '../../to-buffer.ts'
import { Cursor } from '../cursor.ts'
import type { ParquetFile } from '../file.ts'
import { isWholeEncoding } from '../value-readers.ts'
import type { PageCodec } from './page-codec.ts'
import type { PageHeader } from './page-header.ts'
import type { FileMemory, MemoryPlace } from './page-memory.ts'
import { type ByteWindow, createWindow } from './window.ts'

/** How pages are unfolded. */
export type PageBodyOptions = {
  readonly file: ParquetFile
  /** What is read at once of the chunk, in bytes. */
  readonly windowBytes: number
  /** Pages that unfold into more are not kept as a whole: */
  readonly directBytes: number
  /** so much of them is, where their encoding allows that. */
  readonly pieceBytes: number
  readonly memory: FileMemory
}

/**
 * Opens the body of a page, after its header.
 * @param base where the header begins
 */
export type OpenBody = (header: PageHeader, base: number, how: PageCodec, options?: BodyOptions) => Promise<Cursor>

type BodyOptions = {
  /** Bytes before those that are compressed. */
  readonly skipped?: number
  /** Its values stay when their bytes are gone: the memory held continues to count. */
  readonly isDictionary?: boolean
}

/** Pages that decompress to more are decompressed as they are read; smaller ones again after the part that is kept. */
const maxAnewBytes = 4 * 1024 * 1024

/** @param bytes those of the chunk */
export const createOpenBody = (options: PageBodyOptions, bytes: ByteWindow): OpenBody => {
  const { file, windowBytes, directBytes, memory } = options
  const firstPieceBytes = Math.min(leastPieceBytes, options.pieceBytes)
  const [pagePlace, dictionaryPlace] = [memory.place(), memory.place()]

  const openBody: OpenBody = async (header, base, how, { skipped = 0, isDictionary = false } = {}) => {
    const start = base + header.length + skipped
    const [compressed, size] = [header.compressed - skipped, header.uncompressed - skipped]
    const place = isDictionary ? dictionaryPlace : pagePlace
    place.hold(0, base)
    // A page without a value of its own has nothing to unfold, whatever the codec would make of nothing.
    if (size <= 0 || compressed <= 0) return new Cursor(Buffer.alloc(0), base)
    const hold = (passed: number, bytes: number): void => place.hold(isDictionary ? passed + bytes : bytes, base)
    const isKept = size <= directBytes || isWholeEncoding(header.encoding)
    // What is not compressed is read as it is needed: a stream of it holds nothing.
    const isAtOnce = isKept || how.held(size, size) > 0
    if (isAtOnce && size <= maxAnewBytes && compressed <= 2 * size + leastPieceBytes) {
      const unfoldAll = async (): Promise<Uint8Array | undefined> => {
        // What is taken once goes through the window, where it is small: the next page is at hand then.
        const isNear = isKept && compressed <= windowBytes
        const packed = isNear ? await bytes.exactly(start, compressed) : await file.read(start, compressed)
        const whole = how.direct(packed, size)
        return whole && checkSize(whole, whole.length, size, base)
      }
      if (isKept) hold(0, size)
      const whole = await unfoldAll()
      if (whole) return isKept ? new Cursor(whole, base) : openPieces(whole, base, { hold, place, unfoldAll })
    }
    // What is unfolded of a dictionary later must not disturb the pages after it.
    const window = isDictionary ? createWindow(file, windowBytes, start + compressed) : bytes
    return openStream(how, window.pieces(start, compressed), { base, hold, size })
  }
  /**
   * Often only the first rows are wanted, so little is kept at first, and all of it, if there is memory, once more is
   * wanted. Otherwise the page is decompressed again for each piece: the state of a decompressor would take as much
   * memory as the page.
   */
  const openPieces = (first: Uint8Array, base: number, { hold, place, unfoldAll }: Anew): Cursor => {
    const { length: size } = first
    let [from, length] = [0, 0]
    let whole: Uint8Array | undefined = first
    return new Cursor(Buffer.alloc(0), base, 0, async taken => {
      from += taken
      length = Math.max(firstPieceBytes, Math.min(4 * length, options.pieceBytes), 2 * (length - taken))
      const isRest = whole === undefined && place.fits(from + size)
      hold(from, isRest ? size : length)
      const page = whole ?? (await unfoldAll()) ?? Buffer.alloc(0)
      if (isRest) return { bytes: toBuffer(page.subarray(from)), isLast: true }
      whole = undefined
      return { bytes: copyApart(page.subarray(from, from + length)), isLast: from + length >= page.length }
    })
  }
  const openStream = (how: PageCodec, source: AsyncIterable<Uint8Array>, { base, hold, size }: Unfolding): Cursor => {
    const queue = how.unfold(source, size)
    let [passed, unfolded] = [0, 0]
    return new Cursor(Buffer.alloc(0), base, 0, async taken => {
      queue.skip(taken)
      passed += taken
      const before = queue.available
      const wanted = Math.max(firstPieceBytes, 2 * before)
      hold(passed, wanted + how.held(passed + wanted, size))
      try {
        await queue.ensure(wanted)
      } catch (cause) {
        if (queue.available === before) throw inPage(base, cause)
      }
      unfolded += queue.available - before
      const isLast = queue.available === before || unfolded >= size
      if (isLast) checkSize(queue.view(), unfolded, size, base)
      return { bytes: queue.view(), isLast }
    })
  }
  return openBody
}

/** Counts what is about to be held of a page, after bytes that were skipped. */
type Hold = (passed: number, bytes: number) => void

type Anew = {
  readonly hold: Hold
  readonly place: MemoryPlace
  readonly unfoldAll: () => Promise<Uint8Array | undefined>
}

type Unfolding = { readonly base: number; readonly hold: Hold; readonly size: number }

/** Not in memory that small buffers share, which would stay as long as any of them. */
const copyApart = (bytes: Uint8Array): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

/** What is unfolded of a large page at first. */
const leastPieceBytes = 16 * 1024

const checkSize = (page: Uint8Array, found: number, size: number, base: number): Uint8Array => {
  if (found >= size) return page
  throw new FormatError('parquet', base, `expected a page of ${size} bytes, found ${found}`)
}

const inPage = (at: number, cause: unknown): unknown =>
  cause instanceof FormatError || cause instanceof RangeError
    ? new FormatError('parquet', at, `expected a page that can be decompressed: ${cause.message};`, { cause })
    : cause
