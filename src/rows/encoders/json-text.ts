import { Buffer, isUtf8 } from 'node:buffer'
import type { TextRows } from '../text/text-rows.ts'

/** Texts around the values of a row, all of them ASCII. */
export type RowFrame = {
  /** Between two rows. */
  readonly separator: string
  /** What opens a row and names its value, or names the value after another one. */
  readonly toKey: (name: string, index: number) => string
  /** What closes a row. */
  readonly end: string
}

/** Cells of one line, and bytes of it, that are written here. */
const maxCells = 256
const maxLineBytes = 16_384

/** Room for one text of a frame: words that are copied one after another. */
const wordsPerText = 8
const closing = maxCells

/** The longest that JSON makes of a byte: `\u0001`. */
const maxEscapeBytes = 6

/** The most bytes that a line of this many takes. */
const toMostBytes = (length: number): number =>
  maxEscapeBytes * length + 4 * wordsPerText * (Math.min(length, maxCells) + 2)

/** The memory in which pieces are made; each is copied out before its next use. */
const room = Buffer.allocUnsafeSlow(Math.max(131_072, toMostBytes(maxLineBytes)))
const out = new DataView(room.buffer)

/**
 * Writes rows of text as JSON objects from bytes to bytes: UTF-8 stays as it is, so that only TABs, and what JSON
 * escapes, are searched for, four bytes at a time.
 */
export class TextRowEncoder {
  /** The texts before each value, the first one with the separator before its row, and the one that closes a row. */
  readonly #words = new Int32Array((maxCells + 1) * wordsPerText)
  readonly #lengths = new Uint8Array(maxCells + 1)
  readonly #separatorBytes: number

  constructor({ separator, toKey, end }: RowFrame) {
    this.#separatorBytes = separator.length
    for (let cell = 0; cell < maxCells; cell++) {
      this.#setText(cell, `${cell === 0 ? separator : '"'}${toKey(`col-${cell}`, cell)}"`)
    }
    this.#setText(closing, `"${end}`)
  }

  /**
   * Writes rows from `from` on, up to one that has to be written in another way: a very long one, one of very many
   * values, or one that is not UTF-8.
   * @param isFirst whether no separator goes before the first one
   * @returns how many were written
   */
  *encode(rows: TextRows, from: number, isFirst: boolean): Generator<Buffer, number, undefined> {
    const { bytes, bounds, length } = rows
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let row = from
    let start = isFirst ? this.#separatorBytes : 0
    let at = 0
    for (; row < length; row++) {
      const lineStart = bounds[2 * row] ?? 0
      const lineEnd = bounds[2 * row + 1] ?? 0
      if (lineEnd - lineStart > maxLineBytes) break
      if (at + toMostBytes(lineEnd - lineStart) > room.length) {
        yield Buffer.from(room.subarray(start, at))
        start = 0
        at = 0
      }
      const end =
        lineEnd + 4 <= bytes.length
          ? this.#writeLine(bytes, view, lineStart, lineEnd, at)
          : this.#writeLastLine(bytes.subarray(lineStart, lineEnd), at)
      if (end < 0) break
      at = end
    }
    if (at > 0) yield Buffer.from(room.subarray(start, at))
    return row - from
  }

  /** As {@link TextRowEncoder.#writeLine}, where nothing may be read past the line. */
  #writeLastLine(line: Buffer, position: number): number {
    const padded = Buffer.concat([line], line.length + 4)
    const view = new DataView(padded.buffer, padded.byteOffset, padded.length)
    return this.#writeLine(padded, view, 0, line.length, position)
  }

  /**
   * Writes a line at `position` of the memory, and reads up to three bytes past its end.
   * @returns the end of what was written; -1 where it has to be written in another way
   */
  #writeLine(bytes: Buffer, view: DataView, start: number, end: number, position: number): number {
    let nonAscii = highBits
    let cell = 0
    let at = this.#writeText(0, position)
    let from = start
    while (from < end) {
      const word = view.getInt32(from, true)
      out.setInt32(at, word, true)
      // The lowest bit is that of the first one; a borrow may set the next one falsely.
      const special =
        ((((word - spaces) | ((word ^ quotes) - ones) | ((word ^ backslashes) - ones)) & ~word) | (word & nonAscii)) &
        highBits
      if (special === 0) {
        at += 4
        from += 4
        continue
      }
      const count = (31 - Math.clz32(special & -special)) >> 3
      at += count
      from += count
      if (from >= end) break
      const byte = bytes[from] ?? 0
      if (byte === tab) {
        from++
        if (++cell === maxCells) return -1
        at = this.#writeText(cell, at)
      } else if (byte < 0x80) {
        from++
        for (const part of escapes[byte] ?? []) room[at++] = part
      } else if (isUtf8(bytes.subarray(start, end))) nonAscii = 0
      else return -1
    }
    return this.#writeText(closing, at - (from - end))
  }

  #writeText(index: number, at: number): number {
    const length = this.#lengths[index] ?? 0
    for (let word = index * wordsPerText, to = at; to < at + length; word++, to += 4) {
      out.setInt32(to, this.#words[word] ?? 0, true)
    }
    return at + length
  }

  #setText(index: number, text: string): void {
    const bytes = Buffer.alloc(4 * wordsPerText)
    const length = bytes.write(text, 'latin1')
    if (length !== text.length) throw new RangeError(`Cannot frame values with "${text}": it is too long`)
    this.#lengths[index] = length
    for (let word = 0; word < wordsPerText; word++) {
      this.#words[index * wordsPerText + word] = bytes.readInt32LE(4 * word)
    }
  }
}

const tab = 0x09
const ones = 0x0101_0101
const spaces = 0x20 * ones
const quotes = 0x22 * ones
const backslashes = 0x5c * ones
const highBits = 0x8080_8080 | 0

/** What JSON has for control characters, quotes and backslashes. */
const escapes: readonly Buffer[] = Array.from({ length: 0x80 }, (_, byte) =>
  Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)),
)
