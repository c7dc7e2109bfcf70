import type { Row, Rows } from '../row.ts'
import { TextRows } from '../text-rows.ts'
import type { Where } from './where.ts'

/** The rows that match; lines of text stay bytes, which are written faster than values. */
export const filterRows = (rows: Rows, where: Where): Rows => {
  const found: Row[] = []
  const bounds: number[] = []
  let at = 0
  for (const row of rows) {
    if (where.matches(row)) {
      found.push(row)
      if (rows instanceof TextRows) bounds.push(rows.bounds[2 * at] ?? 0, rows.bounds[2 * at + 1] ?? 0)
    }
    at += 1
  }
  if (found.length === at) return rows
  return rows instanceof TextRows ? new TextRows(rows.bytes, bounds) : found
}
