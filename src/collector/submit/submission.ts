import type { KeyObject } from 'node:crypto'
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
  /** The owner of the events' ids. @default the events have no ids */
  readonly sender?: string
  /** What they are hashed with, from first to last: the setting may change meanwhile. @default no key */
  readonly idKey?: KeyObject | undefined
  /** The owner of the token in a header or in the body. */
  readonly caller?: Identity | undefined
  readonly claim: Claim
  /** What the filters look at; absent for Scribe. */
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
  /** Ids of all its events as they were hashed on arrival. @default those of its sender's, hashed now */
  readonly eventIds: Uint8Array | undefined
  /**
   * Rows for those of its events that are refused again while others are accepted; undefined unless each of them can be
   * separated from the others as a whole.
   */
  readonly toRest: (submission: Submission, report: Report) => readonly RefusedRow[] | undefined
}

/**
 * The report of a request to its client. The mismatches of kept events are among the errors, with the code {@link
 * schemaMismatch}: so they are remembered with an idempotency key, and count in its size.
 */
export type Report = Outcome & {
  /** Kept events that do not fit their schema; absent for 0. */
  readonly mismatched?: number
  /** Which of the listed mismatches were kept, by their place in the request; absent where all or none were. */
  readonly keptIndexes?: readonly number[]
  /** Where it is less than `collector.ack` says; absent otherwise, and not remembered with an idempotency key. */
  readonly durability?: 'local'
  /** Halves of surrogate pairs that became U+FFFD; absent for 0. */
  readonly loneSurrogates?: number
  /** Events with a date that looks like seconds where ms are expected; absent for 0. */
  readonly likelySeconds?: number
  /** Of a replay, which has no client to report to: accepted events that a filter has dropped; absent for 0. */
  readonly filtered?: number
  /** Of a replay: accepted events that were in before; absent for 0. */
  readonly duplicates?: number
}

/** The code of an event that does not fit the schema of its type. */
export const schemaMismatch = 'schema-mismatch'
