import { SluiceError } from '../errors.ts'
import type { BodyFormat, EventHead, Granularity, Rejection } from '../spool/batch.ts'
import type { DoorAnswers } from './doors/door-answers.ts'
import type { Sent } from './live/feed.ts'
import { toSent } from './live/recent.ts'

/** Rejections that are listed; more are only counted. */
export const maxListedRejections = 100

/** What a parser makes of a request: the good events in a body that the spool can keep, and what was refused. */
export type Parsed = {
  readonly format: BodyFormat
  /** As `Batch.body` wants it. */
  readonly body: Uint8Array
  /** Ascending by index. */
  readonly events: readonly EventHead[]
  readonly rejections: Rejections
  /** The request is one event by its form: when that is refused, so is the request. @default false */
  readonly isSingle?: boolean
  /** Halves of surrogate pairs that became U+FFFD. @default 0 */
  readonly loneSurrogates?: number
  /** Events that do not fit their schemas, if the parser compared them. @default not compared */
  readonly mismatches?: readonly Mismatch[]
  /**
   * Distinguishes each event from all others of its sender, one for each of `events`: see `submit/event-ids.ts`.
   * @default none has one
   */
  readonly ids?: readonly (string | undefined)[]
  /** The answers of a door. @default as senders of the collector's own formats */
  readonly answers?: DoorAnswers
  /** Whose events these are, where the body says it in place of a header. @default it does not */
  readonly key?: string
  /** Whether some of its events say other keys. @default none does */
  readonly hasOtherKeys?: boolean
  /** The parsed values by position, so that the body is parsed only once. @default none kept */
  readonly takeValues?: TakeValues
  /** Whether `JSON.parse` alone has made these values. @default perhaps not */
  readonly areNative?: boolean
}

/** What happens to an event that does not fit: it is kept and counted, kept apart, or refused. */
export type MismatchAction = 'warn' | 'set-aside' | 'reject'

/** An event that does not fit the schema of its type. */
export type Mismatch = {
  /** Position in the body, as in the event's head. */
  readonly index: number
  /** Event name. */
  readonly name: string
  /** The first field that does not fit; empty beyond a hundred. */
  readonly detail: string
  readonly action: MismatchAction
}

/** Gives values away once: their lifetime is then up to the receiver, not to the request. */
export type TakeValues = () => readonly unknown[] | undefined

/** Values that can be taken once. */
export const createTakeValues = (values: readonly unknown[]): TakeValues => {
  let kept: readonly unknown[] | undefined = values
  return () => {
    const taken = kept
    kept = undefined
    return taken
  }
}

/** What holds for all events of a request that do not say otherwise. */
export type EventDefaults = {
  /** ms since the epoch: the `date` parameter, else the time of receipt. */
  readonly date: number
  /** The `gr` parameter, else HOURLY. */
  readonly granularity: Granularity
  readonly maxEvents: number
  /** Of one event. */
  readonly maxValues: number
}

/** Refused events of one request: all counted, the first ones listed. */
export type Rejections = {
  readonly count: number
  /** At most {@link maxListedRejections}. */
  readonly errors: readonly Rejection[]
  /** Position in the request of each, ascending. */
  readonly indexes: readonly number[]
  /** Whether some value of a JSON or Smile body, refused or not, has an `eventName`. */
  hasEventName: boolean
  /** Events that were taken, with a number for a date that looks like seconds where ms are expected. */
  likelySeconds: number
  add(index: number, code: RejectionCode, detail: string): void
  /** What was sent of refused events, by position, where the parser alone knows; of as many as are listed. */
  readonly sent: ReadonlyMap<number, RefusedEvent>
  /**
   * Keeps a copy of a refused event.
   * @param contentType with which it can be sent alone. @default it cannot be
   */
  keep(index: number, bytes: Uint8Array, contentType?: string): void
}

/** What was sent of a refused event. */
export type RefusedEvent = {
  readonly sent: Sent
  /** With which it can be sent alone; undefined where it cannot be. */
  readonly contentType: string | undefined
}

/** Codes of an event that no parser could take; the same as those of a whole request with one event. */
export type RejectionCode = 'bad-event' | 'bad-event-name'

/** An empty list of refusals. */
export const createRejections = (): Rejections => new RejectionList()

/** Of all requests without a refusal, which are most. */
const noErrors: Rejection[] = []
const noIndexes: number[] = []
const nothingSent: ReadonlyMap<number, RefusedEvent> = new Map()

/** A class, because each request makes one. */
class RejectionList implements Rejections {
  count = 0
  hasEventName = false
  likelySeconds = 0
  errors: Rejection[] = noErrors
  indexes: number[] = noIndexes
  sent: ReadonlyMap<number, RefusedEvent> = nothingSent

  add(index: number, code: RejectionCode, detail: string): void {
    if (this.count++ === 0) {
      this.errors = []
      this.indexes = []
    }
    this.indexes.push(index)
    if (this.errors.length < maxListedRejections) this.errors.push({ index, code, detail })
  }

  keep(index: number, bytes: Uint8Array, contentType?: string): void {
    if (this.sent.size >= maxListedRejections) return
    this.sent = new Map(this.sent).set(index, { sent: toSent(bytes), contentType })
  }
}

/** More events than one request may hold. */
export const tooManyEvents = (maxEvents: number): SluiceError =>
  new SluiceError('too-large', `The request has more than ${maxEvents} events`)
