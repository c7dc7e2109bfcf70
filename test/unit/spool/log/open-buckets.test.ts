import { describe, expect, test } from 'vitest'
import type { Batch } from '../../../../src/spool/batch.ts'
import { createOpenBuckets } from '../../../../src/spool/log/open-buckets.ts'
import { startMs } from '../../../suites/spool.ts'

/** Events of as many types, each new. */
const many = (caller: string | undefined, prefix: string, count: number): Batch => ({
  api: 'POST_Json_API',
  caller,
  format: 'json',
  events: Array.from({ length: count }, (_, index) => ({
    index,
    name: `${prefix}${index}`,
    date: startMs,
    granularity: 'HOURLY',
  })),
  body: new Uint8Array(),
})

describe('the buckets of a segment', () => {
  test('are all there for a caller that is alone', () => {
    const buckets = createOpenBuckets()
    for (let i = 0; i < 10; i++) expect(buckets.claim(many('a', `a${i}-`, 1_000))).toBe('claimed')
    expect(buckets.claim(many('a', 'more', 1))).toBe('used-up')
  })

  test('are shared: a caller with more than its part gets no more, and all others do', () => {
    const buckets = createOpenBuckets()
    expect(buckets.claim(many('flood', 'f', 9_000))).toBe('claimed')
    for (const caller of ['a', 'b', 'c']) expect(buckets.claim(many(caller, caller, 10))).toBe('claimed')
    expect(buckets.claim(many('flood', 'g', 1))).toBe('beyond-share')
    for (const caller of ['a', 'b', 'c']) expect(buckets.claim(many(caller, `${caller}more`, 10))).toBe('claimed')
  })

  test('take events of everybody once they are there', () => {
    const buckets = createOpenBuckets()
    buckets.claim(many('flood', 'f', 9_990))
    buckets.claim(many('a', 'a', 10))
    expect(buckets.claim(many('flood', 'f', 9_990))).toBe('claimed')
    expect(buckets.claim(many('flood', 'a', 10))).toBe('claimed')
    expect(buckets.claim(many('flood', 'a', 1))).toBe('claimed')
  })

  test('that others have used up are those of the next segment for a caller with little', () => {
    const buckets = createOpenBuckets()
    buckets.claim(many('flood', 'f', 9_999))
    buckets.claim(many('a', 'a', 1))
    expect(buckets.claim(many('a', 'b', 1))).toBe('full')
    expect(buckets.claim(many('new', 'c', 1))).toBe('full')
    expect(buckets.claim(many('flood', 'd', 1))).toBe('used-up')
  })

  test('have room for any first batch that a segment can hold, so that each name has its place', () => {
    for (const others of [1, 2, 9]) {
      const buckets = createOpenBuckets()
      for (let n = 0; n < others; n++) buckets.claim(many(`caller ${n}`, `a${n}-`, 10))
      expect(buckets.claim(many('b', 'b', 10_000 - 10 * others))).toBe('claimed')
    }
  })

  test('are too few for a request that alone would have more, and it takes none', () => {
    const buckets = createOpenBuckets()
    expect(() => buckets.claim(many('a', 'a', 10_001))).toThrow(/10001 buckets; at most 10000/)
    expect([...buckets.values()]).toEqual([])
    expect(buckets.claim(many('a', 'a', 10_000))).toBe('claimed')
  })

  test('of callers without a name are those of one', () => {
    const buckets = createOpenBuckets()
    buckets.claim(many('a', 'a', 1))
    expect(buckets.claim(many(undefined, 'x', 6_000))).toBe('claimed')
    expect(buckets.claim(many(undefined, 'y', 1))).toBe('beyond-share')
  })
})
