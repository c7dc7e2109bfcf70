/** How values of an axis lie on it: evenly, or each power of ten as wide as the next. */
export type Scale = 'linear' | 'log'

/** Where an axis is marked, in order; the first and the last are its ends. */
export type Ticks = readonly number[]

/** About so many marks on an axis. */
const wantedTicks = 5
/** With more powers of ten than this, only they are marked. */
const maxFineDecades = 2
/** Of an axis, compared with its values. */
const leastSpan = 1e-6
/** Factors of a power of ten at which people like to see a mark. */
const roundFactors = [1, 2, 5, 10]

/**
 * Marks around all values, at round numbers. A linear axis starts at 0 when `fromZero` and no value is below it; a
 * logarithmic one leaves out what is not above 0. Without any value the axis goes from 0 to 1, or 1 to 10.
 */
export const toTicks = (values: readonly number[], scale: Scale, fromZero: boolean): Ticks => {
  const usable = values.filter(value => Number.isFinite(value) && (scale === 'linear' || value > 0))
  const low = usable.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const high = usable.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  if (scale === 'log') return usable.length === 0 ? [1, 10] : toLogTicks(low, high)
  if (usable.length === 0) return [0, 1]
  return toLinearTicks(fromZero ? Math.min(0, low) : low, fromZero ? Math.max(0, high) : high)
}

/** 0 to 1 from the first mark to the last; outside it for values beyond. */
export const toPosition = (value: number, ticks: Ticks, scale: Scale): number => {
  const [from, to, at] = [ticks[0] ?? 0, ticks.at(-1) ?? 1, value].map(scale === 'log' ? Math.log10 : Number)
  return ((at ?? 0) - (from ?? 0)) / ((to ?? 1) - (from ?? 0))
}

/** A number as short as a mark needs it: `0.25`, `1.5 K`, `20 M`. */
export const toTickText = (value: number): string => {
  const size = Math.abs(value)
  const [divisor, suffix] = size >= 1e9 ? [1e9, ' G'] : size >= 1e6 ? [1e6, ' M'] : size >= 1e3 ? [1e3, ' K'] : [1, '']
  return `${Number((value / divisor).toPrecision(3))}${suffix}`
}

const toLinearTicks = (low: number, high: number): Ticks => {
  const size = Math.max(Math.abs(low), Math.abs(high))
  // One value alone still needs an axis of some length, and steps must not drown in the rounding of large numbers.
  const span = high > low ? Math.max(high - low, size * leastSpan) : size || 1
  const rough = span / wantedTicks
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (roundFactors.find(factor => factor * power >= rough) ?? 10)
  const first = Math.floor(low / step)
  const last = Math.max(first + 1, Math.ceil(high / step))
  // Rounded, because 3 × 0.1 is not 0.3.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

const toLogTicks = (low: number, high: number): Ticks => {
  const from = Math.floor(Math.log10(low))
  const to = Math.max(from + 1, Math.ceil(Math.log10(high)))
  const decades = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i))
  if (to - from > maxFineDecades) return decades
  const fine = decades.flatMap(power => [power, 2 * power, 5 * power].map(value => Number(value.toPrecision(12))))
  const first = Math.max(
    0,
    fine.findLastIndex(value => value <= low),
  )
  const last = Math.max(
    first + 1,
    fine.findIndex(value => value >= high),
  )
  return fine.slice(first, last + 1)
}
