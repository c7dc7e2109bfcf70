/** Live events, for viewers: what a collector shows, and what the management sends. */

import type { SlowedSender } from '../quota/slowed-senders.ts'

/** An event that was taken. Rising `id`s are those of all live events of a process. */
export type LiveAccepted = {
  readonly kind: 'accepted'
  readonly id: number
  /** When its request arrived, ms since the epoch. */
  readonly at: number
  /** As counters name it. */
  readonly api: string
  /** Address of the client. */
  readonly peer: string
  /** Event name. */
  readonly type: string
  /** ms since the epoch. */
  readonly eventDate: number
  /** `json`, `smile` or `thrift`. */
  readonly format: string
  /** JSON of its payload, numbers exact, cut where it is long; without anything where it is too large to be looked at. */
  readonly fields: string
  readonly isCut: boolean
}

/** What was sent with a request that was refused: its first bytes, and how many there were. */
export type Sent = { readonly bytes: Uint8Array; readonly length: number }

/** Events of one request that were refused. */
export type LiveRejected = {
  readonly kind: 'rejected'
  readonly id: number
  readonly at: number
  /** As counters name it. */
  readonly api: string
  readonly peer: string
  /** Why, of the first one. */
  readonly code: string
  readonly detail: string
  /** How many of the request were refused. */
  readonly events: number
  /** Undefined if the body was not read. */
  readonly sent: Sent | undefined
}

export type LiveEvent = LiveAccepted | LiveRejected

/** Events received within a second, and those of them that were shown. */
export type LiveFigures = {
  readonly at: number
  /** Events, of all types. */
  readonly accepted: number
  readonly rejected: number
  /** To this looker. */
  readonly shown: number
  /** Whether some that it looks for were left out, because there were too many. */
  readonly isSampled: boolean
  /** Events of its types that are too large for its filter, so that a match is unknown. */
  readonly notLookedAt: number
  /** What is probably wrong with its `where`: a field that none of the events so far has. Null where nothing is. */
  readonly problem: string | null
  /** Senders that were refused for being over their quota a moment ago, those with most requests first; a few. */
  readonly slowed: readonly SlowedSender[]
}

/** What a viewer asks for. */
export type LiveFilter = {
  /** Names of event types, with `*` for any characters. @default all */
  readonly types?: readonly string[]
  /** Occurs in the type, the fields, or the request as sent; ignores case. @default anything */
  readonly text?: string | undefined
  /** A condition on the fields, as in the gateway's `where`; a refused request has no fields. @default anything */
  readonly where?: string | undefined
  /** @default all */
  readonly events?: 'all' | 'accepted' | 'rejected'
}

/** A viewer. */
export type LiveListener = {
  readonly onEvent: (event: LiveEvent) => void
  /** Once a second. */
  readonly onFigures: (figures: LiveFigures) => void
  /** Nothing more will arrive: the server is ending. */
  readonly onEnd: () => void
}

/** Where events can be looked at. */
export type LiveFeed = {
  /**
   * Adds a viewer until the returned function is called; the refused requests that are kept are sent at once.
   * @throws SluiceError `bad-parameter` for a `where` that cannot be read, `overloaded` with too many viewers,
   * `draining` at the end
   */
  watch(filter: LiveFilter, listener: LiveListener): () => void
}
