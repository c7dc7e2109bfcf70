// node-only: its spool
import { requireText } from '../required.ts'
import { type BackoffOptions, createBackoff } from './backoff.ts'
import { createDelivery, type RejectedEvent } from './delivery.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { Sender } from './sender.ts'
import { createSpool, type SpoolOptions } from './spool.ts'

/** The options of a tracker. */
export type TrackerOptions<Event> = Partial<
  Pick<SpoolOptions, 'maxBatchEvents' | 'maxBatchBytes' | 'maxBatchAgeMs' | 'durability' | 'schedule'>
> & {
  /** The way to the server: `createPostSender`, `createGetSender` or `createScribeSender`. */
  readonly sender: Sender<Event>
  /** Where events wait; one tracker at a time. Made when it is not there. */
  readonly directory: string
  /** Most bytes that wait there; `track` refuses what goes beyond. @default 1 GiB */
  readonly maxSpoolBytes?: number
  /** Longest record of one event, in bytes. @default 1 MiB */
  readonly maxEventBytes?: number
  /**
   * An event that the server refused for good, and will not be sent again. After a crash it may be reported twice.
   * @default a line on the console, at most one in a minute, with code and count
   */
  readonly onRejected?: (rejected: RejectedEvent) => void
  /** Something failed temporarily, or damaged the spool; events continue to wait. */
  readonly onError?: (error: Error) => void
  /** Longest time that `close` sends. @default 8 000 */
  readonly closeTimeoutMs?: number
  readonly backoff?: BackoffOptions
  /** @default Date.now */
  readonly now?: () => number
}

/** What a tracker has done since it was created. */
export type TrackerStats = {
  readonly tracked: number
  /** Events that the server took, recovered ones included. */
  readonly accepted: number
  readonly rejected: number
  /** Attempts that have to be made again. */
  readonly retries: number
  /** What waits on disk; the batch that is still open counts as bytes only. */
  readonly waitingBatches: number
  readonly waitingBytes: number
}

/** Takes events, keeps them on disk, and sends them in batches until the server has them. */
export type Tracker<Event> = {
  /**
   * Resolves when the event is on disk.
   * @throws TypeError, RangeError an event that cannot be sent; SpoolFull; Error when the disk fails or after `close`
   */
  track(event: Event): Promise<void>
  /** Sends what waits now, and resolves when nothing does, or when the server is unavailable: then `waitingBatches` is not 0. */
  flush(): Promise<TrackerStats>
  stats(): TrackerStats
  /** Refuses new events, tries once to send the rest; what remains is sent by the next tracker on this directory. */
  close(): Promise<TrackerStats>
  [Symbol.asyncDispose](): Promise<void>
}

const defaults = {
  maxBatchEvents: 1_000,
  maxBatchBytes: 1 << 20,
  maxBatchAgeMs: 1_000,
  durability: 'fsync',
} as const

/** Opens the spool, recovers what an earlier tracker left there, and begins to send it. @throws SpoolInUse, Error */
export const createTracker = async <Event>(options: TrackerOptions<Event>): Promise<Tracker<Event>> => {
  const { sender, directory, maxSpoolBytes = 1 << 30, maxEventBytes = 1 << 20, closeTimeoutMs = 8_000 } = options
  const { now = Date.now, schedule = later, onError = () => {} } = options
  requireText(directory, 'directory of the tracker', 'the path of one where events wait')
  if (typeof sender?.encode !== 'function')
    throw new TypeError('The sender of the tracker is missing; expected that of createPostSender, for example')
  const refusals = createRefusalLog(now)
  const { onRejected = refusals.record } = options
  const spool = await createSpool({
    ...defaults,
    ...options,
    form: sender.form,
    directory,
    maxBytes: maxSpoolBytes,
    schedule,
    onReady: () => delivery.wake(),
  })
  const backoff = createBackoff(options.backoff)
  const delivery = createDelivery({ spool, sender, backoff, schedule, onRejected, onError })
  let tracked = 0
  let closed: Promise<TrackerStats> | undefined
  const stats = (): TrackerStats => ({
    tracked,
    ...delivery.counts(),
    waitingBatches: spool.batches,
    waitingBytes: spool.bytes,
  })
  const close = async (): Promise<TrackerStats> => {
    await spool.seal().catch((error: Error) => onError(error))
    await delivery.close(closeTimeoutMs)
    refusals.end()
    await spool.close()
    sender.close()
    return stats()
  }
  delivery.wake()
  return {
    track: async event => {
      if (closed !== undefined) throw new Error('Cannot track an event: the tracker is closed')
      const record = sender.encode(event, now())
      if (record.length > maxEventBytes) {
        throw new RangeError(`Cannot track an event of ${record.length} bytes: ${maxEventBytes} are allowed`)
      }
      await spool.append(record)
      tracked++
    },
    flush: async () => {
      await spool.seal()
      await delivery.flush()
      return stats()
    },
    stats,
    close: () => {
      closed ??= close()
      return closed
    },
    [Symbol.asyncDispose]: async () => {
      closed ??= close()
      await closed
    },
  }
}

/** A timer that does not keep the process alive: what waits is on disk. */
const later = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
