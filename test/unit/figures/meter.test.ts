import { describe, expect, test } from 'vitest'
import { meterAttributes } from '../../../src/beans/meter-attributes.ts'
import { timerAttributes } from '../../../src/beans/timer-attributes.ts'
import { createMeter, tickMs } from '../../../src/figures/meter.ts'

/** A meter that moves by hand: `events` more, then one tick. */
const createTestMeter = () => {
  const state = { ms: 1_000, count: 0 }
  const meter = createMeter({ count: () => state.count, nowMs: () => state.ms })
  return {
    meter,
    state,
    pass: (events: number) => {
      state.count += events
      state.ms += tickMs
      meter.tick()
    },
  }
}

describe('createMeter', () => {
  test('of nothing is zero', () => {
    const { meter } = createTestMeter()
    expect(meter.rates()).toEqual({ mean: 0, oneMinute: 0, fiveMinutes: 0, fifteenMinutes: 0 })
    expect(meter.count).toBe(0)
  })

  test('a steady rate is that rate, in all averages', () => {
    const { meter, pass } = createTestMeter()
    for (let i = 0; i < 100; i++) pass(50)
    const { mean, oneMinute, fiveMinutes, fifteenMinutes } = meter.rates()
    for (const rate of [mean, oneMinute, fiveMinutes, fifteenMinutes]) expect(rate).toBeCloseTo(10, 9)
  })

  test('after a minute of silence the averages have fallen by e, e^(1/5) and e^(1/15)', () => {
    const { meter, pass } = createTestMeter()
    for (let i = 0; i < 12; i++) pass(500)
    for (let i = 0; i < 12; i++) pass(0)
    const { mean, oneMinute, fiveMinutes, fifteenMinutes } = meter.rates()
    expect(mean).toBeCloseTo(50, 9)
    expect(oneMinute).toBeCloseTo(100 / Math.E, 9)
    expect(fiveMinutes).toBeCloseTo(100 * Math.exp(-1 / 5), 9)
    expect(fifteenMinutes).toBeCloseTo(100 * Math.exp(-1 / 15), 9)
  })
})

describe('attributes', () => {
  test('of a meter', () => {
    const { meter, pass } = createTestMeter()
    pass(5)
    const read = Object.entries(meterAttributes(meter)).map(([name, attribute]) => [name, attribute.read()])
    expect(Object.fromEntries(read)).toEqual({
      Count: 5,
      EventType: 'events',
      RateUnit: 'SECONDS',
      MeanRate: 1,
      OneMinuteRate: 1,
      FiveMinuteRate: 1,
      FifteenMinuteRate: 1,
    })
  })

  test('of a timer: those of a meter, and the durations; one summary for all that is read in one go', async () => {
    let summaries = 0
    const { meter } = createTestMeter()
    const durations = {
      minMs: 1,
      maxMs: 9,
      meanMs: 4,
      stdDevMs: 2,
      p50Ms: 3,
      p75Ms: 5,
      p95Ms: 6,
      p98Ms: 7,
      p99Ms: 8,
      p999Ms: 9,
    }
    const attributes = timerAttributes(meter, () => {
      summaries++
      return durations
    })
    const read = () => Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, one.read()]))
    expect(read()).toMatchObject({
      Count: 0,
      LatencyUnit: 'MILLISECONDS',
      Min: 1,
      Max: 9,
      Mean: 4,
      StdDev: 2,
      '50thPercentile': 3,
      '75thPercentile': 5,
      '95thPercentile': 6,
      '98thPercentile': 7,
      '99thPercentile': 8,
      '999thPercentile': 9,
    })
    expect(summaries).toBe(1)
    await Promise.resolve()
    read()
    expect(summaries).toBe(2)
  })
})
