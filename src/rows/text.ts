import { type Buffer, isAscii } from 'node:buffer'
import type { ByteQueue } from '../codecs/byte-queue.ts'
import { FormatError } from '../errors.ts'
import { maxColumns, numberedColumns, recordColumn } from './columns.ts'
import type { Format, FormatInput } from './format.ts'
import type { RowBatch } from './reading.ts'
import type { Row } from './row.ts'

/** Longest line in bytes. */
export const maxLineBytes = 16 * 1024 * 1024

/** Bytes that become rows in one step: some hundreds of lines. */
const stepBytes = 64 * 1024

/**
 * Lines that end with `\n`, `\r` or `\r\n`, split at every TAB into `col-0`, `col-1` …; UTF-8, where what is none
 * becomes U+FFFD. Nothing is trimmed. With `raw` a line is one column, `record`.
 */
export const textFormat: Format = {
  name: 'text',
  isResumable: true,
  open: input => ({ serializer: 'text', batches: readTextRows(input) }),
}

async function* readTextRows({ queue, row, raw, hasMarks }: FormatInput): AsyncGenerator<RowBatch, void, undefined> {
  let first = row
  for (;;) {
    const { offset } = queue
    const bytes = await takeLines(queue, 'text')
    if (bytes === undefined) return
    const lines = toLines(bytes)
    const rows = raw ? lines.map(toRecord) : lines.map(line => toTextRow(line, offset))
    const mark = hasMarks ? { row: first + rows.length, offset: queue.offset } : undefined
    yield { rows, first, mark }
    first += rows.length
  }
}

/**
 * Whole lines with their ends, as many as there are in a step; the last one of a file may lack its end. Undefined when
 * there are no more.
 * @throws FormatError `format`: a line longer than {@link maxLineBytes}
 */
export const takeLines = async (queue: ByteQueue, format: string): Promise<Buffer | undefined> => {
  for (;;) {
    const end = endOfLines(queue.view())
    if (end > 0) return queue.take(end)
    if (queue.available > maxLineBytes) {
      throw new FormatError(
        format,
        queue.offset,
        `expected a line of at most ${maxLineBytes} bytes, found a longer one`,
      )
    }
    if (!(await queue.more())) return queue.available > 0 ? queue.take(queue.available) : undefined
  }
}

/** The lines of whole lines, without their ends. */
export const toLines = (bytes: Buffer): string[] => {
  // Most text is ASCII, and then the way without UTF-8 is several times as fast.
  const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8')
  const lines = text.includes('\r') ? text.split(anyEnd) : text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** A line as a row: columns between TABs. @param offset of the step, for errors */
export const toTextRow = (line: string, offset: number): Row => {
  if (!line.includes('\t')) return { names: oneColumn, values: [line] }
  const values = line.split('\t')
  if (values.length <= maxColumns) return { names: numberedColumns(values.length), values }
  throw new FormatError('text', offset, `expected at most ${maxColumns} columns, found ${values.length} in a line`)
}

const toRecord = (line: string): Row => ({ names: recordColumn, values: [line] })

const oneColumn = numberedColumns(1)
const anyEnd = /\r\n|\n|\r/
const newline = 0x0a
const carriageReturn = 0x0d

/** Where the last line ends within a step, or the first one beyond it; 0 without. */
const endOfLines = (bytes: Buffer): number => {
  const end = bytes.length > stepBytes ? bytes.lastIndexOf(newline, stepBytes) : bytes.lastIndexOf(newline)
  if (end >= 0) return end + 1
  const later = bytes.length > stepBytes ? bytes.indexOf(newline, stepBytes) : -1
  if (later >= 0) return later + 1
  // Without any newline: old Mac text. A return at the very end may be half of an end of line.
  return bytes.length > 1 ? bytes.lastIndexOf(carriageReturn, bytes.length - 2) + 1 : 0
}
