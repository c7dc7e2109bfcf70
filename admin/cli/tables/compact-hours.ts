import { firstOpenHour, hourText } from '../../../src/compaction/closed-hour.ts'
import type { CompactOptions } from '../../../src/compaction/compact-hour.ts'
import type { CompactionPlan } from '../../../src/compaction/plan-compaction.ts'
import type { LoadedTable } from '../../../src/tables/catalog.ts'
import { usageError } from '../command/failure.ts'
import { parseTime } from '../files/moment.ts'

const hourMs = 3_600_000

/** An hour is closed so long after its end: its last files may still be on their way. */
export const closedAfterMs = 10 * 60_000

/** What became, or would become, of the files of an hour. */
export type HourRow = {
  readonly hour: string
  readonly files: number
  readonly becomes: number
  readonly rows: number
  /** Rows that were dropped; 0 as long as that is not known. */
  readonly repeats: number
  readonly bytes: number
}

/** The closed hours between two times, which `parseTime` knows, as numbers of hours since the epoch. @throws CliError `usage` */
export const toHours = (from: string | undefined, to: string | undefined, now: number) => {
  const start = from === undefined ? Number.NEGATIVE_INFINITY : parseTime(from, now)
  if (to !== undefined && start > parseTime(to, now)) throw usageError('--from is later than --to')
  const end = to === undefined ? now : parseTime(to, now)
  const open = firstOpenHour(now, closedAfterMs)
  return { from: Math.ceil(start / hourMs), to: Math.min(open, Math.floor(end / hourMs)) }
}

/** What would become of each hour. */
export const toPlannedRows = ({ hours }: CompactionPlan, targetBytes: number): HourRow[] =>
  hours.map(({ hour, files }) => {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    const becomes = Math.max(1, Math.round(bytes / targetBytes))
    return { hour: hourText(hour), files: files.length, becomes, rows, repeats: 0, bytes }
  })

export type CompactedHours = { readonly done: readonly HourRow[]; readonly left: readonly string[] }

/** Compacts one hour after the other. @param onRows rows that are done, of all, and the hour */
export const compactHours = async (
  options: Omit<CompactOptions, 'onRows'>,
  table: LoadedTable,
  { hours }: CompactionPlan,
  onRows: (rows: number, total: number, hour: string) => void,
): Promise<CompactedHours> => {
  const { compactHour } = await import('../../../src/compaction/compact-hour.ts')
  const total = hours.reduce((sum, { files }) => files.reduce((all, { rows }) => all + rows, sum), 0)
  const done: HourRow[] = []
  const left: string[] = []
  let handled = 0
  for (const plan of hours) {
    const hour = hourText(plan.hour)
    const onHourRows = (rows: number): void => {
      // Each row is read, and written.
      handled += rows / 2
      onRows(Math.floor(handled), total, hour)
    }
    options.signal?.throwIfAborted()
    const found = await compactHour({ ...options, onRows: onHourRows }, table, plan)
    for (const reason of [...found.left, ...found.overtaken]) left.push(`${hour}: ${reason}`)
    const { filesBefore: files, filesAfter: becomes, rows, repeats, bytesAfter: bytes } = found
    if (files > 0) done.push({ hour, files, becomes, rows, repeats, bytes })
  }
  return { done, left }
}
