/** A thread that charges senders of a table that others write at the same time. */
import { parentPort, workerData } from 'node:worker_threads'
import { createSenderBuckets } from '../../src/collector/quota/sender-buckets.ts'

/** The start data of such a thread. */
export type QuotaThreadData = {
  readonly memory: SharedArrayBuffer
  /** One for each thread that is ready; they begin when all are. */
  readonly ready: Int32Array
  readonly threads: number
  /** Charged in turn, each a second of both buckets. */
  readonly senders: readonly string[]
  readonly rounds: number
  readonly now: bigint
  readonly most: number
}

if (parentPort) {
  const { memory, ready, threads, senders, rounds, now, most } = workerData as QuotaThreadData
  const buckets = createSenderBuckets(memory)
  const cost = { events: 1e9, bytes: 1e9 }
  Atomics.add(ready, 0, 1)
  while (Atomics.load(ready, 0) < threads);
  for (let round = 0; round < rounds; round++) {
    for (const sender of senders) buckets.charge(sender, now, { cost, most })
  }
}
