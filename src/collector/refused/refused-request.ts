import type { EventHead } from '../../spool/batch.ts'
import type { Sent } from '../live/feed.ts'

/** What is kept of a request of which events are refused: enough to see why, and to send them again. */
export type RefusedRequest = {
  /** ms since the epoch: the date of its events without one. */
  readonly receivedAt: number
  readonly method: string
  /** Path and query as sent; empty if it did not arrive over HTTP. */
  readonly target: string
  readonly contentType?: string | undefined
  /** Of bytes that are kept as they were sent, because they could not be decoded. */
  readonly contentEncoding?: string | undefined
  /** Further headers that say how it is read; none with credentials. */
  readonly headers: Readonly<Record<string, string>>
  /** Its `Idempotency-Key`, where that was free for the next attempt when the request was refused. */
  readonly key?: string | undefined
  /** Distinguishes the request from others with its key: its stored bytes may differ from those sent. */
  readonly fingerprint?: string | undefined
  /** Distinguishes it from all others, if it has a key: from its retry nothing is stored twice. */
  readonly retry?: string | undefined
  /** The owner of its events' ids, as in `submit/event-ids.ts`. */
  readonly sender?: string | undefined
  readonly pieces: readonly RefusedPiece[]
}

/** A refused event, or a request of which nothing was kept. */
export type RefusedPiece = {
  readonly code: string
  readonly detail: string
  /** Place of the event in the request, from 0; undefined for all of the request. */
  readonly position?: number | undefined
  /** How many it represents. */
  readonly events: number
  /** It represents the events of a request beyond those with pieces of their own. @default false */
  readonly isRest?: boolean
  /** Event name; empty where it could not be read. */
  readonly type: string
  /** Undefined if nothing can be separated from the rest of the request, or the target is all there is. */
  readonly sent?: Sent | undefined
  /** Of an event that is kept as a request of its own; undefined if it is unchanged. */
  readonly contentType?: string | undefined
  /** Date and granularity of its events, where that is known; no date where they have several. */
  readonly head?: PieceHead | undefined
  /** Then those of all events of what is stored, by their place in it. */
  readonly dates?: readonly number[] | undefined
  /** Ids of its events as they are hashed, so that a replay and its sender's next try count once; see `submit/event-ids.ts`. */
  readonly eventIds?: Uint8Array | undefined
}

/** When the events of a piece happened. */
export type PieceHead = Pick<EventHead, 'granularity'> & { readonly date?: number | undefined }
