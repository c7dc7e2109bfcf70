import { hasPassed } from '../heartbeat/due.ts'
import { createRetryPause, type RetryPause } from './retry-pause.ts'

/** When each table may have its next snapshot. */
export type SnapshotTurns = {
  isDue(table: string): boolean
  worked(table: string): void
  failed(table: string): void
  /** Ends the pauses after failures. */
  hurry(): void
  /** Forgets tables that had their turn long ago, and that nothing waits for. */
  forget(isWanted: (table: string) => boolean): void
  /** Whether a table failed the last time. */
  readonly hasFailed: boolean
}

export type SnapshotTurnsOptions = {
  /** Between two snapshots of a table, in ms. */
  readonly snapshotMs: () => number
  /** A drain does not wait for that. */
  readonly isDrained: () => boolean
  readonly now: () => number
  readonly random: () => number
}

export const createSnapshotTurns = ({ snapshotMs, isDrained, now, random }: SnapshotTurnsOptions): SnapshotTurns => {
  const lastOf = new Map<string, number>()
  const pauses = new Map<string, RetryPause>()
  const hasWaited = (table: string): boolean => {
    const last = lastOf.get(table)
    return last === undefined || hasPassed(now(), last, snapshotMs())
  }
  return {
    isDue: table => (pauses.get(table)?.isOver ?? true) && (isDrained() || hasWaited(table)),
    worked: table => {
      lastOf.set(table, now())
      pauses.delete(table)
    },
    failed: table => {
      const pause = pauses.get(table) ?? createRetryPause({ now, random, isDrained })
      pauses.set(table, pause)
      pause.begin()
    },
    hurry: () => pauses.clear(),
    forget: isWanted => {
      for (const table of lastOf.keys()) if (!isWanted(table) && hasWaited(table)) lastOf.delete(table)
      for (const table of pauses.keys()) if (!isWanted(table)) pauses.delete(table)
    },
    get hasFailed() {
      return pauses.size > 0
    },
  }
}
