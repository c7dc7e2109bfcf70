/** How often rates are brought up to date, in ms. */
export const tickMs = 5_000

/** Events per second: averages over the last 1, 5 and 15 minutes in which old times fade, and the mean since the start. */
export type Rates = {
  readonly mean: number
  readonly oneMinute: number
  readonly fiveMinutes: number
  readonly fifteenMinutes: number
}

/** The rates of a count that is kept elsewhere: nothing is done where events are counted. */
export type Meter = {
  readonly count: number
  /** What is counted: `events` or `calls`. */
  readonly eventType: string
  rates(): Rates
  /** To be called every {@link tickMs}. */
  tick(): void
}

/** The options of a meter. */
export type MeterOptions = {
  /** The count so far; never falls. */
  readonly count: () => number
  readonly eventType?: string
  /** Monotonic, in ms. */
  readonly nowMs: () => number
}

/** Weight of the newest 5 seconds in an average over this many minutes. */
const weightOf = (minutes: number): number => 1 - Math.exp(-tickMs / 60_000 / minutes)
const weights = [weightOf(1), weightOf(5), weightOf(15)] as const

/** Makes a meter; the mean counts from now. */
export const createMeter = ({ count, eventType = 'events', nowMs }: MeterOptions): Meter => {
  const startedAt = nowMs()
  let last = count()
  /** Averages; the first tick sets them, so that they need not climb from zero. */
  let averages: readonly [number, number, number] | undefined
  return {
    get count() {
      return count()
    },
    eventType,
    tick() {
      const now = count()
      const rate = ((now - last) * 1_000) / tickMs
      last = now
      const [one, five, fifteen] = averages ?? [rate, rate, rate]
      const [a, b, c] = weights
      averages = [one + a * (rate - one), five + b * (rate - five), fifteen + c * (rate - fifteen)]
    },
    rates() {
      const seconds = (nowMs() - startedAt) / 1_000
      const [oneMinute, fiveMinutes, fifteenMinutes] = averages ?? [0, 0, 0]
      return { mean: seconds > 0 ? count() / seconds : 0, oneMinute, fiveMinutes, fifteenMinutes }
    },
  }
}
