/** How sizes, times, counts and permissions read on the pages. */

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** A size for people, in units of 1000 as everywhere: `0 B`, `1.5 kB`, `117 MB`; below 10 with one digit after the point. */
export const toSizeText = (bytes: number): string => {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  const number = unit > 0 && value < 9.95 ? value.toFixed(1) : toCountText(Math.round(value))
  return `${number} ${units[unit]}`
}

/** Bytes, exactly: `1,536 bytes`. */
export const toExactSize = (bytes: number): string => `${toCountText(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`

/** A number with separators between thousands. */
export const toCountText = (count: number): string => count.toLocaleString('en-US')

/** `1 entry`, `2 entries`. */
export const toCounted = (count: number, one: string, many = `${one}s`): string =>
  `${toCountText(count)} ${count === 1 ? one : many}`

const steps: readonly (readonly [limitMs: number, unitMs: number, name: string])[] = [
  [3_600_000, 60_000, 'min'],
  [86_400_000, 3_600_000, 'h'],
  [30 * 86_400_000, 86_400_000, 'd'],
]

/** How long ago, while that says more than a date: `just now`, `5 min ago`, `3 d ago`; after a month `2011-05-03`. */
export const toRelativeTime = (timeMs: number, nowMs: number): string => {
  const ago = nowMs - timeMs
  if (ago >= -60_000 && ago < 60_000) return 'just now'
  const step = ago < 0 ? undefined : steps.find(([limitMs]) => ago < limitMs)
  return step === undefined ? toIsoTime(timeMs).slice(0, 10) : `${Math.floor(ago / step[1])} ${step[2]} ago`
}

/** A time in UTC, to the second: `2011-05-03T21:56:46Z`; `unknown` for what is not a time. */
export const toIsoTime = (timeMs: number): string =>
  Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z') : 'unknown'

/** Permission bits as `ls` shows them: `drwxr-xr-x`, with `s` and `t` for the special bits. */
export const toPermissionText = (permission: number, isDirectory: boolean): string => {
  const triple = (shift: number, special: number, letter: string): string => {
    const bits = permission >> shift
    const execute = (bits & 1) === 1
    const isSpecial = (permission & special) !== 0
    const last = isSpecial ? (execute ? letter : letter.toUpperCase()) : execute ? 'x' : '-'
    return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${last}`
  }
  return `${isDirectory ? 'd' : '-'}${triple(6, 0o4000, 's')}${triple(3, 0o2000, 's')}${triple(0, 0o1000, 't')}`
}
