import type { Batch, EventHead } from '../batch.ts'

/** By what a batch that is appended again is known when it is so once more. */
export const toReplayKey = (key: string, events: readonly EventHead[]): Required<Pick<Batch, 'idempotency'>> => ({
  idempotency: { key, fingerprint: key, outcome: { accepted: events.length, rejected: 0, errors: [] } },
})
