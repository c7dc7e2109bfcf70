import { stringifyJson } from '../../formats/json.ts'
import { fromMembers } from '../../formats/members.ts'
import { isWrapped, type Value } from '../../formats/number.ts'
import { toBuffer } from '../../formats/to-buffer.ts'
import { toUniqueNames } from '../../formats/unique-names.ts'
import type { Row, Rows } from '../row.ts'
import { TextRows, toTextRow } from '../text/text-rows.ts'
import { base64Pieces, cutText, isSmall, jsonPieces, pieceChars } from './pieces.ts'

/** Name of the last column, which holds what has no column of its own, as a JSON object. */
export const moreColumn = '_more'

/** Which columns the lines have. */
export type CsvColumns = {
  readonly names: readonly string[]
  /** Whether a last column `_more` takes the values of other names. */
  readonly hasMore: boolean
}

/** Writes rows as lines of CSV (RFC 4180), each with CRLF. */
export type CsvEncoder = {
  /** The header line; empty where there are no fixed columns. */
  header(): string
  /** The lines of `rows`, in pieces, so that a long row does not hold up other work. */
  encode(rows: Rows): Generator<string, void, undefined>
}

/**
 * Makes an encoder. Without columns a line has the values of its row in their order, however many those are; with
 * columns each value goes under its name. Text is written as it is, and quoted only where it has a quote, a comma or a
 * line break; what is missing is empty; nested values are JSON, bytes base64. `safe` guards text that a spreadsheet
 * would take for a formula.
 */
export const createCsvEncoder = (
  columns?: CsvColumns,
  { safe = false }: { readonly safe?: boolean } = {},
): CsvEncoder => {
  const place = columns === undefined ? (row: Row) => row.values : createPlacing(columns)
  const toFields = safe ? (row: Row) => place(row).map(guard) : place
  return {
    header: () => {
      if (columns === undefined) return ''
      const names = [...columns.names, ...(columns.hasMore ? [moreColumn] : [])]
      return toLine(safe ? names.map(guard) : names)
    },
    *encode(rows) {
      let text = ''
      // A line of text without quotes becomes a line of CSV by replacing its TABs with commas.
      const hasLines = columns === undefined && !safe && rows instanceof TextRows
      const given: Iterable<Row | string> = hasLines ? rows.lines() : rows
      for (const row of given) {
        const fields = typeof row === 'string' ? toLineFields(row) : toFields(row)
        if (typeof fields === 'string') text += fields
        else if (areDirect(fields)) text += toLine(fields)
        else {
          yield text
          text = ''
          yield* linePieces(fields)
        }
        if (text.length < pieceChars) continue
        yield text
        text = ''
      }
      yield text
    },
  }
}

/** Text that spreadsheets calculate, or run, gets what they take for a mark of text; numbers stay what they are. */
const guard = (value: Value): Value =>
  typeof value === 'string' && formula.test(value) && !plainNumber.test(value) ? `'${value}` : value

const formula = /^[=+\-@\t\r]/
const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Puts the values of a row under the fixed columns; the places are found once for each shape of rows. */
const createPlacing = ({ names, hasMore }: CsvColumns): ((row: Row) => readonly Value[]) => {
  const columnOf = new Map(names.map((name, index) => [name, index]))
  const known = new WeakMap<readonly string[], Places>()
  const toPlaces = (rowNames: readonly string[]): Places => {
    const unique = toUniqueNames(rowNames)
    const sources = Array.from(names, () => -1)
    const rest: (readonly [name: string, source: number])[] = []
    for (const [source, name] of unique.entries()) {
      const column = columnOf.get(name)
      if (column === undefined) rest.push([name, source])
      else sources[column] = source
    }
    return { sources, rest }
  }
  return row => {
    const places = known.get(row.names) ?? toPlaces(row.names)
    known.set(row.names, places)
    const fields = places.sources.map(source => row.values[source] ?? null)
    if (hasMore) fields.push(toMore(row, places.rest))
    return fields
  }
}

type Places = {
  /** For each column, which value of the row it takes; -1 for none. */
  readonly sources: readonly number[]
  readonly rest: readonly (readonly [name: string, source: number])[]
}

const toMore = ({ values }: Row, rest: Places['rest']): Value =>
  rest.length === 0 ? null : fromMembers(rest.map(([name, source]) => [name, values[source] ?? null]))

const toLineFields = (line: string): string | readonly Value[] =>
  line === '' || line.length > pieceChars || needsQuotes.test(line)
    ? toTextRow(line).values
    : `${line.replaceAll('\t', ',')}\r\n`

const toLine = (fields: readonly Value[]): string => {
  // A line without a character would be read as no row at all.
  if (fields.length === 1 && toText(fields[0] ?? null) === '') return '""\r\n'
  let line = ''
  for (let index = 0; index < fields.length; index++) {
    if (index > 0) line += ','
    const text = toText(fields[index] ?? null)
    line += needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return `${line}\r\n`
}

/** A line of more fields than this is written in pieces. */
const maxDirectFields = 5_000

const areDirect = (fields: readonly Value[]): boolean => {
  if (fields.length > maxDirectFields) return false
  for (let index = 0; index < fields.length; index++) if (!isSmall(fields[index] ?? null)) return false
  return true
}

function* linePieces(fields: readonly Value[]): Generator<string, void, undefined> {
  let text = ''
  for (const [index, field] of fields.entries()) {
    if (index > 0) text += ','
    for (const piece of fieldPieces(field)) {
      text += piece
      if (text.length < pieceChars) continue
      yield text
      text = ''
    }
  }
  yield `${text}\r\n`
}

function* fieldPieces(field: Value): Generator<string, void, undefined> {
  if (isSmall(field)) {
    const text = toText(field)
    yield needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  } else if (field instanceof Uint8Array) yield* base64Pieces(field, '')
  else {
    // JSON that is not small has quotes or commas.
    const isQuoted = typeof field !== 'string' || needsQuotes.test(field)
    const mark = isQuoted ? '"' : ''
    yield mark
    for (const piece of typeof field === 'string' ? cutText(field) : jsonPieces(field)) {
      yield isQuoted ? piece.replaceAll('"', '""') : piece
    }
    yield mark
  }
}

const needsQuotes = /[",\r\n]/

const toText = (value: Value): string => {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (typeof value !== 'object') return String(value)
  if (isWrapped(value)) return value.toString()
  if (value instanceof Uint8Array) return toBuffer(value).toString('base64')
  return stringifyJson(value)
}
