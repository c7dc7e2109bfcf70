import type { Logger } from '../../log/log.ts'
import { startInterval } from '../../runtime/timers.ts'
import { firstOpenHour, hourMs } from '../closed-hour.ts'
import type { MergedHour, PassFailure, PassScope } from './news.ts'
import { createPassTally, describeFailures, type PassSums } from './pass-tally.ts'
import { type Pass, runPass, type StartPassProcess } from './run-pass.ts'

/** Of the settings, as they are now. */
export type HourlySettings = Pick<PassScope, 'merges' | 'retention' | 'afterMs' | 'targetBytes'>

export type HourlyCompactionOptions = {
  readonly settings: () => HourlySettings
  readonly startProcess: StartPassProcess
  readonly now: () => number
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn'>
}

/** What was done since the start, and what the newest pass found. */
export type CompactionFigures = PassSums & {
  readonly merges: boolean
  readonly isRunning: boolean
  readonly passes: number
  /** When the last pass was over, in ms since the epoch; 0 before. */
  readonly lastPassAt: number
  readonly lastPassSeconds: number
  /** When the next pass is due, in ms since the epoch; 0 where there is nothing for one to do. */
  readonly nextPassAt: number
  /** The hours that were merged last, the newest first. */
  readonly latest: readonly MergedHour[]
  /** Closed hours with files to merge that the newest pass has found, and not merged yet. */
  readonly waitingHours: number
  /** What failed in the last pass: the first ones. */
  readonly failing: readonly PassFailure[]
}

/** Merges the files of closed hours, and removes rows beyond their retention, once an hour. */
export type HourlyCompaction = {
  readonly figures: () => CompactionFigures
  /** What failed in the last pass, for people; empty where nothing did. */
  readonly problem: () => string
  /** From now on it looks every minute whether a pass is due. */
  start(): void
  /** Looks whether a pass is due, or is no longer to be: the settings may be others. */
  look(): void
  /** Ends the pass that is under way, for good: the next server finds what is left. */
  stop(): void
}

/** Between two looks whether a pass is due. */
const lookMs = 60_000

const noFigures = { passes: 0, lastPassAt: 0, lastPassSeconds: 0 }

export const createHourlyCompaction = (options: HourlyCompactionOptions): HourlyCompaction => {
  const { settings, startProcess, now, log } = options
  let pass: Pass | undefined
  /** For the hour before which the newest pass was begun. */
  let begunFor: number | undefined
  /** What the newest pass is to do. */
  let task: string | undefined
  let last = noFigures
  let isStopped = false
  const tally = createPassTally(log)

  const begin = (wanted: HourlySettings): void => {
    const since = now()
    const lastOnes = tally.failing.flatMap(({ table }) => table ?? [])
    const counting = tally.begin()
    const begun = runPass(startProcess, { ...wanted, last: lastOnes }, counting.onNews)
    pass = begun
    void begun.ended.then(() => {
      if (pass !== begun) return
      pass = undefined
      last = { passes: last.passes + 1, lastPassAt: now(), lastPassSeconds: Math.max(0, now() - since) / 1_000 }
      counting.end(last.lastPassSeconds)
    })
  }
  const stop = (): void => {
    const ending = pass
    pass = undefined
    ending?.stop()
  }
  const look = (): void => {
    if (isStopped) return
    const wanted = settings()
    // One that runs would remove what is to stay by now.
    if (task !== toTask(wanted)) {
      stop()
      begunFor = undefined
      task = toTask(wanted)
    }
    if (!hasWork(wanted)) {
      tally.forget()
      return
    }
    const open = firstOpenHour(now(), wanted.afterMs)
    // One that lasts longer than an hour is followed by the next.
    if (pass || open === begunFor) return
    begunFor = open
    begin(wanted)
  }
  const nextPassAt = (wanted: HourlySettings): number => {
    if (isStopped || !hasWork(wanted)) return 0
    const open = firstOpenHour(now(), wanted.afterMs)
    return (open === begunFor ? open + 1 : open) * hourMs + wanted.afterMs
  }
  let timer: NodeJS.Timeout | undefined
  return {
    start: () => {
      timer = startInterval(look, lookMs)
      timer.unref()
    },
    figures: () => ({
      merges: settings().merges,
      isRunning: pass !== undefined,
      ...last,
      nextPassAt: nextPassAt(settings()),
      latest: tally.latest,
      waitingHours: tally.waitingHours,
      ...tally.total,
      failing: tally.failing,
    }),
    problem: () => describeFailures(tally.failing),
    look,
    stop: () => {
      isStopped = true
      clearInterval(timer)
      stop()
    },
  }
}

const hasWork = ({ merges, retention }: HourlySettings): boolean => merges || retention.size > 0

const toTask = ({ merges, retention }: HourlySettings): string => JSON.stringify([merges, ...retention])
