import { describe, expect, test } from 'vitest'
import { createSyncSum } from '../../../src/admin-part/sync-sum.ts'

describe('createSyncSum', () => {
  test('is exact while the ring holds all that came, and goes on with the mean of those that are there', () => {
    const ring: number[] = []
    let fsyncs = 0
    const size = 4
    const sync = (ms: number): void => {
      if (ring.length < size) ring.push(ms)
      else ring[fsyncs % size] = ms
      fsyncs++
    }
    const sum = createSyncSum()
    expect(sum({ fsyncs, fsyncMs: ring })).toBe(0)
    for (const ms of [1, 2, 3]) sync(ms)
    expect(sum({ fsyncs, fsyncMs: ring })).toBe(6)
    for (const ms of [10, 20, 30]) sync(ms)
    expect(sum({ fsyncs, fsyncMs: ring })).toBe(66)
    for (let i = 0; i < 8; i++) sync(5)
    expect(sum({ fsyncs, fsyncMs: ring })).toBe(106)
  })
})
