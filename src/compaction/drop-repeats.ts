import { Buffer } from 'node:buffer'
import type { IdentifiedRow, NextIdentifiedRow, NextRow } from './merge-runs.ts'
import { compareIds, idBytes } from './sort-keys.ts'

/** Rows of which each id comes once with one key. */
export type WithoutRepeats = { readonly next: NextRow; readonly repeats: number }

const noId = Buffer.alloc(idBytes)

/** Tells of rows, which are sorted by key and id, whether one has those of the row before; rows without an id repeat none. */
export const createIsRepeat = (): ((row: IdentifiedRow) => boolean) => {
  const lastId = Buffer.alloc(idBytes)
  let lastKey = Number.NaN
  return ({ key, ids, idAt }) => {
    if (key === lastKey && compareIds(ids, idAt, lastId, 0) === 0 && compareIds(ids, idAt, noId, 0) !== 0) return true
    lastKey = key
    ids.copy(lastId, 0, idAt, idAt + idBytes)
    return false
  }
}

/**
 * Passes over rows whose key and id are those of the row before, and over rows without bytes, which stand for those of other
 * files.
 * @param next sorted by key and id
 */
export const dropRepeats = (next: NextIdentifiedRow): WithoutRepeats => {
  const isRepeat = createIsRepeat()
  let repeats = 0

  const isKept = (row: IdentifiedRow): boolean => {
    if (!isRepeat(row)) return row.length > 0
    if (row.length > 0) repeats++
    return false
  }
  const nextKept = (): ReturnType<NextRow> => {
    for (;;) {
      const row = next()
      if (row instanceof Promise) return row.then(one => (one === undefined || isKept(one) ? one : nextKept()))
      if (row === undefined || isKept(row)) return row
    }
  }
  return {
    next: nextKept,
    get repeats() {
      return repeats
    },
  }
}
