import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createQuotaMemory, createSenderBuckets } from '../../../../src/collector/quota/sender-buckets.ts'
import type { QuotaThreadData } from '../../../suites/quota-thread.ts'

const module = new URL('../../../suites/quota-thread.ts', import.meta.url)
const second = 1e9
const most = 1e9 * second
const now = 10n ** 18n

/** Two threads that charge at the same time, each its own senders. */
const race = async (
  places: number,
  senders: readonly [readonly string[], readonly string[]],
  rounds: number,
  before: (buckets: ReturnType<typeof createSenderBuckets>) => void = () => {},
) => {
  const memory = createQuotaMemory(places)
  const buckets = createSenderBuckets(memory)
  before(buckets)
  const ready = new Int32Array(new SharedArrayBuffer(4))
  const workers = senders.map(own => {
    const workerData: QuotaThreadData = { memory, ready, threads: 2, senders: own, rounds, now, most }
    return new Worker(module, { workerData })
  })
  expect(await Promise.all(workers.map(worker => once(worker, 'exit')))).toEqual([[0], [0]])
  return buckets
}
const named = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

test('what two threads charge the same senders is charged twice, except for those that took a place at the same moment', async () => {
  const names = named(200, 's')
  const rounds = 500
  const buckets = await race(8_192, [names, names], rounds)
  expect(buckets.forgotten).toBe(0)
  const owed = names.map(name => buckets.owedBy(name, now))
  for (const { events, bytes } of owed) {
    expect(events).toBeLessThanOrEqual(2 * rounds * second)
    // What went to a second place of the same sender before both saw the first.
    expect(events).toBeGreaterThanOrEqual((2 * rounds - 2) * second)
    expect(Math.abs(events - bytes)).toBeLessThanOrEqual(2 * second)
  }
})

test('two threads that fight for the places of a full table take none from whom owes most, and both come to an end', async () => {
  const loud = named(4, 'loud')
  const toCost = (seconds: number) => ({ cost: { events: seconds * second, bytes: seconds * second }, most })
  const buckets = await race(8, [named(300, 'a'), named(300, 'b')], 200, table => {
    for (const name of loud) table.charge(name, now, toCost(1_000_000))
  })
  for (const name of loud) expect(buckets.owedBy(name, now).events).toBe(1_000_000 * second)
  expect(buckets.forgotten).toBeGreaterThan(600)
  expect(buckets.forgotten).toBeLessThanOrEqual(2 * 300 * 200)
})
