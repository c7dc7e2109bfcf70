/** What a thread that takes events and the desk in the main thread say to one another, beside the memory that both share. */
import type { Sent } from '../collector/live/feed.ts'
import type { Refusal } from '../collector/refused/refusal-log.ts'
import type { IdempotentRequest, Submitted } from '../collector/submit/idempotency.ts'
import type { Prepared } from '../collector/submit/prepare.ts'
import type { ErrorFields } from '../errors.ts'
import type { Api } from '../spool/apis.ts'
import type { Durability } from '../spool/replica/replica-status.ts'
import type { SlowedRequests } from './slowed-teller.ts'

/** What a thread needs to know before it takes events. */
export type RemoteDoorStart = {
  /** Of the spool: see `segment-format.ts`. */
  readonly mark: Uint8Array
  /** Rows of counters and of what requests hold, and which of them is the thread's. */
  readonly counters: SharedArrayBuffer
  readonly holding: SharedArrayBuffer
  readonly row: number
  /** The debts of senders, over all threads. */
  readonly quotaMemory: SharedArrayBuffer
  /** Whether the desk wants the traces that events belong to. */
  readonly wantsTraces: boolean
}

/** What few batches of a range have, by their positions. */
export type Sparse<T> = readonly (readonly [position: number, value: T])[]

/** Records in shared memory, one after the other; the thread leaves them alone until they are freed. */
export type RangeMessage = {
  /** Of this thread; never used again. */
  readonly id: number
  readonly memory: number
  /** Where the desk does not know the memory yet; `isLarge` where it is this range's alone. */
  readonly buffer?: SharedArrayBuffer
  readonly isLarge?: boolean
  readonly from: number
  readonly to: number
  /** How many batches there are, and how many events of each way in. */
  readonly count: number
  readonly events: readonly (readonly [Api, number])[]
  /** Their senders, by their numbers in the records. */
  readonly callers: Sparse<string>
  readonly receivedAt: Sparse<number>
  readonly traceparents: Sparse<string>
  /** Names of events that are kept and do not fit their schemas. */
  readonly misfits: Sparse<readonly string[]>
}

/** A request with a key, or whose events have ids: only the desk knows what was kept before. */
export type KeyedMessage = {
  readonly id: number
  readonly request: IdempotentRequest | undefined
  /** Without its context. */
  readonly prepared: Prepared
  readonly traceparent: string | undefined
}

/** What a thread has for the desk at the end of a turn of its event loop. */
export type HandOverMessage = {
  readonly ranges: readonly RangeMessage[]
  readonly keyed: readonly KeyedMessage[]
  /** Events that were not taken. */
  readonly refusals: readonly RefusalMessage[]
  /** Names of events that were refused because they do not fit their schemas. */
  readonly misfits: readonly { readonly api: Prepared['api']; readonly names: readonly string[] }[]
  readonly slowed: SlowedRequests
  /** Asks whether events are taken. */
  readonly checks: readonly number[]
  /** Numbers of memories that are not used any more. */
  readonly dropped: readonly number[]
}

/** A value that was asked for, or what was thrown in its place. */
export type DeskAnswer<T> = { readonly id: number } & ({ readonly value: T } | { readonly error: ErrorFields })

/** Batches of a range that are not kept. */
export type FailedBatches = {
  readonly range: number
  readonly first: number
  readonly count: number
  readonly error: ErrorFields
}

/** What the desk answers in one go. */
export type ReceiptsMessage = {
  /** As safe as `collector.ack` says: of each piece the range, the first batch, and how many there are. */
  readonly kept: readonly number[]
  /** Of the least safe of these. */
  readonly durability: Durability
  readonly failed: readonly FailedBatches[]
  /** Ranges whose bytes may be written again. */
  readonly freed: readonly number[]
  readonly keyed: readonly DeskAnswer<Submitted>[]
  readonly checks: readonly DeskAnswer<true>[]
}

/** What a thread refuses. */
export type RefusalMessage = {
  readonly refusal: Refusal
  readonly sent: Sent | undefined
  /** Of a question whose answer says that it is stored, or will not be. */
  readonly id?: number
}
