import { nextTurn } from '../../runtime/next-turn.ts'
import type { Row, Rows } from '../row.ts'
import { TextRows } from '../text/text-rows.ts'
import type { Where } from './where.ts'

/** Steps between two turns of the event loop: a few milliseconds, and a single row at the worst. */
const stepsPerTurn = 1_000_000

/** Asked after each row: gives a turn of the event loop whenever the rows before have taken many steps. */
export const createRowTurns = (where: Where): (() => Promise<void> | undefined) => {
  let last = where.steps.taken
  return () => {
    if (where.steps.taken - last < stepsPerTurn) return undefined
    last = where.steps.taken
    return nextTurn()
  }
}

/** The rows that match; lines of text stay bytes, which are written faster than values. Takes turns where it takes long. */
export const filterRows = async (rows: Rows, where: Where): Promise<Rows> => {
  const found: Row[] = []
  const bounds: number[] = []
  const takeTurn = createRowTurns(where)
  let at = 0
  for (const row of rows) {
    if (where.matches(row)) {
      found.push(row)
      if (rows instanceof TextRows) bounds.push(rows.bounds[2 * at] ?? 0, rows.bounds[2 * at + 1] ?? 0)
    }
    at += 1
    const turn = takeTurn()
    if (turn) await turn
  }
  if (found.length === at) return rows
  return rows instanceof TextRows ? new TextRows(rows.bytes, bounds) : found
}
