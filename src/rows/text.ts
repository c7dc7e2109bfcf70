import { type Buffer, isAscii } from 'node:buffer'
import type { ByteQueue } from '../codecs/byte-queue.ts'
import { rebase } from '../codecs/rebase.ts'
import { FormatError } from '../errors.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import { maxColumns, numberedColumns, recordColumn } from './columns.ts'
import { type Format, type FormatInput, inSteps } from './format.ts'
import { tooLong } from './limits.ts'
import type { RowBatch } from './reading.ts'
import type { Row } from './row.ts'

/** Bytes that become rows in one step: some hundreds of lines, */
const stepBytes = 64 * 1024
/** and fewer in the first ones: rows take many times their bytes, and many clients want, or take, no more than the start. */
const firstStepBytes = 16 * 1024
const firstBytes = 4 * 1024 * 1024

/**
 * Lines that end with `\n`, `\r` or `\r\n`, split at every TAB into `col-0`, `col-1` …; UTF-8, where what is none
 * becomes U+FFFD. Nothing is trimmed. With `raw` a line is one column, `record`.
 */
export const textFormat: Format = {
  name: 'text',
  isResumable: true,
  open: input => ({ serializer: 'text', batches: readTextRows(input) }),
}

const readTextRows = (input: FormatInput): AsyncIterable<RowBatch> => {
  const { queue, raw, limits } = input
  const columns = Math.min(maxColumns, limits.values.max)
  return inSteps(input, async first => {
    const { offset } = queue
    const bytes = await takeLines(queue, { format: 'text', row: first, limits })
    if (bytes === undefined) return undefined
    const rows: Row[] = []
    try {
      for (const line of toLines(bytes)) rows.push(raw ? toRecord(line) : toTextRow(line, offset, columns))
      return { rows }
    } catch (error) {
      return { rows, failure: rebase(error, 0) }
    }
  })
}

/**
 * Whole lines with their ends, as many as there are in a step; the last one of a file may lack its end. Undefined when
 * there are no more.
 * @throws LimitError `format`: a line longer than a row may be
 */
export const takeLines = async (
  queue: ByteQueue,
  { format, row, limits }: { readonly format: string; readonly row: number; readonly limits: BudgetLimits },
): Promise<Buffer | undefined> => {
  for (;;) {
    const step = queue.offset < firstBytes ? firstStepBytes : stepBytes
    const end = endOfLines(queue.view(), step)
    // More than a step is one line.
    if (end > limits.bytes.max && end > step) throw tooLong(format, row, queue.offset, limits)
    if (end > 0) return queue.take(end)
    if (queue.available > limits.bytes.max) throw tooLong(format, row, queue.offset, limits)
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

/** A line as a row: columns between TABs. @param offset of the step, for errors. @param most columns that it may have */
export const toTextRow = (line: string, offset: number, most = maxColumns): Row => {
  if (!line.includes('\t')) return { names: oneColumn, values: [line] }
  // With a limit it takes longer, and short lines need none.
  const values = line.length < most ? line.split('\t') : line.split('\t', most + 1)
  if (values.length <= most) return { names: numberedColumns(values.length), values }
  throw new FormatError('text', offset, `expected at most ${most} columns, found more in a line`)
}

const toRecord = (line: string): Row => ({ names: recordColumn, values: [line] })

const oneColumn = numberedColumns(1)
const anyEnd = /\r\n|\n|\r/
const newline = 0x0a
const carriageReturn = 0x0d

/** Where the last line ends within a step, or the first one beyond it; 0 without. */
const endOfLines = (bytes: Buffer, step: number): number => {
  const end = bytes.length > step ? bytes.lastIndexOf(newline, step) : bytes.lastIndexOf(newline)
  if (end >= 0) return end + 1
  // Without any newline: old Mac text, perhaps. A return at the very end may be half of an end of line.
  if (bytes.length < 2) return 0
  const last = bytes.lastIndexOf(carriageReturn, Math.min(step, bytes.length - 2))
  if (last >= 0) return last + (bytes[last + 1] === newline ? 2 : 1)
  const later = bytes.indexOf(newline, step)
  const first = bytes.subarray(0, later < 0 ? bytes.length - 1 : later).indexOf(carriageReturn, step)
  return (first < 0 || bytes[first + 1] === newline ? later : first) + 1
}
