import { Buffer } from 'node:buffer'
import type { IdentifiedRow, NextIdentifiedRow, NextRow } from './merge-runs.ts'
import { compareIds, idBytes } from './sort-keys.ts'

/** Rows of which each id comes once with one key. */
export type WithoutRepeats = { readonly next: NextRow; readonly repeats: number }

const noId = Buffer.alloc(idBytes)

/**
 * Passes over rows whose key and id are those of the row before, and over rows without bytes, which stand for those of other
 * files.
 * @param next sorted by key and id
 */
export const dropRepeats = (next: NextIdentifiedRow): WithoutRepeats => {
  const lastId = Buffer.alloc(idBytes)
  let lastKey = Number.NaN
  let repeats = 0

  const isKept = ({ key, ids, idAt, length }: IdentifiedRow): boolean => {
    const isRepeat = key === lastKey && compareIds(ids, idAt, lastId, 0) === 0 && compareIds(ids, idAt, noId, 0) !== 0
    if (isRepeat) {
      if (length > 0) repeats++
      return false
    }
    lastKey = key
    ids.copy(lastId, 0, idAt, idAt + idBytes)
    return length > 0
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
