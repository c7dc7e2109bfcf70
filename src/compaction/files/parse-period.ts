import { hourMs } from '../closed-hour.ts'

/** Hours since the epoch: from one on, up to another one. */
export type Period = { readonly from: number; readonly to: number }

/** The hours that the directory of a file names, as the layouts of the collector do; undefined where it names none. */
export const parsePeriod = (directory: string): Period | undefined => {
  const [, hiveDay, hiveHour] = /\/dt=(\d{4}-\d\d-\d\d)(?:\/hour=(\d\d))?$/.exec(directory) ?? []
  if (hiveDay !== undefined) return toPeriod([...hiveDay.split('-'), ...(hiveHour === undefined ? [] : [hiveHour])])
  const [, dated] = /\/(\d{4}(?:\/\d\d){0,4})$/.exec(directory) ?? []
  return dated === undefined ? undefined : toPeriod(dated.split('/'))
}

/** @param parts year, month and so on, down to minutes */
const toPeriod = (parts: readonly string[]): Period | undefined => {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts.map(Number)
  const at = (...more: readonly number[]): number => {
    const [years = 0, months = 0, days = 0, hours = 0] = more
    return Date.UTC(year + years, month - 1 + months, day + days, hour + hours, minute)
  }
  const start = at()
  // `2026/13/40` is no date, and so the names say nothing.
  const iso = Number.isNaN(start) ? '' : new Date(start).toISOString()
  if (parts.join('-') !== iso.slice(0, 4 + 3 * (parts.length - 1)).replaceAll(/[T:]/g, '-')) return undefined
  const ends = [at(1), at(0, 1), at(0, 0, 1), at(0, 0, 0, 1), start + 60_000]
  const end = ends[parts.length - 1] ?? start
  return { from: Math.floor(start / hourMs), to: Math.ceil(end / hourMs) }
}
