import { stringifyJson } from '../../formats/json.ts'
import type { Value } from '../../formats/number.ts'
import { toUniqueNames } from '../../formats/unique-names.ts'
import type { Rows } from '../row.ts'
import { TextRows } from '../text/text-rows.ts'
import { type RowFrame, TextRowEncoder } from './json-text.ts'
import { encodeJsonValue } from './json-value.ts'
import { isSmall, jsonPieces, type Piece, pieceChars } from './pieces.ts'

/** Writes rows as JSON objects. */
export type JsonRowEncoder = {
  /**
   * The text of `rows`, one object each, with a comma between two of them and, unless they are the first of their
   * array, before the first: in pieces, so that a long row does not hold up other work.
   */
  encode(rows: Rows, areFirst: boolean): Generator<Piece, void, undefined>
}

/**
 * Makes an encoder. Numbers are exact: integers of any length, doubles as the shortest text that reads back; NaN and
 * the infinities are strings, bytes base64.
 * @param pretty two spaces of indent as Jackson writes them, for rows in `entries[].content`
 */
export const createJsonRowEncoder = ({ pretty = false } = {}): JsonRowEncoder => {
  // Rows of one shape share their names, so the keys are escaped once per shape.
  const known = new WeakMap<readonly string[], readonly string[]>()
  const { separator, toKey, end } = pretty ? prettyFrame : plainFrame
  const textRows = pretty ? prettyTextRows : plainTextRows
  const toText = pretty ? toPrettyText : encodeJsonValue
  const pad = pretty ? indent.column : undefined
  const empty = pretty ? '{ }' : '{}'

  function* encodeRows(rows: Rows, areFirst: boolean): Generator<string, void, undefined> {
    let names: readonly string[] | undefined
    let keys: readonly string[] = []
    let text = ''
    let before = areFirst ? '' : separator
    for (const row of rows) {
      if (row.names !== names) {
        names = row.names
        keys = known.get(names) ?? toUniqueNames(names).map(toKey)
        known.set(names, keys)
      }
      text += before
      before = separator
      const { values } = row
      for (let index = 0; index < keys.length; index++) {
        const value = values[index] ?? null
        text += keys[index]
        if (isSmall(value)) text += toText(value)
        else {
          yield text
          text = ''
          yield* jsonPieces(value, pad)
        }
        if (text.length < pieceChars) continue
        yield text
        text = ''
      }
      text += keys.length === 0 ? empty : end
    }
    yield text
  }

  function* encodeTextRows(rows: TextRows, areFirst: boolean): Generator<Piece, void, undefined> {
    for (let at = 0; at < rows.length; at++) {
      at += yield* textRows.encode(rows, at, areFirst && at === 0)
      if (at < rows.length) yield* encodeRows(rows.slice(at, at + 1), areFirst && at === 0)
    }
  }

  return {
    encode: (rows, areFirst) =>
      rows instanceof TextRows ? encodeTextRows(rows, areFirst) : encodeRows(rows, areFirst),
  }
}

/** Where Jackson's printer has the rows of `{"entries":[{"content":[…]}]}`. */
const indent = { row: '    ', column: '      ' } as const

const toPlainKey = (name: string, index: number): string => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`

const toPrettyKey = (name: string, index: number): string =>
  `${index === 0 ? '{' : ','}\n${indent.column}${JSON.stringify(name)} : `

const plainFrame: RowFrame = { separator: ',', toKey: toPlainKey, end: '}' }
const prettyFrame: RowFrame = { separator: ', ', toKey: toPrettyKey, end: `\n${indent.row}}` }

const plainTextRows = new TextRowEncoder(plainFrame)
const prettyTextRows = new TextRowEncoder(prettyFrame)

const toPrettyText = (value: Value): string => {
  const isNested = typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
  // A line break in the text is one between tokens: within strings they are escaped.
  return isNested ? stringifyJson(value, { indent: 2 }).replaceAll('\n', `\n${indent.column}`) : encodeJsonValue(value)
}
