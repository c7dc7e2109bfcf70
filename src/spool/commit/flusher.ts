import type { FileRecord } from '../files/bucket-file.ts'
import type { Stages } from '../heartbeat/stages.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isCarrying } from '../ledger/ledger-state.ts'
import { type CarrierOptions, type CommitStats, createCarrier, type PassReport } from './carry-file.ts'
import { createRetryPause } from './retry-pause.ts'

/** Files under way at once: enough to hide round trips, few enough to keep the oldest first. */
const concurrency = 4

export type FlusherOptions = Pick<CarrierOptions, 'context' | 'moves' | 'log' | 'invariant' | 'stats'> & {
  readonly ledger: Ledger
  readonly random: () => number
  readonly stages: Pick<Stages, 'away' | 'commit'>
}

/** Files whose oldest event was kept by then (ms since the epoch), whether flushing is enabled or not. */
export type LeftBelow = { readonly before: number }

/** What a flush did; `failures` counts files, and segments of which none could be made. */
export type FlushReport = { readonly files: number; readonly bytes: number; readonly failures: number }

/** Carries sealed files to the file system, oldest first. */
export type Flusher = {
  /**
   * Commits what waits. Stops, and backs off, when the file system is unavailable; stops when flushing is disabled meanwhile,
   * unless the spool is drained or left-below files are asked for. Concurrent calls share one pass.
   */
  flush(all?: LeftBelow): Promise<FlushReport>
  /** Whether the pause after a failed pass is over, if there was one. */
  readonly isDue: boolean
  /** Ends the pause: a caller waits. */
  hurry(): void
  /** Whether the last pass failed. */
  readonly hasFailed: boolean
  /** Whether files wait because of that. */
  readonly isStuck: boolean
  readonly stats: Readonly<CommitStats>
}

export const createFlusher = (options: FlusherOptions): Flusher => {
  const { context, stats, moves, log, invariant, ledger, random, stages } = options
  const { signal, now } = context
  const carry = createCarrier({ context, moves, outage: stages.commit, log, stats, invariant })
  const pause = createRetryPause({ now, random, isDrained: () => ledger.state.drained })
  let running: Promise<FlushReport> | undefined
  let hasFailed = false

  /** What is yet to be made again cannot be sent; what became of a RENAME is found out without it. */
  const isHeld = ({ file, state }: FileRecord): boolean => state.at !== 'moving' && context.isUnmade?.(file) === true

  /** Carries what waits; resolves to whether all of it went. */
  const carryAll = async (all: LeftBelow | undefined, report: PassReport): Promise<{ ok: boolean; tried: number }> => {
    // One for all workers: each file is taken once, in the state that it has by then.
    const queue = ledger.state.files.waiting()
    let ok = true
    let tried = 0
    const worker = async (): Promise<void> => {
      for (const next of unclosed(queue)) {
        if (!ok || (all === undefined && !isCarrying(ledger.state))) return
        if ((all !== undefined && next.file.oldest > all.before) || isHeld(next)) continue
        tried++
        ok = (await carry(next, report)) && ok
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return { ok, tried }
  }

  const pass = async (all: LeftBelow | undefined): Promise<FlushReport> => {
    const report: PassReport = { files: 0, events: 0, bytes: 0, failures: 0 }
    const { ok, tried } = await carryAll(all, report)
    const { away, ...flushed } = report
    if (flushed.files > 0) log.info(flushed, 'files committed')
    if (away !== undefined) stages.away.failed(away.message)
    // A refusal is an answer too.
    else if (tried > 0 && !signal.aborted) stages.away.worked()
    if (ok && tried > 0) stages.commit.worked()
    hasFailed = !ok
    if (ok) pause.end()
    else pause.begin()
    return flushed
  }

  return {
    stats,
    flush: all => {
      running ??= pass(all).finally(() => {
        running = undefined
      })
      return running
    },
    get isDue() {
      return pause.isOver
    },
    hurry: () => pause.end(),
    get hasFailed() {
      return hasFailed
    },
    get isStuck() {
      return hasFailed && ledger.state.files.figures.waiting.files > 0
    },
  }
}

/** The rest of a generator that others read as well: leaving a loop over it does not end it. */
function* unclosed(rest: Generator<FileRecord, void, undefined>): Generator<FileRecord, void, undefined> {
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}
