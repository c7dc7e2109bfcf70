import type { ClientLedger } from '../ledger-of-client.ts'

/** The requests of one kind of client, and their answers. */
export type Sending = {
  /** A number for one event, never used before. */
  readonly issue: () => number
  /** The server has answered that the events are kept. */
  readonly acknowledge: (...events: readonly number[]) => void
  readonly acknowledged: ReadonlySet<number>
}

/** Numbers of one client's own, which the common ledger knows as well. */
export const createSending = (ledger: ClientLedger): Sending => {
  const acknowledged = new Set<number>()
  return {
    issue: () => ledger.issue(),
    acknowledge: (...events) => {
      ledger.acknowledge(...events)
      for (const event of events) acknowledged.add(event)
    },
    acknowledged,
  }
}

/** The event's type: every other event is of the type that is forwarded. */
export const typeOf = (event: number): 'Chosen' | 'Kept' => (event % 2 === 0 ? 'Chosen' : 'Kept')

/** Sends round after round, a failed one included, until it is stopped; `stop` waits for the last. */
export const keepSending = (round: () => Promise<void>): { stop(): Promise<void> } => {
  let isOver = false
  const all = (async () => {
    while (!isOver) await round().catch(() => pause(pauseMs))
  })()
  return {
    stop: async () => {
      isOver = true
      await all
    },
  }
}

/** Between a round that failed and the next, so that a server that is away costs little. */
const pauseMs = 20

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
