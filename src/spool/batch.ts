/**
 * What one request adds to the spool, as the collector hands it over: every decision (which events, under which
 * name, date and granularity) is already made, so that nothing that happens later can change it.
 */
import type { Api } from './apis.ts'

/**
 * The interval of an event type's buckets. The names appear in files of 2010; `record-words.ts` has their numbers on
 * disk.
 */
export const granularities = ['MINUTE', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
export type Granularity = (typeof granularities)[number]

/** How the body of a batch is encoded, and with it the family of output files: `.smile` or `.thrift`. */
export const bodyFormats = ['json', 'smile', 'thrift'] as const
export type BodyFormat = (typeof bodyFormats)[number]

/** One accepted event: its place in the body, and what decides its bucket. */
export type EventHead = {
  /** Position in the body: the array element, the Smile document's element, or the `.thrift` record, from 0. */
  readonly index: number
  /** Event name as sent; checked by `checkEventName`. */
  readonly name: string
  /** ms since the epoch, UTC; within the years 1970 to 9999. */
  readonly date: number
  readonly granularity: Granularity
}

/** Why an event was refused. */
export type Rejection = {
  /** Position in the request, from 0. */
  readonly index: number
  readonly code: string
  readonly detail: string
}

/** The answer that the client got, or will get, to the request. */
export type Outcome = {
  readonly accepted: number
  readonly rejected: number
  /** At most 100. */
  readonly errors: readonly Rejection[]
}

export type Batch = {
  readonly api: Api
  /** Its sender, as far as that is known: callers share what a segment can hold, and take turns. */
  readonly caller?: string | undefined
  /** When it arrived, ms since the epoch: the date of those of its events that were sent without one. @default now */
  readonly receivedAt?: number | undefined
  readonly format: BodyFormat
  /** In ascending order of `index`; positions that are not listed are not stored. */
  readonly events: readonly EventHead[]
  /**
   * - `json`: UTF-8 JSON text, either one envelope object (index 0) or one array of envelopes; in more than 256 KiB
   *   they may also follow one another, with commas, brackets of arrays and white space between them;
   * - `smile`: one Smile document, either one envelope object or one array of envelopes;
   * - `thrift`: `.thrift` records one after another (see `formats/thrift/envelope-stream.ts`).
   *
   * Always well-formed; an envelope is `{"eventName": …, "payload": {…}}`.
   */
  readonly body: Uint8Array
  /** The request's `Idempotency-Key`, with a digest of its body and what it was answered. */
  readonly idempotency?: {
    readonly key: string
    readonly fingerprint: string
    readonly outcome: Outcome
  }
  /**
   * Distinguishes each of `events` from all others, in its order: `eventIdBytes` for each, zeros where an event has no
   * id. Those of events that are kept are remembered. @default no event has one
   */
  readonly eventIds?: Uint8Array
}

/** By what a request, and its events, are known when they are sent again. */
export type RequestIdentity = { readonly [Name in 'idempotency' | 'eventIds']?: Batch[Name] | undefined }

/** The same of a request that was kept. */
export type KeptIdentity = RequestIdentity & {
  /** When, ms since the epoch. */
  readonly at: number
}

/** An idempotency key with what its request was answered. */
export type KeptKey = {
  readonly key: string
  readonly fingerprint: string
  readonly outcome: Outcome
  /** When it was kept, ms since the epoch. */
  readonly at: number
}
