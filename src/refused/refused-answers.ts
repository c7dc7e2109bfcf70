/** What the desk answers about refused events: to its bean, and so to the command line. */
import type { TextSpan } from './locate-json.ts'
import type { UnreadableFile } from './refused-place.ts'
import type { RefusedRecord } from './refused-record.ts'

/** What a list shows of a refused event: all but what was sent. */
export type RefusedLine = Omit<RefusedRecord, Unshown> & {
  /** Why it cannot be sent in again; absent where it can be. */
  readonly notReplayable?: string
  /** Whether its events are in, by a replay or because its sender sent them again. */
  readonly isReplayed: boolean
}

type Unshown = 'sent' | 'sentBase64' | 'headers' | 'isReplayable' | 'fingerprint' | 'dates' | 'sender' | 'damaged'

/** One of them, with what was sent. */
export type RefusedDetail = RefusedLine & {
  readonly headers: Readonly<Record<string, string>>
  readonly sent?: string
  readonly sentBase64?: string
  /** The place in `sent` that the reason is about, if known. */
  readonly mark?: TextSpan
}

/** What a page says beside what is on it. */
export type PageRest = {
  /** `before` of the next page; absent on the last one. */
  readonly next?: string
  /** How far it looked, in words, where the time was over first. */
  readonly stopped?: string
  /** Files whose rows are missing here, or some of them: the first ones, if there are many. Absent if all were read. */
  readonly unreadable?: readonly UnreadableFile[]
}

/** A page of refused events. */
export type RefusedLines = PageRest & {
  readonly rows: readonly RefusedLine[]
  /** Refused events of these types that are not in files yet. */
  readonly waiting: number
}

/** A page of them with what was sent. */
export type RefusedDetails = PageRest & { readonly rows: readonly RefusedDetail[] }

/** The outcome for a refused event that was sent in again. */
export type ReplayOutcome = {
  readonly id: string
  /**
   * - `accepted`: it is in; `before`: it was already, by an earlier replay or because its sender sent the request
   *   again; `duplicate`: the same, and it arrived again, by the ids of its events;
   * - `filtered`: a filter drops all of its events, so nothing of it is in, and it stays where it is;
   * - `refused`: for a reason that still holds; `superseded`: its sender has sent something else in its place;
   * - `not-replayable`, `not-found`;
   * - `errored`: the server made a mistake with it, which is in its log; the others continue;
   * - `failed`: the collector accepts nothing now, or it lost its turn. A retry does no harm.
   */
  readonly outcome:
    | 'accepted'
    | 'before'
    | 'duplicate'
    | 'filtered'
    | 'refused'
    | 'superseded'
    | 'not-replayable'
    | 'not-found'
    | 'errored'
    | 'failed'
  /** Events that are in by it. */
  readonly accepted: number
  /** Why not, in words. */
  readonly detail: string
}

/** The outcomes for those on a page. */
export type ReplayedPage = PageRest & { readonly outcomes: readonly ReplayOutcome[] }
