import type { EventHead } from '../../spool/batch.ts'
import type { Looker } from './looker.ts'

/** Events that are decoded in a second for all who look: who filters by text makes work of each event. */
const maxDecodedPerSecond = 1_000

/** Of a second, what is spent on all who look: the rest belongs to those who send. */
const maxWorkMsPerSecond = 250

/** Events of a skipped request that are searched for a wanted type. */
const maxLookedAt = 100

/** All who look, and what may be spent on them in a second. */
export type Audience = {
  readonly lookers: Set<Looker>
  /** Whether another event may be shown to any of them now. */
  hasRoom(): boolean
  /** Counts an event that is decoded for them. */
  onDecoded(): void
  /** Counts time that was spent on them. */
  onWorked(ms: number): void
  startSecond(): void
  /** Says of events that they were not looked at. */
  leaveOut(events: readonly EventHead[], from?: number): void
  /** The events that any of them looks for by their types. */
  toWanted(heads: readonly EventHead[]): readonly EventHead[]
}

/** @param nowMs monotonic */
export const createAudience = (nowMs: () => number): Audience => {
  const lookers = new Set<Looker>()
  let decoded = 0
  let workedMs = 0
  return {
    lookers,
    hasRoom: () => {
      const at = nowMs()
      return (
        decoded < maxDecodedPerSecond &&
        workedMs < maxWorkMsPerSecond &&
        lookers.values().some(looker => looker.hasRoom(at))
      )
    },
    onDecoded: () => {
      decoded++
    },
    onWorked: ms => {
      workedMs += ms
    },
    startSecond: () => {
      decoded = 0
      workedMs = 0
    },
    // The next events say it as well, if these do not.
    leaveOut: (events, from = 0) => {
      for (const looker of lookers) {
        if (looker.isSampled) continue
        const some = events.slice(from, from + maxLookedAt)
        if (some.some(({ name }) => looker.wantsAccepted(name))) looker.leaveOut()
      }
    },
    toWanted: heads => {
      const wanted = new Map<string, boolean>()
      const isWanted = (type: string): boolean => {
        const known = wanted.get(type) ?? lookers.values().some(looker => looker.wantsAccepted(type))
        wanted.set(type, known)
        return known
      }
      return heads.filter(({ name }) => isWanted(name))
    },
  }
}
