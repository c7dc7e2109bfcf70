import { usageError } from './failure.ts'

const unitsMs: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** A span of time such as `90s`, `10min`, `6h` or `1d`, in ms. @throws CliError `usage` */
export const parseTimeSpan = (text: string): number => {
  const [, count = '', unit = ''] = /^(\d{1,6})\s*([a-z]+)$/.exec(text.trim()) ?? []
  const unitMs = unitsMs.get(unit)
  if (unitMs === undefined || Number(count) === 0)
    throw usageError(`${text.slice(0, 40)} is not a duration`, 'Give one such as 90s, 10min, 6h or 1d.')
  return Number(count) * unitMs
}
