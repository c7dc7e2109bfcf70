/** An SDK of another make, as a program that sends events: each a request of its own, until it is answered or given up. */
export type Sender = {
  /** Whether its events have identities, so that those of a lost answer count once. @default true */
  readonly hasIds?: boolean
  /** Sends an event of each name to a server; resolves when the SDK is done. */
  readonly send: (url: string, names: readonly string[]) => Promise<void>
}
