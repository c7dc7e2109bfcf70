import type { Buffer } from 'node:buffer'
import type { ByteQueue } from '../../codecs/byte-queue.ts'
import { rebase } from '../../codecs/rebase.ts'
import type { BudgetLimits } from '../../formats/budget.ts'
import { maxRowColumns, recordColumn } from '../columns.ts'
import { type Format, type FormatInput, inSteps } from '../format.ts'
import { tooLong } from '../limits.ts'
import type { RowBatch } from '../reading.ts'
import type { Row } from '../row.ts'
import { checkTextColumns, TextRows, toLines } from './text-rows.ts'

/** Bytes that become rows in one step: some hundreds of lines, */
const stepBytes = 64 * 1024
/** and fewer in the first ones: rows take many times their bytes, and many clients want, or take, no more than the start. */
const firstStepBytes = 16 * 1024
const firstBytes = 4 * 1024 * 1024

/**
 * Lines that end with `\n`, `\r` or `\r\n`, split at every TAB into `col-0`, `col-1` …; UTF-8, with invalid bytes as
 * U+FFFD. Nothing is trimmed. With `raw` a line is one column, `record`.
 */
export const textFormat: Format = {
  name: 'text',
  isResumable: true,
  open: input => {
    const batches = readTextRows(input)
    return input.raw ? { serializer: 'text', columns: recordColumn, batches } : { serializer: 'text', batches }
  },
}

const readTextRows = (input: FormatInput): AsyncIterable<RowBatch> => {
  const { queue, raw, limits } = input
  const columns = Math.min(maxRowColumns, limits.values.max)
  queue.recycle()
  return inSteps(input, async first => {
    const { offset } = queue
    const bytes = await takeLines(queue, { format: 'text', row: first, limits })
    if (bytes === undefined) return undefined
    const bounds = findLines(bytes)
    if (raw) return { rows: toLines(bytes, bounds).map(toRecord) }
    let checked = 0
    try {
      for (; checked < bounds.length; checked += 2) {
        checkTextColumns(bytes, bounds[checked] ?? 0, bounds[checked + 1] ?? 0, offset, columns)
      }
      return { rows: new TextRows(bytes, bounds) }
    } catch (error) {
      return { rows: new TextRows(bytes, bounds.slice(0, checked)), failure: rebase(error, 0) }
    }
  })
}

/**
 * Whole lines with their ends, as many as there are in a step; the last one of a file may lack its end. Undefined when
 * there are no more.
 * @throws LimitError `format`: a line longer than a row may be
 */
const takeLines = async (
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

/** Where the lines of whole lines start, and end. */
const findLines = (bytes: Buffer): number[] => {
  const bounds: number[] = []
  let feed = bytes.indexOf(newline)
  let back = bytes.indexOf(carriageReturn)
  for (let start = 0; start < bytes.length; ) {
    const isFeed = feed >= 0 && (back < 0 || feed < back)
    const end = isFeed ? feed : back >= 0 ? back : bytes.length
    bounds.push(start, end)
    start = end + (!isFeed && end + 1 === feed ? 2 : 1)
    if (feed >= 0 && feed < start) feed = bytes.indexOf(newline, start)
    if (back >= 0 && back < start) back = bytes.indexOf(carriageReturn, start)
  }
  return bounds
}

const toRecord = (line: string): Row => ({ names: recordColumn, values: [line] })

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
