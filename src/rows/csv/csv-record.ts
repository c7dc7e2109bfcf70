/**
 * Records of a text table. They end with `\n`, `\r` or `\r\n`. A quote at the start of a field opens it: the field may
 * hold delimiters, line breaks, and doubled quotes, up to a quote before a delimiter or the end of a line. Text after a
 * closing quote on the same line belongs to the field. A quote that is not closed is a letter: a quote in a field of
 * several lines that neither closes it nor is doubled shows that, and so does the end of the file.
 */
import { Buffer, isAscii } from 'node:buffer'

/** What separates fields: one ASCII character each; a quote may be empty. */
export type CsvShape = { readonly delimiter: string; readonly quote: string }

/** Where a record is, and what is in it. Offsets are bytes. */
export type CsvRecord = {
  readonly start: number
  /** Without the end of the line. */
  readonly end: number
  readonly next: number
  readonly fields: number
  /** Fields in quotes. */
  readonly quoted: number
}

const carriageReturn = 0x0d
const newline = 0x0a

/**
 * The record that begins at `start`; undefined where its end is not there.
 * @param text a character for each byte
 * @param isWhole whether nothing follows the text
 */
export const readRecord = (text: string, start: number, shape: CsvShape, isWhole: boolean): CsvRecord | undefined => {
  const delimiter = shape.delimiter.charCodeAt(0)
  const quote = shape.quote === '' ? -1 : shape.quote.charCodeAt(0)
  let fields = 1
  let quoted = 0
  let isStart = true
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === delimiter) {
      fields++
      isStart = true
    } else if (code === newline) return { start, end: at, next: at + 1, fields, quoted }
    else if (code === carriageReturn) {
      // It may be half of an end of line.
      if (at + 1 === text.length && !isWhole) return undefined
      return { start, end: at, next: at + (text.charCodeAt(at + 1) === newline ? 2 : 1), fields, quoted }
    } else if (isStart && code === quote) {
      const close = closingQuote(text, at, shape, isWhole)
      if (close === undefined) return undefined
      if (close > 0) {
        at = close
        quoted++
      }
      isStart = false
    } else isStart = false
  }
  return isWhole && start < text.length ? { start, end: text.length, next: text.length, fields, quoted } : undefined
}

/** Where the quote is that closes a field; 0 where none does, undefined where that is not known yet. */
const closingQuote = (
  text: string,
  open: number,
  { delimiter, quote }: CsvShape,
  isWhole: boolean,
): number | undefined => {
  let isOverLines = false
  for (let from = open + 1; ; ) {
    const at = text.indexOf(quote, from)
    if (at < 0) return isWhole ? 0 : undefined
    if (at + 1 === text.length) return isWhole ? at : undefined
    isOverLines ||= hasLineEnd(text, from, at)
    const after = text[at + 1]
    if (after === quote) {
      from = at + 2
      continue
    }
    if (after === delimiter || after === '\n' || after === '\r') return at
    return isOverLines ? 0 : at
  }
}

const hasLineEnd = (text: string, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === newline || code === carriageReturn) return true
  }
  return false
}

/** The fields of a record as text; what is not UTF-8 becomes U+FFFD. */
export const toFields = (bytes: Buffer, { start, end, quoted }: CsvRecord, shape: CsvShape): string[] => {
  const part = bytes.subarray(start, end)
  if (quoted === 0) return part.toString('utf8').split(shape.delimiter)
  const text = part.toString('latin1')
  const fields = cutFields(text, shape)
  return isAscii(part) ? fields : fields.map(field => Buffer.from(field, 'latin1').toString('utf8'))
}

const cutFields = (text: string, shape: CsvShape): string[] => {
  const { delimiter, quote } = shape
  const fields: string[] = []
  for (let at = 0; ; at++) {
    const close = quote !== '' && text[at] === quote ? (closingQuote(text, at, shape, true) ?? 0) : 0
    const next = text.indexOf(delimiter, close > 0 ? close + 1 : at)
    const end = next < 0 ? text.length : next
    // What is between the closing quote and the delimiter belongs to nothing; it is kept rather than lost.
    fields.push(
      close > 0
        ? text.slice(at + 1, close).replaceAll(quote + quote, quote) + text.slice(close + 1, end)
        : text.slice(at, end),
    )
    if (next < 0) return fields
    at = next
  }
}
