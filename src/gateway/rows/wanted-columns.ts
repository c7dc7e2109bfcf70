import { FormatError, SluiceError } from '../../errors.ts'
import { parseNames } from '../../formats/name-list.ts'
import { toUniqueNames } from '../../formats/unique-names.ts'
import { isNumberedColumn } from '../../rows/columns.ts'
import type { Reading } from '../../rows/reading.ts'
import type { Row, Rows } from '../../rows/row.ts'
import { nearest } from '../../text/nearest.ts'

/** Names of the columns that are wanted, each once and in their order; undefined for all. */
export type WantedColumns = readonly string[] | undefined

/**
 * Reads the parameter `columns`.
 * @throws SluiceError `bad-parameter`
 */
export const parseColumns = (lists: readonly string[] | undefined): WantedColumns => {
  const names = new Set(lists?.flatMap(list => parseNamesParam('columns', list)))
  return names.size === 0 ? undefined : [...names]
}

/**
 * Reads a parameter that is a list of names.
 * @throws SluiceError `bad-parameter`
 */
export const parseNamesParam = (parameter: string, list: string): readonly string[] => {
  try {
    return parseNames(list)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-parameter', `Parameter "${parameter}": ${error.message}`, { cause: error })
  }
}

/** What a file itself, or a table, says of its columns. */
export type KnownColumns = Pick<Reading, 'columns' | 'hasNumberedRest'> & {
  /** @default 'file' */
  readonly of?: 'file' | 'table'
}

/**
 * Looks whether a file, or a table, can have what is wanted of it.
 * @throws SluiceError `bad-parameter`: names a column that it is known not to have, and the nearest that it has
 */
export const checkColumns = (
  wanted: WantedColumns,
  { columns, hasNumberedRest = false, of = 'file' }: KnownColumns,
  parameter: 'columns' | 'where' = 'columns',
): void => {
  if (wanted === undefined || columns === undefined) return
  const known = new Set(toUniqueNames(columns))
  const missing = wanted.find(name => !known.has(name) && !(hasNumberedRest && isNumberedColumn(name)))
  if (missing === undefined) return
  const near = nearest(missing, columns)
  const hint = near === undefined ? '' : `; did you mean ${toShown(near)}?`
  throw new SluiceError('bad-parameter', `Parameter "${parameter}": the ${of} has no column ${toShown(missing)}${hint}`)
}

const maxShownChars = 100

const toShown = (name: string): string =>
  JSON.stringify(name.length > maxShownChars ? `${name.slice(0, maxShownChars)}…` : name)

/** Makes rows with the wanted columns alone; what a row does not have is null. */
export const createColumnCut = (wanted: WantedColumns): ((rows: Rows) => Rows) => {
  if (wanted === undefined) return rows => rows
  const sources = new WeakMap<readonly string[], readonly number[]>()
  const find = (names: readonly string[]): readonly number[] => {
    const at = new Map(toUniqueNames(names).map((name, index) => [name, index]))
    return wanted.map(name => at.get(name) ?? -1)
  }
  const cut = ({ names, values }: Row): Row => {
    const from = sources.get(names) ?? find(names)
    sources.set(names, from)
    return { names: wanted, values: from.map(index => values[index] ?? null) }
  }
  return rows => new CutRows(rows, cut)
}

/** Rows that are cut on demand: skipped ones cost nothing. */
class CutRows implements Rows {
  readonly #rows: Rows
  readonly #cut: (row: Row) => Row

  constructor(rows: Rows, cut: (row: Row) => Row) {
    this.#rows = rows
    this.#cut = cut
  }

  get length(): number {
    return this.#rows.length
  }

  slice(start: number, end?: number): Rows {
    return new CutRows(this.#rows.slice(start, end), this.#cut)
  }

  *[Symbol.iterator](): Iterator<Row> {
    for (const row of this.#rows) yield this.#cut(row)
  }
}
