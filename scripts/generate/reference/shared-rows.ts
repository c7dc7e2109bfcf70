/** Rows that many tables of a page have in common: said once, and named in each. */
import { toTable } from '../markdown-table.ts'

type Row = readonly string[]

/** How many tables have to have a row before it is said once for all. */
const minTables = 4

export type SharedRows = {
  /** A section with the rows that are said once. */
  readonly section: string
  /** A table of the rows that only this one has, and the names of the others; empty without rows. */
  readonly toOwn: (rows: readonly Row[]) => string
}

/**
 * Finds the rows that tables of one kind have in common.
 * @param kind of what the rows are about, such as `flags`
 * @param intro the sentence above the rows that are said once
 */
export const shareRows = (kind: string, head: Row, intro: string, tables: readonly (readonly Row[])[]): SharedRows => {
  const shared = findSharedRows(tables)
  return {
    section: [`## Common ${kind}`, intro, toTable(head, shared)].join('\n\n'),
    toOwn: rows => {
      const { own, names } = splitRows(rows, shared)
      return [
        ...(own.length === 0 ? [] : [toTable(head, own)]),
        ...(names.length === 0 ? [] : [`[Common ${kind}](#common-${kind}): ${names.join(', ')}.`]),
      ].join('\n\n')
    },
  }
}

/**
 * The rows that tables have in common, in the order of their first cells. Of rows that differ and begin alike only the most frequent
 * one, so that its first cell names it.
 */
export const findSharedRows = (tables: readonly (readonly Row[])[]): readonly Row[] => {
  const counts = Map.groupBy(
    tables.flatMap(rows => [...new Map(rows.map(row => [toKey(row), row])).values()]),
    toKey,
  )
  const byName = Map.groupBy(
    [...counts.values()].filter(({ length }) => length >= minTables),
    ([row]) => row?.[0] ?? '',
  )
  return [...byName]
    .flatMap(([, sets]) => sets.toSorted((one, other) => other.length - one.length)[0]?.slice(0, 1) ?? [])
    .toSorted(([one = ''], [other = '']) => one.localeCompare(other, 'en', { numeric: true }))
}

/** The rows of a table that are its own, and the first cells of those that are shared. */
export const splitRows = (
  rows: readonly Row[],
  shared: readonly Row[],
): { readonly own: readonly Row[]; readonly names: readonly string[] } => {
  const keys = new Set(shared.map(toKey))
  return {
    own: rows.filter(row => !keys.has(toKey(row))),
    names: rows.filter(row => keys.has(toKey(row))).map(([name = '']) => name),
  }
}

const toKey = (row: Row): string => row.join('\n')
