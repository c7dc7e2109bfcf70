/** Why an event was refused for good. */
export type Rejection = { readonly code: string; readonly detail: string }

/** The same, with the event's place in its batch. */
export type RejectedRecord = Rejection & { readonly index: number }

/** The outcome for a batch. */
export type Outcome =
  /** All is settled: what is not in `rejected` was accepted. */
  | {
      readonly kind: 'settled'
      readonly rejected: readonly RejectedRecord[]
      /** How many more were rejected than `rejected` lists; which, the server did not say. */
      readonly unlisted?: number
    }
  /** Not now. */
  | {
      readonly kind: 'retry'
      readonly error: Error
      /** How long the server wants to be left alone. */
      readonly afterMs?: number | undefined
      /** Records before this one are settled. @default the `from` of the attempt */
      readonly done?: number
      readonly rejected?: readonly RejectedRecord[]
    }
  /** Nothing of it was taken, and never will be. */
  | ({ readonly kind: 'refused' } & Rejection)
  /** Nothing of it was taken; half as many may be. */
  | { readonly kind: 'too-large' }

/** What goes with the records of one attempt. */
export type Attempt = {
  /** The same at every attempt of this batch, also after a restart. */
  readonly key: string
  /** The first record that is not settled yet. */
  readonly from: number
  /** Ends the attempt; the outcome is then `retry`. */
  readonly signal: AbortSignal
}

/** One way to a server. Records are what the spool keeps: bytes whose form only their sender knows. */
export type Sender<Event> = {
  /** Names the form of the records, in file names: small letters and digits. */
  readonly form: string
  /** @throws TypeError, RangeError what cannot be sent; nothing of it is kept then */
  readonly encode: (event: Event, now: number) => Uint8Array
  /** The event of a record, for people: as it was sent. */
  readonly describe: (record: Uint8Array) => unknown
  /** Never rejects: whatever goes wrong on the way is an outcome. */
  readonly send: (records: readonly Uint8Array[], attempt: Attempt) => Promise<Outcome>
  readonly close: () => void
}
