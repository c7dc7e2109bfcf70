import type { Batch } from '../batch.ts'
import { type Invariant, invariantAlone } from '../invariants/invariants.ts'
import type { Group } from './groups.ts'

/** Events and bytes on their way into the log, in it, refused because a write failed, and of which nothing is known. */
export type LogCounts = {
  queuedEvents: number
  queuedBytes: number
  writtenEvents: number
  writtenBytes: number
  erroredEvents: number
  unknownEvents: number
}

/** Counts what enters the log, and its outcome. */
export type LogTally = {
  readonly counts: Readonly<LogCounts>
  /** A batch waits, as this many bytes of its group. */
  queue(batch: Batch, bytes: number): void
  /** A group waits no longer. */
  settle(group: Group, as: 'writtenEvents' | 'erroredEvents' | 'unknownEvents'): void
}

export const createLogTally = (invariant: Invariant = invariantAlone): LogTally => {
  const counts: LogCounts = {
    queuedEvents: 0,
    queuedBytes: 0,
    writtenEvents: 0,
    writtenBytes: 0,
    erroredEvents: 0,
    unknownEvents: 0,
  }
  return {
    counts,
    queue: ({ events }, bytes) => {
      counts.queuedEvents += events.length
      counts.queuedBytes += bytes
    },
    settle: ({ events, length }, as) => {
      counts.queuedEvents -= events
      counts[as] += events
      counts.queuedBytes -= length
      if (as === 'writtenEvents') counts.writtenBytes += length
      const isPossible = counts.queuedEvents >= 0 && counts.queuedBytes >= 0
      invariant(isPossible, 'counts of what is queued are never negative', () => ({ ...counts }))
    },
  }
}
