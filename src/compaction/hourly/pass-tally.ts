import type { Logger } from '../../log/log.ts'
import { hourText } from '../closed-hour.ts'
import type { MergedHour, PassFailure, PassNews, RemovedRows } from './news.ts'

/** What passes have done. */
export type PassSums = {
  readonly hours: number
  /** Files that became others. */
  readonly files: number
  /** Files that took their place. */
  readonly newFiles: number
  /** Before. */
  readonly rows: number
  /** Of them those that repeated an event of another row. */
  readonly repeats: number
  readonly savedBytes: number
  /** What went because it was beyond its retention. */
  readonly removedHours: number
  readonly removedFiles: number
  readonly removedRows: number
  readonly removedBytes: number
  readonly failures: number
}

/** Counts and logs what passes say. */
export type PassTally = {
  /** Since the start. */
  readonly total: PassSums
  /** The hours that were merged last, the newest first; the first ones. */
  readonly latest: readonly MergedHour[]
  /** Closed hours with files to merge, by the newest pass. */
  readonly waitingHours: number
  /** Of the last pass that is over: the first ones. */
  readonly failing: readonly PassFailure[]
  begin(): { readonly onNews: (news: PassNews) => void; readonly end: (seconds: number) => void }
  /** What fails, and what waits: no further pass would tell. */
  forget(): void
}

/** Failures that are kept, and logged, of a pass. */
const maxFailures = 20
const maxLatest = 20

const noSums: PassSums = {
  hours: 0,
  files: 0,
  newFiles: 0,
  rows: 0,
  repeats: 0,
  savedBytes: 0,
  removedHours: 0,
  removedFiles: 0,
  removedRows: 0,
  removedBytes: 0,
  failures: 0,
}

export const createPassTally = (log: Pick<Logger, 'debug' | 'info' | 'warn'>): PassTally => {
  let total = noSums
  let failing: readonly PassFailure[] = []
  let latest: readonly MergedHour[] = []
  const waiting = new Map<string, number>()

  const begin: PassTally['begin'] = () => {
    const before = total
    let sums = noSums
    const failed: PassFailure[] = []
    const add = (more: Partial<PassSums>): void => {
      sums = sumOf(sums, more)
      total = sumOf(before, sums)
    }
    waiting.clear()
    return {
      onNews: news => {
        if (news.kind === 'waits') waiting.set(news.table, news.hours)
        else if (news.kind === 'removed') {
          const { hours, files, rows, bytes } = news
          add({ removedHours: hours, removedFiles: files, removedRows: rows, removedBytes: bytes })
          // The audit of what no user asked for.
          log.info(toAuditFields(news), 'retention')
        } else if (news.kind === 'merged') {
          const { kind: _, ...merged } = news
          const { filesBefore: files, filesAfter: newFiles, rows, repeats } = merged
          add({ hours: 1, files, newFiles, rows, repeats, savedBytes: savedBy(merged) })
          latest = [merged, ...latest].slice(0, maxLatest)
          // Their snapshot says it, too; the one before has them.
          if (repeats > 0) log.info({ table: news.table, hour: hourText(news.hour), rows, repeats }, 'repeats')
        } else if (news.kind === 'failed') {
          add({ failures: 1 })
          if (failed.length === maxFailures) return
          const { table, hour, reason } = news
          failed.push({ table, hour, reason })
          log.warn(toFields(news), 'files of a table stay as they were; the next pass will retry')
        }
      },
      end: seconds => {
        failing = failed
        const fields = { ...sums, seconds }
        const done = describeDone(sums)
        if (done !== '' || sums.failures > 0) log.info(fields, done || 'no file of a table is merged or removed')
        else log.debug(fields, 'no table has files to merge, or to remove')
      },
    }
  }
  return {
    get total() {
      return total
    },
    get waitingHours() {
      return waiting.values().reduce((sum, hours) => sum + hours, 0)
    },
    get failing() {
      return failing
    },
    get latest() {
      return latest
    },
    begin,
    forget: () => {
      failing = []
      waiting.clear()
    },
  }
}

/** For people; empty where nothing was done. */
const describeDone = ({ hours, removedHours }: PassSums): string => {
  const removed = removedHours > 0 ? 'rows of tables beyond their retention are removed' : ''
  const merged = hours > 0 ? 'the files of closed hours of tables are merged' : ''
  return [merged, removed].filter(one => one !== '').join(', and ')
}

/** Bytes that the files of an hour have less than before. */
const savedBy = ({ bytesBefore, bytesAfter }: MergedHour): number => Math.max(0, bytesBefore - bytesAfter)

const sumOf = (sums: PassSums, more: Partial<PassSums>): PassSums => ({
  hours: sums.hours + (more.hours ?? 0),
  files: sums.files + (more.files ?? 0),
  newFiles: sums.newFiles + (more.newFiles ?? 0),
  rows: sums.rows + (more.rows ?? 0),
  repeats: sums.repeats + (more.repeats ?? 0),
  savedBytes: sums.savedBytes + (more.savedBytes ?? 0),
  removedHours: sums.removedHours + (more.removedHours ?? 0),
  removedFiles: sums.removedFiles + (more.removedFiles ?? 0),
  removedRows: sums.removedRows + (more.removedRows ?? 0),
  removedBytes: sums.removedBytes + (more.removedBytes ?? 0),
  failures: sums.failures + (more.failures ?? 0),
})

const toAuditFields = ({ table, from, to, days, hours, files, rows, bytes, snapshotId }: RemovedRows) => ({
  table,
  // The first hour, and the last one.
  from: hourText(from),
  to: hourText(to - 1),
  days,
  hours,
  files,
  rows,
  bytes,
  snapshot: String(snapshotId),
})

const toFields = ({ table, hour, reason }: PassFailure) => ({
  ...(table === undefined ? {} : { table }),
  ...(hour === undefined ? {} : { hour: hourText(hour) }),
  reason,
})

/** For people; empty where nothing failed. */
export const describeFailures = ([first, ...others]: readonly PassFailure[]): string => {
  if (!first) return ''
  const { table, hour, reason } = toFields(first)
  const about = [table, hour].filter(one => one !== undefined).join(' ')
  return `${about === '' ? '' : `${about}: `}${reason}${others.length === 0 ? '' : ` (and ${others.length} more)`}`
}
