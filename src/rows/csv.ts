import { type Buffer, isAscii } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { toBuffer } from '../formats/to-buffer.ts'
import { maxColumns, numberedColumns, toUniqueNames } from './columns.ts'
import { takeLongRecord } from './csv-long.ts'
import { type Format, type FormatInput, inSteps } from './format.ts'
import type { RowBatch } from './reading.ts'
import type { Row } from './row.ts'
import { textFormat } from './text.ts'

/** Bytes that become rows in one step. */
const stepBytes = 64 * 1024

/**
 * CSV (RFC 4180): records end with `\n` or `\r\n`, fields with a comma; a field in quotes may hold both, and quotes
 * doubled. The first record is a header when it has names for all columns, each once and none a number; without one
 * they are `col-0`, `col-1` … All values are strings, nothing is trimmed. With `raw` a line is a row.
 */
export const csvFormat: Format = {
  name: 'csv',
  isResumable: true,
  async open(input) {
    if (input.raw) return textFormat.open(input)
    const { queue, resumedAfter } = input
    if (!resumedAfter) await queue.ensure(stepBytes)
    const head = resumedAfter ? toBuffer(resumedAfter) : queue.view()
    const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
    const columns = readHeader(head.subarray(start))
    if (!resumedAfter) queue.skip(start + (columns?.end ?? 0))
    const batches = readCsvRows(input, columns?.names ?? [])
    return columns
      ? { serializer: 'csv', columns: columns.names, hasNumberedRest: true, batches }
      : { serializer: 'csv', batches }
  },
}

const readCsvRows = (input: FormatInput, header: readonly string[]): AsyncIterable<RowBatch> => {
  const { queue, limits } = input
  const toNames = createNames(header)
  const most = Math.min(maxColumns, limits.values.max)
  return inSteps(input, async first => {
    if (!(await queue.ensure(1))) return undefined
    await queue.ensure(stepBytes)
    const { offset } = queue
    const view = queue.view()
    const bytes = view.subarray(0, stepBytes)
    const isLast = queue.isDone && bytes.length === view.length
    const { records, end } = splitRecords(bytes, isLast)
    const rows: Row[] = []
    let failure: FormatError | undefined
    for (const record of records) {
      // A line without anything is none, unless there is but one column.
      if (record === '' && header.length > 1) continue
      const values = toFields(record)
      if (values.length > most) {
        failure = fault(offset, `expected at most ${most} columns, found more`)
        break
      }
      rows.push({ names: toNames(values.length), values })
    }
    queue.skip(end)
    if (end === 0 && !isLast) {
      const values = await takeLongRecord(queue, first, limits, most)
      rows.push({ names: toNames(values.length), values })
    }
    if (isLast && end < bytes.length) {
      failure ??= fault(queue.offset, 'expected the closing quote of a field, found the end')
    }
    return { rows, failure }
  })
}

const quote = 0x22
const comma = 0x2c

/** Records without their ends, and the bytes that they take. */
const splitRecords = (bytes: Buffer, isLast: boolean): { readonly records: string[]; readonly end: number } => {
  const plain = bytes.toString('latin1')
  const ascii = isAscii(bytes)
  const records: string[] = []
  let at = 0
  let nextQuote = plain.indexOf('"')
  while (at < plain.length) {
    let end = plain.indexOf('\n', at)
    // A record ends at the first newline with an even number of quotes before it.
    for (let isOpen = false; ; end = plain.indexOf('\n', end + 1)) {
      const limit = end < 0 ? plain.length : end
      for (; nextQuote >= 0 && nextQuote < limit; nextQuote = plain.indexOf('"', nextQuote + 1)) isOpen = !isOpen
      if (end < 0 && (isOpen || !isLast)) return { records, end: at }
      if (!isOpen) break
    }
    const stop = end < 0 ? plain.length : end
    const last = stop > at && plain.charCodeAt(stop - 1) === 0x0d ? stop - 1 : stop
    records.push(ascii ? plain.slice(at, last) : bytes.toString('utf8', at, last))
    at = end < 0 ? plain.length : end + 1
  }
  return { records, end: at }
}

const toFields = (record: string): string[] => {
  if (!record.includes('"')) return record.split(',')
  const fields: string[] = []
  for (let at = 0; ; at++) {
    if (record.charCodeAt(at) !== quote) {
      const end = record.indexOf(',', at)
      fields.push(record.slice(at, end < 0 ? record.length : end))
      if (end < 0) return fields
      at = end
      continue
    }
    let field = ''
    let end = record.indexOf('"', at + 1)
    for (at += 1; end >= 0 && record.charCodeAt(end + 1) === quote; end = record.indexOf('"', at)) {
      field += record.slice(at, end + 1)
      at = end + 2
    }
    field += record.slice(at, end < 0 ? record.length : end)
    // What stands between the closing quote and the comma belongs to nothing; it is kept rather than lost.
    const next = end < 0 ? -1 : record.indexOf(',', end)
    if (end >= 0) field += record.slice(end + 1, next < 0 ? record.length : next)
    fields.push(field)
    if (next < 0) return fields
    at = next
    if (record.charCodeAt(at) !== comma) return fields
  }
}

const readHeader = (bytes: Buffer): { readonly names: readonly string[]; readonly end: number } | undefined => {
  const { records, end } = splitFirst(bytes)
  const names = records === undefined ? [] : toFields(records)
  if (names.length === 0 || names.length > maxColumns || !names.every(isName)) return undefined
  if (new Set(names).size < names.length) return undefined
  return { names: toUniqueNames(names), end }
}

const splitFirst = (bytes: Buffer): { readonly records: string | undefined; readonly end: number } => {
  for (let newline = bytes.indexOf(0x0a); newline >= 0; newline = bytes.indexOf(0x0a, newline + 1)) {
    const { records, end } = splitRecords(bytes.subarray(0, newline + 1), false)
    if (records.length > 0) return { records: records[0], end }
    if (newline > 65_536) break
  }
  return { records: undefined, end: 0 }
}

const isName = (name: string): boolean => name.trim() !== '' && Number.isNaN(Number(name))

/** Names for a number of fields: of the header, then numbered. */
const createNames = (header: readonly string[]): ((count: number) => readonly string[]) => {
  const shapes = new Map<number, readonly string[]>()
  return count => {
    if (count === header.length) return header
    let names = shapes.get(count)
    if (!names) {
      names = header.length === 0 ? numberedColumns(count) : pad(header, count)
      if (shapes.size < 1_000) shapes.set(count, names)
    }
    return names
  }
}

const pad = (header: readonly string[], count: number): readonly string[] =>
  toUniqueNames([...header.slice(0, count), ...numberedColumns(count).slice(header.length)])

const fault = (at: number, message: string): FormatError => new FormatError('csv', at, message)
