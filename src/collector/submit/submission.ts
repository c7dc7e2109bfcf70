import type { Claim } from '../../http/body/admission.ts'
import type { Identity } from '../../http/call/call.ts'
import type { Api } from '../../spool/apis.ts'
import type { Outcome } from '../../spool/batch.ts'
import type { RequestContext } from '../annotations.ts'
import type { Parsed } from '../parsed.ts'
import type { RefusedRow } from '../refused/refused-row.ts'
import type { IdempotentRequest } from './idempotency.ts'

/** A parsed request on its way to the spool. */
export type Submission = {
  readonly api: Api
  /** When it was there as a whole, ms since the epoch: by then its events are dated that have no date. */
  readonly receivedAt: number
  readonly parsed: Parsed
  /** Within whose events the ids of these tell them apart. @default the events have no ids */
  readonly sender?: string
  /** Who showed a token, in a header or in the body. */
  readonly caller?: Identity | undefined
  readonly claim: Claim
  /** What the filters look at; Scribe has none. */
  readonly context?: RequestContext
  /** Address of a client without a context. */
  readonly peer?: string
  readonly idempotent?: IdempotentRequest | undefined
  /** What is known of it where it was refused before, and the server sends it in again. @default it was not */
  readonly replay?: SubmittedReplay | undefined
  /** Whether it is an error when nothing is accepted. @default false */
  readonly isStrict?: boolean
}

/** A refused request, or an event of one, that is submitted again: see `refused/replay.ts`. */
export type SubmittedReplay = {
  /** Ids of all its events as they were hashed when they came. @default those of its sender's, hashed now */
  readonly eventIds: Uint8Array | undefined
  /**
   * Rows for those of its events that are refused again while others are taken; undefined where not each of them can be told
   * apart from the others as a whole.
   */
  readonly toRest: (submission: Submission, report: Report) => readonly RefusedRow[] | undefined
}

/**
 * What a client is told of a request. The mismatches of events that were kept stand among the errors, with the code
 * {@link schemaMismatch}: so they are remembered with an idempotency key, and count in its size.
 */
export type Report = Outcome & {
  /** Kept events that do not fit their schema; absent when there are none. */
  readonly mismatched?: number
  /** Which of the listed mismatches were kept, by their place in the request; absent where all or none were. */
  readonly keptIndexes?: readonly number[]
  /** Where it is less than `collector.ack` says; absent otherwise, and not remembered with an idempotency key. */
  readonly durability?: 'local'
  /** Halves of surrogate pairs that became U+FFFD; absent when there were none. */
  readonly loneSurrogates?: number
  /** Events with a date that looks like seconds where ms are expected; absent when there were none. */
  readonly likelySeconds?: number
  /** Of a replay, which no client hears of: accepted events that a filter has dropped; absent when there were none. */
  readonly filtered?: number
  /** Of a replay: accepted events that were in before; absent when there were none. */
  readonly duplicates?: number
}

/** The code of an event that does not fit the schema of its type. */
export const schemaMismatch = 'schema-mismatch'
