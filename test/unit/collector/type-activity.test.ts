import { describe, expect, test } from 'vitest'
import { createCounters } from '../../../src/collector/counters.ts'
import { createTypeActivity } from '../../../src/collector/type-activity.ts'
import { tickMs } from '../../../src/figures/meter.ts'

const hourMs = 3_600_000
const startMs = 1_000 * hourMs

/** Counters whose clock moves by hand. */
const createTestActivity = () => {
  const state = { ms: startMs, mono: 0 }
  const counters = createCounters()
  const activity = createTypeActivity({ counters, now: () => state.ms, nowMs: () => state.mono })
  const pass = (ms: number): void => {
    state.ms += ms
    state.mono += ms
  }
  return {
    state,
    counters,
    activity,
    pass,
    take: (name: string, events: number, bytes = 0): void =>
      counters.GET_API.recordKept(Array(events).fill({ name }), bytes),
    ticks: (count: number): void => {
      for (let i = 0; i < count; i++) {
        pass(tickMs)
        activity.tick()
      }
    },
    one: (name: string) => activity.figures().find(({ eventType }) => eventType === name),
  }
}

describe('createTypeActivity', () => {
  test('knows nothing at first', () => {
    const { activity } = createTestActivity()
    expect(activity.figures()).toEqual([])
    expect(new Set(activity.hours('A').accepted)).toEqual(new Set([0]))
  })

  test('sums a type over all APIs, and tells when the newest of it came', () => {
    const { counters, take, pass, one } = createTestActivity()
    take('A', 2, 100)
    counters.SCRIBE_API.recordKept([{ name: 'A' }, { name: 'B' }], 40)
    counters.GET_API.recordMismatches([{ name: 'C' }])
    pass(tickMs)
    expect(one('A')).toEqual({
      eventType: 'A',
      accepted: 3,
      rate: 3 / (tickMs / 1_000),
      lastSeenAt: startMs + tickMs,
      bytes: 120,
      mismatches: 0,
    })
    pass(1)
    expect(one('A')?.lastSeenAt).toBe(startMs + tickMs)
    expect(one('B')).toMatchObject({ accepted: 1, bytes: 20 })
    expect(one('C')).toMatchObject({ accepted: 0, lastSeenAt: 0, mismatches: 1 })
  })

  test('a rate is that of the last minute, and of the time there was before', () => {
    const { take, ticks, one } = createTestActivity()
    take('A', 120)
    ticks(2)
    expect(one('A')?.rate).toBe(12)
    ticks(9)
    expect(one('A')?.rate).toBeCloseTo(120 / 55)
    ticks(1)
    expect(one('A')?.rate).toBe(0)
    take('A', 60)
    expect(one('A')?.rate).toBeCloseTo(60 / 55)
  })

  test('a clock that was set changes no rate', () => {
    const { take, ticks, one, state } = createTestActivity()
    take('A', 100)
    state.ms -= 10 * hourMs
    ticks(2)
    expect(one('A')?.rate).toBe(10)
  })

  test('hours are those of UTC, the last 24, each with what came in it', () => {
    const { take, pass, activity, ticks } = createTestActivity()
    take('A', 1)
    pass(hourMs / 2)
    take('A', 2)
    ticks(1)
    pass(hourMs)
    take('A', 3)
    const { at, accepted } = activity.hours('A')
    expect(at).toEqual(Array.from({ length: 24 }, (_, i) => startMs + (i - 22) * hourMs))
    expect(accepted).toEqual([...Array(22).fill(0), 3, 3])
    pass(23 * hourMs)
    take('A', 4)
    expect(activity.hours('A').accepted).toEqual([3, ...Array(22).fill(0), 4])
  })

  test('of what came before the oldest hour nothing is kept', () => {
    const { take, pass, activity } = createTestActivity()
    take('A', 1)
    activity.tick()
    pass(24 * hourMs)
    expect(new Set(activity.hours('A').accepted)).toEqual(new Set([0]))
  })
})
