import type { Backoff } from './backoff.ts'
import type { Outcome, RejectedRecord, Rejection, Sender } from './sender.ts'
import type { BatchFile, Spool, SpoolOptions } from './spool.ts'
import { toKey } from './spool-file.ts'

/** Events that the server refused for good. */
export type RejectedEvent = Rejection & {
  /** As sent; undefined if the server reported only how many there are. */
  readonly event: unknown
  /** How many this is about: 1 with an `event`. */
  readonly count: number
}

export type DeliveryOptions = {
  readonly spool: Spool
  readonly sender: Pick<Sender<never>, 'send' | 'describe'>
  readonly backoff: Backoff
  readonly schedule: SpoolOptions['schedule']
  readonly onRejected: (rejected: RejectedEvent) => void
  readonly onError: (error: Error) => void
}

/** Sends batches in order, one at a time; after a failure it pauses, and retries the oldest. */
export type Delivery = {
  /** Something waits. During a pause nothing happens. */
  wake(): void
  /** Tries at once, pause or not; resolves when nothing waits, or at the next failure. */
  flush(): Promise<void>
  counts(): { readonly accepted: number; readonly rejected: number; readonly retries: number }
  /** One last try, cut off after the time. */
  close(timeoutMs: number): Promise<void>
}

export const createDelivery = (options: DeliveryOptions): Delivery => {
  const { spool, sender, backoff, onError } = options
  const abort = new AbortController()
  let running: Promise<void> | undefined
  let cancelPause = (): void => {}
  let isPaused = false
  let isClosed = false
  let accepted = 0
  let rejected = 0
  let retries = 0
  /** Records of the oldest batch that are settled: those senders that have no keys count them. */
  let done = 0

  const reject = (rejection: RejectedEvent): void => {
    rejected += rejection.count
    try {
      options.onRejected(rejection)
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const rejectRecords = (records: readonly Uint8Array[], refused: readonly RejectedRecord[]): void => {
    for (const { index, code, detail } of refused) {
      const record = records[index]
      reject({ event: record === undefined ? undefined : sender.describe(record), count: 1, code, detail })
    }
  }

  /** Acts on an outcome; false ends the run. */
  const settle = async (batch: BatchFile, records: readonly Uint8Array[], outcome: Outcome): Promise<boolean> => {
    if (outcome.kind === 'retry') {
      const before = done
      done = outcome.done ?? done
      const refused = outcome.rejected ?? []
      accepted += done - before - refused.length
      rejectRecords(records, refused)
      if (done > before) backoff.reset()
      retries++
      pause(outcome.afterMs, outcome.error)
      return false
    }
    backoff.reset()
    if (outcome.kind === 'too-large' && records.length > 1) {
      await spool.split(batch, records)
      return true
    }
    const { refused, unlisted } = toRefused(outcome, records.length)
    // Reported before the batch is removed: a crash in between reports it twice, but never not at all.
    rejectRecords(records, refused)
    if (unlisted > 0) {
      const detail = `The server refused ${unlisted} more events, and does not say which`
      reject({ event: undefined, count: unlisted, code: 'unlisted', detail })
    }
    await spool.remove(batch)
    accepted += records.length - done - refused.length - unlisted
    done = 0
    return true
  }
  const pause = (afterMs: number | undefined, error: Error): void => {
    onError(error)
    isPaused = true
    if (!isClosed) cancelPause = options.schedule(backoff.next(afterMs), run)
  }
  const drain = async (): Promise<void> => {
    for (let batch = spool.next(); batch !== undefined && !abort.signal.aborted; batch = spool.next()) {
      const { records, isDamaged } = await spool.read(batch)
      if (isDamaged) onError(new Error(`The spool is damaged: ${batch.path} is sent up to event ${records.length}`))
      if (records.length === 0) {
        await spool.remove(batch)
        continue
      }
      const attempt = { key: toKey(batch.name), from: done, signal: abort.signal }
      if (!(await settle(batch, records, await sender.send(records, attempt)))) return
    }
  }
  const run = (): void => {
    if (running !== undefined) return
    cancelPause()
    isPaused = false
    running = drain()
      .catch((error: Error) => pause(undefined, error))
      .finally(() => {
        running = undefined
        // What came in just when nothing was left.
        if (!isPaused && !abort.signal.aborted && spool.next() !== undefined) run()
      })
  }
  const flush = async (): Promise<void> => {
    run()
    while (running !== undefined) await running
  }
  return {
    wake: () => {
      if (!isPaused) run()
    },
    flush,
    counts: () => ({ accepted, rejected, retries }),
    close: async timeoutMs => {
      isClosed = true
      const cancel = options.schedule(timeoutMs, () => abort.abort(new Error('The tracker is closing')))
      await flush()
      cancel()
      cancelPause()
    },
  }
}

const toRefused = (
  outcome: Exclude<Outcome, { kind: 'retry' }>,
  count: number,
): { readonly refused: readonly RejectedRecord[]; readonly unlisted: number } => {
  if (outcome.kind === 'settled') return { refused: outcome.rejected, unlisted: outcome.unlisted ?? 0 }
  const { code, detail } = outcome.kind === 'refused' ? outcome : tooLarge
  return { refused: Array.from({ length: count }, (_, index) => ({ index, code, detail })), unlisted: 0 }
}

const tooLarge: Rejection = { code: 'too-large', detail: 'The server does not take an event so large' }
