import { FormatError } from '../../../errors.ts'
import type { FileStatus } from '../../../filesystem/filesystem.ts'
import { nextTurn } from '../../../runtime/next-turn.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import type { SearchBudget } from './find-rows.ts'
import type { OpenFileRows } from './read-window.ts'

export type CountRequest = {
  readonly status: FileStatus
  readonly budget: Pick<SearchBudget, 'ms'>
  /** ms, of any clock. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Rows that a file is known to have: all of them, or, where that takes too long, as far as was read. */
export type RowCount = { readonly rows: number; readonly isCut: boolean }

/**
 * Counts the rows of a file from the last known place in it, so that the next count continues where this one ended; a
 * footer has the number without counting. Damage ends the count as it ends a window.
 * @throws what `readWindow` throws
 */
export const countRows = async (
  open: OpenFileRows,
  memory: MarkMemory,
  { status, budget, now, signal }: CountRequest,
): Promise<RowCount> => {
  const startedAt = now()
  const from = memory.find(status, lastRow)
  let rows = from?.row ?? 0
  try {
    // Formats that can skip rows do.
    const { parquet, batches } = await open({ status, from, wanted: { first: lastRow, last: lastRow }, signal })
    for await (const batch of batches) {
      if (parquet) return { rows: parquet.rows, isCut: false }
      rows = batch.first + batch.rows.length
      if (batch.mark !== undefined) memory.add(status, batch.mark)
      if (now() - startedAt >= budget.ms) return { rows, isCut: true }
      await nextTurn()
    }
    return { rows: parquet?.rows ?? rows, isCut: false }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return { rows, isCut: false }
  }
}

/** After every row. */
export const lastRow = 999_999_999_999_999
