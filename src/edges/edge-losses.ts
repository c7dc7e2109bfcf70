import type { ThreadFigures } from '../collector/problems/thread-problems.ts'
import type { Logger } from '../log/log.ts'

/** Threads that ended without being asked, and what follows from that. */
export type EdgeLosses = {
  /** @returns whether another one takes its place */
  add(lost: LostThread): Promise<boolean>
  /** A thread has started. */
  started(): void
  readonly figures: Pick<ThreadFigures, 'ended' | 'lastEnd' | 'isReplacing'>
}

export type LostThread = {
  readonly row: number
  readonly reason: string
  /** Whether it had taken connections. */
  readonly hasWorked: boolean
}

export type EdgeLossesOptions = {
  /** As many threads as there should be. */
  readonly count: number
  readonly logger: Pick<Logger, 'error'>
  /** Whether a thread that starts now runs the same code as this one. */
  readonly isSameCode: () => Promise<boolean>
  /** No thread is left, and none takes its place: only a new process can continue. Called once. */
  readonly onLost: () => void
  /** Threads that there are, and those of them that take connections. */
  readonly now: () => { readonly existing: number; readonly living: number; readonly isDraining: boolean }
}

/**
 * Without any thread left, the number of starts that may fail one after another, for each thread: some 45 s. Then a new
 * process may do better.
 */
const maxFailedStarts = 8

/** Why a thread with other files is ended. */
export const otherCode = 'the files of the server have changed since it started'

export const createEdgeLosses = ({ count, logger, isSameCode, onLost, now }: EdgeLossesOptions): EdgeLosses => {
  let ended = 0
  let lastEnd = ''
  let isReplacing = true
  let failedStarts = 0
  let isLost = false
  const isReplaced = (fields: { readonly thread: number; readonly reason: string }): boolean => {
    const { existing, living, isDraining } = now()
    if (isDraining || isLost) return false
    if (!isReplacing) {
      logger.error(fields, `an edge thread ended and is not replaced: ${otherCode}; restart the server`)
      isLost = existing === 0
    } else if (living === 0 && failedStarts >= maxFailedStarts * count) {
      logger.error(fields, `no edge thread can start (${failedStarts} attempts): the server exits to be restarted`)
      isLost = true
    } else logger.error(fields, 'an edge thread ended and closed its connections; another one starts')
    if (isLost) onLost()
    return isReplacing && !isLost
  }
  return {
    async add({ row, reason, hasWorked }) {
      ended++
      lastEnd = reason
      failedStarts = hasWorked || now().living > 0 ? 0 : failedStarts + 1
      if (isReplacing && !(await isSameCode())) isReplacing = false
      return isReplaced({ thread: row, reason })
    },
    started: () => {
      failedStarts = 0
    },
    get figures() {
      return { ended, lastEnd, isReplacing }
    },
  }
}
