import { type BucketFile, mayGoLater } from '../files/bucket-file.ts'
import { hasPassed } from '../heartbeat/due.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'

/** Pauses between two tries of what the file system refused: doubling, up to the longest. */
const firstPauseMs = 60_000
const longestPauseMs = 3_600_000

/** How often quarantine is looked through. */
const lookEveryMs = 10_000

/** Files that are put back together. */
const atOnce = 1_000

/** Tries refused files again by themselves: a quota or a permission may be another one by now. */
export type QuarantineRetry = {
  /** To be called again and again: puts files back into the queue that are due. */
  run(): Promise<void>
}

export type QuarantineRetryOptions = {
  readonly state: LedgerState
  readonly now: () => number
  /** Puts a file back into the queue, unless that was done already. */
  readonly release: (name: string) => Promise<void>
}

/** Refused files of one event type: they mostly share their fate. */
type Group = { pauseMs: number; since: number; scout: string | undefined }

/**
 * Of each event type one file goes ahead, another one each time; when the file system takes it, the others follow. So a
 * quota that lasts costs one attempt an hour and type, however many files wait for its end.
 */
export const createQuarantineRetry = ({ state, now, release }: QuarantineRetryOptions): QuarantineRetry => {
  const groups = new Map<string, Group>()
  let lookedAt = Number.NEGATIVE_INFINITY

  const lookAt = async (group: Group, names: readonly string[]): Promise<void> => {
    const at = group.scout === undefined ? undefined : state.files.get(group.scout)?.state.at
    // Not known any more: its local copy was removed after the commit.
    if (group.scout !== undefined && (at === undefined || at === 'committed')) {
      Object.assign(group, { pauseMs: firstPauseMs, since: now(), scout: undefined })
      for (const name of names.slice(0, atOnce)) await release(name)
      return
    }
    // On its way: what becomes of it is not known yet.
    if (at === 'sealed' || at === 'moving' || at === 'placed') return
    if (!hasPassed(now(), group.since, group.pauseMs)) return
    if (group.scout !== undefined) group.pauseMs = Math.min(2 * group.pauseMs, longestPauseMs)
    group.since = now()
    // One that is refused again comes last.
    const [next] = names
    group.scout = next
    if (next !== undefined) await release(next)
  }
  return {
    run: async () => {
      if (!hasPassed(now(), lookedAt, lookEveryMs)) return
      lookedAt = now()
      const refused = new Map<string, string[]>()
      for (const { file, state: at } of state.files.inState('quarantined')) {
        if (!mayGoLater(at)) continue
        const type = typeOf(file)
        const names = refused.get(type)
        if (names) names.push(file.name)
        else refused.set(type, [file.name])
      }
      for (const type of groups.keys()) if (!refused.has(type)) groups.delete(type)
      for (const [type, names] of refused) {
        const group = groups.get(type) ?? { pauseMs: firstPauseMs, since: now(), scout: undefined }
        groups.set(type, group)
        await lookAt(group, names)
      }
    },
  }
}

/** The common part of the files of one event type: their path without the parts of a date at its end. */
const typeOf = ({ directory }: BucketFile): string => directory.replace(/(?:\/[^/]*\d[^/]*)+$/, '')
