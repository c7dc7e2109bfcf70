import { FormatError } from '../../../errors.ts'
import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import type { Mark, Reading, Wanted } from '../../../rows/reading.ts'
import type { Row, Rows } from '../../../rows/row.ts'
import { createRowTurns } from '../../../rows/where/filter-rows.ts'
import { nextTurn } from '../../../runtime/next-turn.ts'
import type { MarkMemory } from '../../rows/mark-memory.ts'
import { checkOpened, checkWhere, type WantedWhere } from '../../rows/wanted-where.ts'
import type { OpenFileRows } from './read-window.ts'

/** What rows of a file are read with. */
export type LookContext = {
  readonly open: OpenFileRows
  readonly memory: MarkMemory
  readonly fileSystem: Pick<FileSystem, 'open'>
}

/** Which rows are looked at, and for how long. */
export type LookRequest = {
  readonly status: FileStatus
  readonly wanted: Wanted
  readonly where: WantedWhere
  /** Whether the file has to have the columns of `where`. */
  readonly isNamed: boolean
  /** Where to begin. @default the beginning */
  readonly from?: Mark | undefined
  /** Whether places in the file are kept: those after an unverified place are not. @default true */
  readonly keepsMarks?: boolean
  /** The first and the last row that are seen, both included. @default all */
  readonly first?: number
  readonly last?: number
  /** Looks at the beginning of the file. @returns whether to continue. @default always */
  readonly accepts?: (reading: Reading, rows: Rows) => boolean
  /** @returns whether that was enough */
  readonly see: (row: Row, number: number) => boolean
  /** Hears how many rows were seen so far, counted from the top, after each run of them. */
  readonly onRun?: (seen: number) => void
  /** Whether it took too long, or too much, to continue; asked once rows were seen. */
  readonly isOver: () => boolean
  readonly signal: AbortSignal
}

/** How far a file was looked through. */
export type Looked = {
  readonly reading: Reading | undefined
  /** The last place that was reported. */
  readonly next: Mark | undefined
  /** Rows that were seen to exist, counted from the top. */
  readonly seen: number
  readonly ended: 'enough' | 'last' | 'over' | 'refused' | 'end'
  /** Why it ended before the file does. */
  readonly damage?: FormatError
}

/**
 * Looks at the rows of a file one after another, and lets others have their turn. Damage ends it as it ends a window.
 * @throws what `readWindow` throws, and `bad-parameter` for a column of `where` that a named file does not have
 */
export const lookThrough = async ({ open, memory, fileSystem }: LookContext, request: LookRequest): Promise<Looked> => {
  const { status, wanted, where, isNamed, from, keepsMarks = true, signal } = request
  const { first = 0, last = Number.POSITIVE_INFINITY, accepts = () => true, see, onRun = () => {}, isOver } = request
  const takeTurn = where ? createRowTurns(where) : () => undefined
  let reading: Reading | undefined
  let next = from
  let seen = from?.row ?? 0
  const end = (ended: Looked['ended']): Looked => ({ reading, next, seen, ended })
  try {
    const opened = await open({ status, from, wanted, signal, fileSystem })
    reading = opened
    if (isNamed) await checkOpened(opened, () => checkWhere(where, opened))
    for await (const { rows, first: start, mark } of opened.batches) {
      if (seen === 0 && !accepts(opened, rows)) return end('refused')
      let number = Math.max(first, start)
      for (const row of rows.slice(number - start, Math.max(0, last + 1 - start))) {
        const isEnough = see(row, number)
        number += 1
        if (isEnough) {
          seen = number
          return end('enough')
        }
        const turn = takeTurn()
        if (turn) await turn
      }
      if (mark !== undefined) {
        next = mark
        if (keepsMarks) memory.add(status, mark)
      }
      const behind = start + rows.length
      seen = Math.max(seen, Math.min(behind, last + 1))
      onRun(seen)
      if (behind > last + 1) return end('last')
      if (behind > first && isOver()) return end('over')
      // Bytes at hand may yield no row for long, which would hold up other work.
      await nextTurn()
    }
    return end('end')
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return { ...end('end'), damage: error }
  }
}
