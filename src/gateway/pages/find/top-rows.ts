import type { Value } from '../../../formats/number.ts'
import { detach } from './keep-row.ts'
import { compareKeys, misfit, type SortKey, type SortWay, sortWays } from './sort-keys.ts'

/** The first rows of any number of rows in the order of one column, with no more than twice as many in memory. */
export type TopRows<T> = {
  /**
   * Takes the value of one more row.
   * @param toItem makes what is kept of it; called at most once, and only for rows that may be among the first
   */
  readonly offer: (value: Value | undefined, toItem: () => T) => void
  /** About how many bytes those that are kept take. */
  readonly bytes: () => number
  /** The first ones of those offered so far, in their order. */
  readonly sorted: () => T[]
}

export type TopRowsOptions<T> = {
  readonly order: 'asc' | 'desc'
  /** Rows that are kept. */
  readonly most: number
  /** Bytes of one of them, about. @default 0 */
  readonly weigh?: (item: T) => number
}

/**
 * Sorts rows of which only the first are wanted: numbers by value, exactly, then texts by code point (or as times, or
 * numbers, where all of the column are), booleans, bytes and everything else; null and absent values come last in either
 * direction, equal ones stay in the order in which they were offered. A later value may show that a column of numbers is
 * one of texts, so each way to sort it keeps its own first rows for as long as it fits.
 */
export const createTopRows = <T>({ order, most, weigh = () => 0 }: TopRowsOptions<T>): TopRows<T> => {
  const shape = { sign: order === 'desc' ? -1 : 1, most, weigh } as const
  let ways = sortWays.map(way => createKept<T>(way, shape))
  let offered = 0
  let hasValue = false
  return {
    offer: (value, toItem) => {
      hasValue ||= value !== null && value !== undefined && value !== ''
      const at = offered++
      let item: { readonly of: T } | undefined
      const toOnce = (): T => {
        item ??= { of: toItem() }
        return item.of
      }
      const fitting = ways.filter(way => way.add(value, at, toOnce))
      if (fitting.length < ways.length) ways = fitting
    },
    bytes: () => Math.max(...ways.map(way => way.bytes())),
    // Nothing but empty texts fits every way, and is text.
    sorted: () => (hasValue ? ways[0] : ways.at(-1))?.sorted() ?? [],
  }
}

type Kept<T> = {
  /** @returns whether the value fits this way */
  readonly add: (value: Value | undefined, at: number, toItem: () => T) => boolean
  readonly bytes: () => number
  readonly sorted: () => T[]
}

type Entry<T> = { readonly key: SortKey | undefined; readonly at: number; readonly item: T }

type Shape<T> = { readonly sign: 1 | -1; readonly most: number; readonly weigh: (item: T) => number }

/** More than the first ones are kept only while they take less than this. */
const maxSpareBytes = 64 * 1024 * 1024

const createKept = <T>(way: SortWay, { sign, most, weigh }: Shape<T>): Kept<T> => {
  const entries: Entry<T>[] = []
  let bytes = 0
  /** The last of the first rows: one that is not before it has no chance. */
  let last: Entry<T> | undefined
  const shrink = (): void => {
    entries.sort((a, b) => compareKeys(a.key, b.key, sign) || a.at - b.at)
    for (const { item } of entries.splice(most)) bytes -= weigh(item)
    last = entries.length === most ? entries.at(-1) : undefined
  }
  return {
    add: (value, at, toItem) => {
      const key = way(value)
      if (key === misfit) return false
      // Equal ones that are offered later sort after it.
      if (most === 0 || (last && compareKeys(key, last.key, sign) >= 0)) return true
      const item = toItem()
      // The batch that a text was cut from is not kept for it.
      const own = typeof value === 'string' ? way(detach(value)) : key
      entries.push({ key: own === misfit ? key : own, at, item })
      bytes += weigh(item)
      if (entries.length >= 2 * most || (entries.length > most && bytes >= maxSpareBytes)) shrink()
      return true
    },
    bytes: () => bytes,
    sorted: () => {
      shrink()
      return entries.map(({ item }) => item)
    },
  }
}
