import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQuotaMemory, createSenderBuckets, maxSenders } from '../../../../src/collector/quota/sender-buckets.ts'

const second = 1_000_000_000
const atSecond = (seconds: number): bigint => BigInt(Math.round(seconds * second))
const costOf = (events: number, bytes = 0) => ({ events: events * second, bytes: bytes * second })
const most = 7_200 * second
const toCharge = (...given: Parameters<typeof costOf>) => ({ cost: costOf(...given), most })

describe('createSenderBuckets', () => {
  test('a sender that never came owes nothing', () => {
    const buckets = createSenderBuckets(createQuotaMemory(8))
    expect(buckets.owedBy('a', atSecond(5))).toEqual({ events: 0, bytes: 0 })
  })

  /** What one bucket owes, second by second, without a table. */
  const createModel = () => {
    const owed = new Map<string, { events: number; bytes: number }>()
    const of = (sender: string) => owed.get(sender) ?? { events: 0, bytes: 0 }
    const toOwed = (ns: number): number => Math.max(0, Math.min(most, ns))
    return {
      of,
      charge: (sender: string, cost: { events: number; bytes: number }) => {
        const { events, bytes } = of(sender)
        const after = { events: toOwed(events + cost.events), bytes: toOwed(bytes + cost.bytes) }
        owed.set(sender, after)
        return { events: after.events - events, bytes: after.bytes - bytes }
      },
      pass: (ns: number) => {
        for (const [sender, { events, bytes }] of owed) {
          owed.set(sender, { events: Math.max(0, events - ns), bytes: Math.max(0, bytes - ns) })
        }
      },
    }
  }
  const sender = fc.constantFrom('a', 'b', 'token c', 'address 2001:db8::/64')
  const amount = fc.integer({ min: -5_000 * second, max: 10_000 * second })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ sender, events: amount, bytes: amount }) },
    { weight: 2, arbitrary: fc.record({ pass: fc.integer({ min: 0, max: 3_000 * second }) }) },
  )
  test('each owes what a bucket of its own would, in all threads', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const memory = createQuotaMemory(64)
        const threads = [createSenderBuckets(memory), createSenderBuckets(memory)]
        const model = createModel()
        let now = 10n ** 15n
        for (const [i, one] of steps.entries()) {
          if ('pass' in one) {
            now += BigInt(one.pass)
            model.pass(one.pass)
          } else {
            const added = threads[i % 2]?.charge(one.sender, now, { cost: one, most })
            const expected = model.charge(one.sender, one)
            if (one.events >= 0) expect(added?.events).toBe(expected.events)
            if (one.bytes >= 0) expect(added?.bytes).toBe(expected.bytes)
          }
          for (const thread of threads) {
            for (const name of ['a', 'b', 'token c', 'address 2001:db8::/64']) {
              expect(thread.owedBy(name, now)).toEqual(model.of(name))
            }
          }
        }
        expect(threads[0]?.forgotten).toBe(0)
      }),
    )
  })

  test('who owes nothing takes no place when something is given back', () => {
    const buckets = createSenderBuckets(createQuotaMemory(8))
    for (let i = 0; i < 8; i++) buckets.charge(`s${i}`, atSecond(1), toCharge(1))
    expect(buckets.charge('other', atSecond(1), toCharge(-1, -1))).toEqual(costOf(0))
    expect(buckets.forgotten).toBe(0)
    expect(buckets.owedBy('s0', atSecond(1))).toEqual(costOf(1))
  })

  test('a million senders fit into its memory, and the largest debt is known', () => {
    const buckets = createSenderBuckets(createQuotaMemory())
    const now = atSecond(1)
    buckets.charge('loud', now, toCharge(1_000))
    for (let i = 0; i < 1_000_000; i++) buckets.charge(`10.${i}`, now, toCharge(1))
    expect(buckets.owedBy('loud', now).events).toBe(1_000 * second)
    expect(buckets.forgotten).toBeGreaterThan(1_000_000 - maxSenders)
    expect(buckets.forgotten).toBeLessThanOrEqual(1_000_000)
  })

  test('where all places are taken, the one that would be full soonest is forgotten, and its place has no debt', () => {
    const buckets = createSenderBuckets(createQuotaMemory(8))
    const now = atSecond(1)
    const names = Array.from({ length: 8 }, (_, i) => `s${i}`)
    for (const [i, name] of names.entries()) buckets.charge(name, now, toCharge(10 + i, 3))
    buckets.charge('next', now, toCharge(5))
    expect(buckets.owedBy('next', now)).toEqual(costOf(5))
    expect(names.map(name => buckets.owedBy(name, now).events / second)).toEqual([0, 11, 12, 13, 14, 15, 16, 17])
    expect(buckets.forgotten).toBe(1)
  })

  test('the place of one that owes nothing any more is free', () => {
    const buckets = createSenderBuckets(createQuotaMemory(8))
    for (let i = 0; i < 8; i++) buckets.charge(`s${i}`, atSecond(1), toCharge(1, 2))
    for (let i = 0; i < 8; i++) buckets.charge(`t${i}`, atSecond(3), toCharge(1))
    expect(buckets.forgotten).toBe(0)
    expect(buckets.owedBy('t7', atSecond(3)).events).toBe(second)
  })

  test('a sender cannot choose a place: it depends on the memory', () => {
    const survivors = Array.from({ length: 40 }, () => {
      const buckets = createSenderBuckets(createQuotaMemory(16))
      for (let i = 0; i < 14; i++) buckets.charge(`s${i}`, 1n, toCharge(1))
      return buckets.forgotten
    })
    expect(new Set(survivors).size).toBeGreaterThan(1)
  })
})
