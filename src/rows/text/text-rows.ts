import { type Buffer, isAscii } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { maxRowColumns, numberedColumns } from '../columns.ts'
import type { Row, Rows } from '../row.ts'

const tab = 0x09

/**
 * Rows of lines of UTF-8, each of which is split at every TAB into `col-0`, `col-1` …: kept as bytes until values are
 * wanted.
 */
export class TextRows implements Rows {
  readonly bytes: Buffer
  /** Where each line starts, and ends, within the bytes. */
  readonly bounds: readonly number[]

  /** @param bounds of lines that {@link checkTextColumns} let pass */
  constructor(bytes: Buffer, bounds: readonly number[]) {
    this.bytes = bytes
    this.bounds = bounds
  }

  get length(): number {
    return this.bounds.length / 2
  }

  slice(start: number, end = this.length): TextRows {
    return new TextRows(this.bytes, this.bounds.slice(2 * start, 2 * end))
  }

  /** The lines as text; what is not UTF-8 becomes U+FFFD. */
  lines(): string[] {
    return toLines(this.bytes, this.bounds)
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.lines().map(toTextRow).values()
  }
}

/** Lines as text; what is not UTF-8 becomes U+FFFD. @param bounds where each line starts, and ends */
export const toLines = (bytes: Buffer, bounds: readonly number[]): string[] => {
  const [first = 0] = bounds
  const part = bytes.subarray(first, bounds.at(-1))
  // Most text is ASCII, and then the way without UTF-8 is several times as fast.
  const ascii = isAscii(part) ? part.toString('latin1') : undefined
  const lines: string[] = []
  for (let at = 0; at < bounds.length; at += 2) {
    const start = bounds[at] ?? 0
    const end = bounds[at + 1] ?? 0
    lines.push(ascii === undefined ? bytes.toString('utf8', start, end) : ascii.slice(start - first, end - first))
  }
  return lines
}

/**
 * A line as a row: columns between TABs.
 * @throws FormatError `text`: more than {@link maxRowColumns} columns
 */
export const toTextRow = (line: string): Row => {
  if (!line.includes('\t')) return { names: oneColumn, values: [line] }
  // With a limit it takes longer, and short lines need none.
  const values = line.length < maxRowColumns ? line.split('\t') : line.split('\t', maxRowColumns + 1)
  if (values.length <= maxRowColumns) return { names: numberedColumns(values.length), values }
  throw tooMany(0, maxRowColumns)
}

/**
 * Counts the columns of a line from `start` to `end`.
 * @param offset of what holds the line, for errors
 * @throws FormatError `text`: more than `most`
 */
export const checkTextColumns = (bytes: Uint8Array, start: number, end: number, offset: number, most: number): void => {
  if (end - start < most) return
  let count = 1
  for (let at = bytes.indexOf(tab, start); at >= 0 && at < end; at = bytes.indexOf(tab, at + 1)) {
    if (++count > most) throw tooMany(offset, most)
  }
}

const tooMany = (offset: number, most: number): FormatError =>
  new FormatError('text', offset, `expected at most ${most} columns, found more in a line`)

const oneColumn = numberedColumns(1)
