/** Whole numbers with a thin gap between thousands: 1 234 567. */
export const toCount = (value: number): string =>
  Math.abs(value) < 10_000 ? String(Math.round(value)) : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ')

/** A count that may not be known. */
export const toCountOrDash = (value: number | null | undefined): string =>
  typeof value === 'number' ? toCount(value) : '–'

/** Bytes in the nearest unit of 1000. */
export const toBytes = (bytes: number): string => {
  if (bytes < 1_000) return `${Math.round(bytes)} B`
  const exponent = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** exponent
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[exponent - 1]}`
}

/** A rate per second. */
export const toRate = (perSecond: number): string =>
  `${perSecond >= 100 || perSecond === 0 ? toCount(perSecond) : perSecond.toFixed(perSecond < 10 ? 2 : 1)}/s`

/** ms as text: 0.42 ms, 17 ms, 3.2 s. */
export const toMs = (ms: number): string =>
  ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`

/** Seconds as a clock: 0:07, 12:30, 1:02:03. */
export const toClock = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** Seconds in the two largest units that say something: 42 s, 12 min 30 s, 3 h 5 min, 12 d 4 h. */
export const toTimeSpan = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const at = spans.findIndex(([size]) => whole >= size)
  const [size, unit] = spans[at] ?? [1, 's']
  const [nextSize, nextUnit] = spans[at + 1] ?? [1, '']
  const rest = Math.floor((whole % size) / nextSize)
  return `${Math.floor(whole / size)} ${unit}${rest > 0 && nextUnit !== '' ? ` ${rest} ${nextUnit}` : ''}`
}

/** A date in UTC, to the second. */
export const toDateText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`

/** `1 file`, `2 files`; numbers and nouns that take an s. */
export const plural = (count: number, noun: string): string => `${toCount(count)} ${noun}${count === 1 ? '' : 's'}`

const spans = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const
const units = ['kB', 'MB', 'GB', 'TB', 'PB']
