import { FormatError } from '../../errors.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { toUniqueNames } from '../../formats/unique-names.ts'
import { maxRowColumns, numberedColumns } from '../columns.ts'
import { type Format, type FormatInput, inSteps } from '../format.ts'
import type { RowBatch } from '../reading.ts'
import type { Row } from '../row.ts'
import { textFormat } from '../text/text.ts'
import { toPoints } from './csv-decimals.ts'
import { type CsvDialect, sniffBytes, sniffDialect } from './csv-dialect.ts'
import { takeLongRecord } from './csv-long.ts'
import { readRecord, toFields } from './csv-record.ts'

/** Bytes that become rows in one step. */
const stepBytes = 64 * 1024

/**
 * Tables of text, CSV (RFC 4180) and what is called so: `csv-record.ts` says what a record is, `csv-dialect.ts` how
 * delimiter, quote and header are found. Without a header the columns are `col-0`, `col-1` … All values are strings,
 * nothing is trimmed; numbers with a decimal comma have a point (`csv-decimals.ts`). With `raw` a line is a row.
 */
const createCsvFormat = (name: string, usual: ',' | '\t'): Format => ({
  name,
  isResumable: true,
  async open(input) {
    if (input.raw) return textFormat.open(input)
    const { queue, resumedAfter, dialect: told = {} } = input
    if (!resumedAfter) await queue.ensure(sniffBytes)
    const head = resumedAfter ? toBuffer(resumedAfter) : queue.view()
    const dialect = sniffDialect(head, told, usual, !resumedAfter && queue.isDone)
    if (!resumedAfter) queue.skip(dialect.end)
    const { delimiter, quote, header, decimals } = dialect
    const decimal = decimals ? { decimal: ',' as const } : {}
    const reading = { serializer: 'csv', dialect: { delimiter, quote, header: header !== undefined, ...decimal } }
    const batches = readCsvRows(input, dialect)
    return header ? { ...reading, columns: header, hasNumberedRest: true, batches } : { ...reading, batches }
  },
})

export const csvFormat = createCsvFormat('csv', ',')
export const tsvFormat = createCsvFormat('tsv', '\t')

const readCsvRows = (input: FormatInput, shape: CsvDialect): AsyncIterable<RowBatch> => {
  const { queue, limits } = input
  const { header = [], decimals } = shape
  const toNames = createNames(header)
  const most = Math.min(maxRowColumns, limits.values.max)
  return inSteps(input, async first => {
    if (!(await queue.ensure(1))) return undefined
    await queue.ensure(stepBytes)
    const { offset } = queue
    const view = queue.view()
    const bytes = view.subarray(0, stepBytes)
    const isLast = queue.isDone && bytes.length === view.length
    const rows: Row[] = []
    const text = bytes.toString('latin1')
    let at = 0
    let failure: FormatError | undefined
    for (let record = readRecord(text, 0, shape, isLast); record; record = readRecord(text, at, shape, isLast)) {
      at = record.next
      // An empty line is not a row, unless there is only one column.
      if (record.end === record.start && header.length > 1) continue
      if (record.fields > most) {
        failure = fault(offset, `expected at most ${most} columns, found more`)
        break
      }
      const fields = toFields(bytes, record, shape)
      const values = decimals ? toPoints(fields, decimals) : fields
      rows.push({ names: toNames(values.length), values })
    }
    queue.skip(at)
    if (at === 0 && !isLast) {
      const fields = await takeLongRecord(queue, { row: first, shape, limits, most })
      const values = decimals ? toPoints(fields, decimals) : fields
      rows.push({ names: toNames(values.length), values })
    }
    return { rows, failure }
  })
}

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
