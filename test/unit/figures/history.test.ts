import { describe, expect, test } from 'vitest'
import { createHistory, type HistoryColumn } from '../../../src/figures/history.ts'
import { tickMs } from '../../../src/figures/meter.ts'

const startMs = 1_000_000

/** A history of one count and one peak, whose clock moves by hand. */
const createTestHistory = () => {
  const state: { ms: number; count: number | undefined; peak: number | undefined } = {
    ms: startMs,
    count: 0,
    peak: undefined,
  }
  const columns: readonly HistoryColumn[] = [
    { key: 'events', kind: 'rate', read: () => state.count },
    { key: 'errors', kind: 'perMinute', read: () => state.count },
    { key: 'waiting', kind: 'level', read: () => state.count },
    { key: 'p99', kind: 'peak', read: () => state.peak },
  ]
  const history = createHistory({ columns, now: () => state.ms })
  const pass = (samples: number, events = 0): void => {
    for (let tick = 0; tick < 2 * samples; tick++) {
      state.ms += tickMs
      state.count = (state.count ?? 0) + events / 2
      history.tick()
    }
  }
  return { history, state, pass, all: () => history.samples(0, Number.MAX_SAFE_INTEGER) }
}

describe('createHistory', () => {
  test('has nothing at first', () => {
    const { history, all } = createTestHistory()
    expect(all()).toEqual({ stepMs: 10_000, at: [], columns: {} })
    expect([history.size, history.oldest]).toEqual([0, 0])
  })

  test('keeps counts as rates, values as they are, and leaves out what is not known', () => {
    const { all, pass } = createTestHistory()
    pass(2, 50)
    expect(all()).toEqual({
      stepMs: 10_000,
      at: [startMs + 10_000, startMs + 20_000],
      columns: { events: [5, 5], errors: [300, 300], waiting: [50, 100] },
    })
  })

  test('a peak between two samples is seen, once', () => {
    const { all, state, history } = createTestHistory()
    for (const peak of [70, 3, undefined, 2, undefined, undefined]) {
      state.ms += tickMs
      state.peak = peak
      history.tick()
    }
    expect(all().columns['p99']).toEqual([70, 2, null])
  })

  test('a count that fell, or was not there, has no rate', () => {
    const { all, state, pass } = createTestHistory()
    pass(1, 10)
    state.count = 4
    pass(2, 10)
    expect(all().columns['events']).toEqual([1, 0.4, 1])
    state.count = 0
    pass(1)
    expect(all().columns['events']?.at(-1)).toBe(null)
  })

  test('gives an hour by ten seconds, and more than that by the minute: means, and the largest of peaks', () => {
    const { all, state, history, pass } = createTestHistory()
    pass(3, 60)
    state.peak = 9
    pass(3)
    state.peak = 1
    pass(354)
    expect(all().stepMs).toBe(10_000)
    expect(all().at).toHaveLength(360)

    pass(6)
    const day = all()
    expect([day.stepMs, day.at.length, day.at[0]]).toEqual([60_000, 61, startMs + 60_000])
    expect([day.columns['events']?.[0], day.columns['p99']?.slice(0, 2)]).toEqual([3, [9, 1]])
    const hour = history.samples(state.ms - 3_600_000, state.ms)
    expect([hour.stepMs, hour.at.length]).toEqual([10_000, 360])
  })

  test('is bounded to a day, and to what is asked', () => {
    const { history, state, pass, all } = createTestHistory()
    pass(6 * 1_500, 10)
    const { at, columns } = all()
    expect([at.length, columns['events']?.length, history.size]).toEqual([1_440, 1_440, 1_800])
    expect(at[0]).toBe(state.ms - 1_439 * 60_000)
    expect(history.oldest).toBe(at[0])
    expect(history.samples(state.ms - 20_000, state.ms - 10_000).at).toEqual([state.ms - 20_000, state.ms - 10_000])
    expect(history.samples(state.ms + 1, state.ms + 2)).toEqual({ stepMs: 10_000, at: [], columns: {} })
  })

  test('starts over when the clock is set back', () => {
    const { state, pass, all } = createTestHistory()
    pass(7, 10)
    state.ms = startMs - 500_000
    pass(2, 10)
    expect(all().at).toEqual([startMs - 490_000, startMs - 480_000])
    expect(all().columns['events']).toEqual([null, 1])
  })

  test('numbers have the digits that a chart can show', () => {
    const { all, pass } = createTestHistory()
    pass(1, 12_345.678)
    expect(all().columns).toEqual({ events: [1235], errors: [74_074], waiting: [12_346] })
  })
})
