import type { EventHead } from '../../spool/batch.ts'
import { eventIdBytes } from '../../spool/event-ids.ts'
import type { Sent } from '../live/feed.ts'
import { maxStoredBytes, toSent } from '../live/recent.ts'
import type { Mismatch } from '../parsed.ts'
import { toEventIds } from '../submit/event-ids.ts'
import type { Submission } from '../submit/submission.ts'
import { contentTypes, sliceEvents } from './slice-events.ts'

/** Events of a request that are refused because they do not fit their schemas. */
export type RefusedMisfits = {
  readonly contentType: string
  /** The body that they were found in. */
  readonly body: Sent
  /** In their order; where there are many, the first ones. */
  readonly events: readonly RefusedMisfit[]
  /** All events of the body; none where it is too long to be stored. */
  readonly heads: readonly EventHead[]
  /** Of all events of the body, as {@link toEventIds} hashes them; undefined where it is too long to be stored. */
  readonly eventIds?: Uint8Array | undefined
}

type RefusedMisfit = {
  /** Place in the request, from 0. */
  readonly position: number
  readonly type: string
  readonly sent: Sent
  readonly head: EventHead | undefined
  readonly eventIds: Uint8Array | undefined
}

/** The most events that {@link RefusedMisfits} lists. */
const maxMisfits = 100

const known = new WeakMap<Submission, RefusedMisfits>()

/** Copies them while the body is there. @param toPosition the place in the request of one in the body */
export const keepMisfits = (
  submission: Submission,
  refused: readonly Mismatch[],
  toPosition: (index: number) => number,
): void => {
  const { format, body } = submission.parsed
  const listed = refused.slice(0, maxMisfits)
  const names = new Map(listed.map(({ index, name }) => [index, name]))
  const heads = submission.parsed.events.filter(({ index }) => names.has(index))
  const ids = toEventIds(submission, heads)
  const positions = new Map(heads.map(({ index }, position) => [index, position]))
  const events = Array.from(sliceEvents({ format, body }, names.keys()), ({ index, bytes }): RefusedMisfit => {
    const at = positions.get(index) ?? heads.length
    const eventIds = ids?.subarray(at * eventIdBytes, (at + 1) * eventIdBytes)
    const type = names.get(index) ?? ''
    return { position: toPosition(index), type, sent: toSent(bytes()), head: heads[at], eventIds }
  })
  // A longer body is not stored as a whole.
  const all = body.length <= maxStoredBytes ? submission.parsed.events : []
  const eventIds = all.length === 0 ? undefined : toEventIds(submission, all)
  known.set(submission, { contentType: contentTypes[format], body: toSent(body), events, heads: all, eventIds })
}

/** What {@link keepMisfits} has kept. */
export const misfitsOf = (submission: Submission): RefusedMisfits | undefined => known.get(submission)
