/**
 * How a text table is written: field separator, quote, header. Detected from its first records, as in DuckDB, or given
 * by the caller.
 */
import type { Buffer } from 'node:buffer'
import { toUniqueNames } from '../../formats/unique-names.ts'
import { maxRowColumns } from '../columns.ts'
import { type DecimalColumns, findDecimals } from './csv-decimals.ts'
import { type CsvShape, readRecord, toFields } from './csv-record.ts'

/** What a caller may say of a text table; the rest is detected. */
export type Dialect = {
  readonly delimiter?: string | undefined
  /** Empty for none. */
  readonly quote?: string | undefined
  readonly header?: boolean | undefined
  /** What numbers have before their fraction. */
  readonly decimal?: ',' | '.' | undefined
}

/** How a table is read. */
export type CsvDialect = CsvShape & {
  /** Names of the columns; absent without a header. */
  readonly header?: readonly string[]
  /** Bytes of the header. */
  readonly end: number
  /** Columns of numbers with decimal commas; absent without such columns. */
  readonly decimals?: DecimalColumns
}

/** Bytes of a table that decide. */
export const sniffBytes = 64 * 1024
/** Records of them. */
const maxRecords = 200

const delimiters = [',', ';', '\t', '|'] as const
const quotes = ['"', "'"] as const

/** @param head first bytes, without a byte order mark; at most {@link sniffBytes} count */
export const sniffDialect = (head: Buffer, told: Dialect, usual: ',' | '\t', isWhole: boolean): CsvDialect => {
  const bytes = head.subarray(0, sniffBytes)
  const text = bytes.toString('latin1')
  const shape = pickShape(text, told, usual, isWhole && bytes.length === head.length)
  const first = readRecord(text, 0, shape, isWhole)
  const names = first && toFields(bytes, first, shape)
  const isHeader = names && (told.header ?? isHeaderRecord(names))
  const isTable = first && names && isHeader && names.length <= maxRowColumns
  const start = isTable ? { header: toUniqueNames(names), end: first.next } : { end: 0 }
  const decimals = sniffDecimals({ bytes, text, start: start.end, isWhole }, shape, told.decimal)
  return { ...shape, ...start, ...(decimals ? { decimals } : {}) }
}

type Sample = { readonly bytes: Buffer; readonly text: string; readonly start: number; readonly isWhole: boolean }

/** Between commas there are no decimal commas, unless the caller says so. */
const sniffDecimals = (sample: Sample, shape: CsvShape, told: Dialect['decimal']): DecimalColumns | undefined => {
  if (told === '.' || (told === undefined && shape.delimiter === ',')) return undefined
  return findDecimals(firstRecords(sample, shape), told === ',')
}

function* firstRecords({ bytes, text, start, isWhole }: Sample, shape: CsvShape): Generator<string[]> {
  for (let at = start, records = 0; records < maxRecords; records++) {
    const record = readRecord(text, at, shape, isWhole)
    if (!record) return
    at = record.next
    if (record.fields <= maxRowColumns) yield toFields(bytes, record, shape)
  }
}

const pickShape = (text: string, told: Dialect, usual: string, isWhole: boolean): CsvShape => {
  const shapes: CsvShape[] = []
  // The first of those that are equally good is taken.
  for (const quote of told.quote === undefined ? quotes : [told.quote]) {
    for (const delimiter of told.delimiter === undefined ? [usual, ...delimiters] : [told.delimiter]) {
      if (!shapes.some(known => known.delimiter === delimiter && known.quote === quote))
        shapes.push({ delimiter, quote })
    }
  }
  const [best = { delimiter: usual, quote: '"' }, ...others] = shapes
  let found = best
  const isFound = told.quote === undefined
  let most = toScore(text, best, isWhole, isFound)
  for (const shape of others) {
    const score = toScore(text, shape, isWhole, isFound)
    if (score <= most) continue
    most = score
    found = shape
  }
  return found
}

/** How well records go together: the share of them with as many fields as most have, and then how many fields these are. */
const toScore = (text: string, shape: CsvShape, isWhole: boolean, isFound: boolean): number => {
  const counts = new Map<number, number>()
  let records = 0
  let quoted = 0
  for (let at = 0; at < text.length && records < maxRecords; ) {
    const record = readRecord(text, at, shape, isWhole)
    if (!record) break
    at = record.next
    if (record.end === record.start) continue
    records++
    quoted += record.quoted
    counts.set(record.fields, (counts.get(record.fields) ?? 0) + 1)
  }
  const [fields = 1, most = 0] = [...counts].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? []
  if (fields < 2) return 0
  // An apostrophe is a letter more often than a quote.
  if (isFound && shape.quote === "'" && quoted < records) return 0
  return most / records + Math.min(fields, 1_000) / 10_000
}

/** Names for all columns, each once, and none a value. */
const isHeaderRecord = (names: readonly string[]): boolean =>
  names.every(isName) && new Set(names).size === names.length

const isName = (name: string): boolean => name.trim() !== '' && Number.isNaN(Number(name)) && !value.test(name)

/** Numbers with a decimal comma or groups, and dates, as no column is called. */
const value = /^\s*(?:[-+]?\d[\d.\s']*,\d+|\d{4}-\d\d-\d\d(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4})\s*$/
