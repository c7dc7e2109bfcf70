/**
 * A replay is a refused request, or one event of it, that the server itself sends in again: by the same handlers, with
 * its date of arrival, and under a key, so that it counts once however often it is requested. The key is that of the
 * request where nothing of it was kept, so that its sender may send it again as well; else one made of the row's id.
 */
import type { BaseCall } from '../../http/call/base-call.ts'
import type { Call } from '../../http/call/call.ts'
import type { Api } from '../../spool/apis.ts'
import type { Parsed } from '../parsed.ts'
import type { Report } from '../submit/submission.ts'

/** What a call is that sends a refused event in again. */
export type Replay = {
  /** The API by which it first arrived: what is stored of a door may be in a form of the collector's own. */
  readonly api: Api | undefined
  /** ms since the epoch: the date of its events without one. */
  readonly receivedAt: number
  readonly key: string
  /** Distinguishes the request from others with its key. @default what is sent in now does */
  readonly fingerprint: string | undefined
  /** Dates of its events by their place in it, where what is sent in now does not say them. */
  readonly dates: readonly number[] | undefined
  /** Ids of its events as they were hashed on arrival; undefined without ids. */
  readonly eventIds: Uint8Array | undefined
  /** The owner of the ids; undefined if it is not stored. @default the key in the body */
  readonly sender?: string | undefined
  /** Hears what became of it, unless it fails. @param isRepeated it had become so before */
  readonly tell: (report: Report, isRepeated: boolean) => void
}

/** By the call, which is the same before and after it is known what it is for. */
const replays = new WeakMap<object, Replay>()

/** Marks a call as a replay: no header does, because any client could send that. */
export const markReplay = (call: BaseCall, replay: Replay): void => void replays.set(call, replay)

/** The value passed to {@link markReplay}. */
export const replayOf = (call: Call<unknown>): Replay | undefined => replays.get(call)

/** Events of a replay with the dates that they had on arrival. */
export const withOldDates = (parsed: Parsed, { dates }: Pick<Replay, 'dates'>): Parsed =>
  dates === undefined
    ? parsed
    : { ...parsed, events: parsed.events.map(head => ({ ...head, date: dates[head.index] ?? head.date })) }
