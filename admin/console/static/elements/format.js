const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/**
 * A figure for people: three digits that matter, thousands apart.
 * @param {number | null | undefined} value
 */
export const asNumber = value => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 100 || Number.isInteger(value)) return grouped.format(value)
  return value.toFixed(size >= 10 ? 1 : 2)
}

/**
 * Bytes with a decimal unit.
 * @param {number | null | undefined} bytes
 */
export const formatBytes = bytes => {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return '–'
  let value = bytes
  let unit = 0
  for (; Math.abs(value) >= 1_000 && unit < byteUnits.length - 1; unit++) value /= 1_000
  return `${unit === 0 ? grouped.format(value) : asNumber(Number(value.toPrecision(3)))} ${byteUnits[unit]}`
}

/**
 * A time span in its two largest units; its spaces break no line.
 * @param {number | null | undefined} seconds
 */
export const toDuration = seconds => {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–'
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}\u00a0s`
  if (whole < 3_600) return `${Math.floor(whole / 60)}\u00a0min\u00a0${whole % 60}\u00a0s`
  if (whole < 86_400) return `${Math.floor(whole / 3_600)}\u00a0h\u00a0${Math.floor((whole % 3_600) / 60)}\u00a0min`
  return `${Math.floor(whole / 86_400)}\u00a0d\u00a0${Math.floor((whole % 86_400) / 3_600)}\u00a0h`
}

/**
 * A moment in UTC: `2031-04-01 12:00:00`.
 * @param {number} ms since the epoch
 */
export const toMoment = ms => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '–' : date.toISOString().slice(0, 19).replace('T', ' ')
}

/**
 * `1 file`, `2 files`.
 * @param {number} count
 * @param {string} noun
 */
export const formatCount = (count, noun) => `${asNumber(count)} ${noun}${count === 1 ? '' : 's'}`

/**
 * The text of an error.
 * @param {unknown} error
 */
export const toErrorText = error => (error instanceof Error ? error.message : String(error))
