import { SluiceError } from '../../errors.ts'

/** Which rows are wanted: `first` and `last`, counted from 0 over all files of an answer, both included. */
export type RowRange = { readonly first: number; readonly last: number }

/** Everything. */
export const allRows: RowRange = { first: 0, last: Number.POSITIVE_INFINITY }

/**
 * Reads the parameter `range`: `first-last`. A first of 1 starts at the top, because the specification says so:
 * `1-50` are the first 51 rows, and `51-100` follow without a gap or an overlap.
 * @throws SluiceError `bad-parameter` for anything else
 */
export const parseRange = (text: string | undefined): RowRange => {
  if (text === undefined || text === '') return allRows
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  const [first, last] = [Number(from), Number(to)]
  if (from === undefined || to === undefined || first > last) {
    const expected = 'two row numbers, the first not above the last, such as 1-50'
    throw new SluiceError('bad-parameter', `Parameter "range": expected ${expected}`)
  }
  return { first: first === 1 ? 0 : first, last }
}

/** Cuts runs of rows to a range, counting across files. */
export type RowWindow = {
  /** Whether the last wanted row has passed: nothing more is to be read. */
  readonly isDone: boolean
  /** Whether every row is wanted. */
  readonly isAll: boolean
  /** How many rows there are before the next wanted one. */
  readonly ahead: number
  /** How many rows there are up to the last wanted one. */
  readonly upTo: number
  /** Counts rows that were skipped. @returns how many of them are wanted */
  pass(count: number): number
  /** How many more files are wanted after this many, if they have as many rows as those; infinite if unknown. */
  readonly filesWanted: (read: number) => number
  /** Counts the next run of rows, and gives the wanted ones of them. */
  take<T extends Run<T>>(rows: T): T
}

type Run<T> = { readonly length: number; slice(start: number, end: number): T }

/** Makes a window at the first row. */
export const createRowWindow = ({ first, last }: RowRange): RowWindow => {
  let at = 0
  return {
    get isDone() {
      return at > last
    },
    isAll: first === 0 && last === Number.POSITIVE_INFINITY,
    get ahead() {
      return Math.max(0, first - at)
    },
    get upTo() {
      return Math.max(0, last + 1 - at)
    },
    pass: count => {
      const start = at
      at += count
      return Math.max(0, Math.min(at, last + 1) - Math.max(start, first))
    },
    filesWanted: read => (at > 0 ? Math.ceil((read * (last + 1 - at)) / at) : Number.POSITIVE_INFINITY),
    take: rows => {
      const start = at
      at += rows.length
      if (start >= first && at - 1 <= last) return rows
      return rows.slice(Math.max(0, first - start), Math.max(0, last + 1 - start))
    },
  }
}
