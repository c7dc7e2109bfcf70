import { OutcomeUnknown, SluiceError } from '../errors.ts'
import { nextTurn } from '../next-turn.ts'
import type { Batch, KeptKey } from './batch.ts'
import type { AppendFile, Disk } from './disk/disk.ts'
import { encodeHeader } from './format-header.ts'
import { createGroups, type Group } from './groups.ts'
import type { SegmentFacts } from './ledger-entry.ts'
import { createOpenBuckets, type OpenBucket } from './open-buckets.ts'
import { type ClosedSegment, segmentPath } from './segment-files.ts'

/** What a 202 stands for: synced to disk, handed to the operating system, or taken into memory. */
export type Ack = 'fsync' | 'written' | 'memory'

/** So long, in ms, a group waits while more and more requests come. */
const gatherMs = 2

export type LogOptions = {
  readonly disk: Disk
  readonly collectorId: string
  /** Number of the first segment; larger than any that was ever used. */
  readonly firstSegment: number
  readonly ack: Ack
  readonly maxSegmentBytes: number
  readonly maxSegmentEvents: number
  /** In ms: a segment holds only what came between two multiples of it since the epoch. */
  readonly rollEveryMs: number
  /** Whether a segment ends there; the one that does not ends as soon as it may. @default always */
  readonly mayRoll?: () => boolean
  readonly now: () => number
  /**
   * Takes a segment that is full, old or broken. Its promise holds intake back: a failed segment's end must be safe. It
   * rejects when that could not be made so.
   */
  readonly onClosed: (segment: ClosedSegment, facts: SegmentFacts) => Promise<void>
  /** A segment's name is safe: from now on it must not be gone. */
  readonly onOpened?: (segment: number) => void
  readonly onSync?: (ms: number) => void
  /** Takes the idempotency key of a batch that is kept. */
  readonly onKey?: (key: KeptKey) => void
}

type Segment = {
  readonly number: number
  readonly file: AppendFile
  readonly openedAt: number
  /** Bytes of requests that were acknowledged, with what stands before them. */
  length: number
  events: number
  synced: boolean
}

/** Events and bytes on their way into the log, in it, refused because a write failed, and of which nobody knows. */
export type LogCounts = {
  queuedEvents: number
  queuedBytes: number
  writtenEvents: number
  writtenBytes: number
  erroredEvents: number
  unknownEvents: number
}

/**
 * The append-only log: many requests share one `fdatasync`, and a lone one does not wait for company. While a group
 * is being synced the next one gathers.
 */
export type Log = {
  /**
   * Resolves when the batch is as safe as `ack` says; rejects with `unavailable`, and then it was not kept, or with
   * `OutcomeUnknown`, when a start may find it after all.
   * @throws SluiceError `unavailable`, `overloaded`, `too-large`: it was not even tried
   */
  append(batch: Batch): Promise<void>
  /** Ends the segment of what has been appended so far; resolves when it is handed on. */
  roll(): Promise<void>
  /** The same if it holds something of another period than now. */
  rollDue(): Promise<void>
  /** Tries to write again after a failure; resolves to whether the log takes batches. */
  recover(): Promise<boolean>
  readonly failed: unknown
  /** Since the start, except for what is queued now. */
  readonly counts: Readonly<LogCounts>
  /** Events in the open segment, and when its first one came (0 when it is empty). */
  readonly openEvents: number
  readonly openSince: number
  /** The buckets of the open segment, with the events that wait in them. */
  readonly openBuckets: Iterable<OpenBucket>
}

export const createLog = (options: LogOptions): Log => {
  const { disk, ack, now } = options
  const counts: LogCounts = {
    queuedEvents: 0,
    queuedBytes: 0,
    writtenEvents: 0,
    writtenBytes: 0,
    erroredEvents: 0,
    unknownEvents: 0,
  }
  const groups = createGroups()
  let segment: Segment | undefined
  let nextNumber = options.firstSegment
  let buckets = createOpenBuckets()
  let failed: unknown
  /** Where the period of `rollEveryMs` begins and ends, ms since the epoch. */
  let periodFrom = 0
  let periodTo = 0
  let periodMs = options.rollEveryMs
  let running: Promise<void> | undefined

  const open = async (): Promise<Segment> => {
    const number = nextNumber++
    const file = await disk.create(segmentPath(number))
    try {
      const header = encodeHeader('segment', { collector: options.collectorId, segment: number })
      const length = await file.append(header)
      // The entry must be as safe as what is written behind it.
      if (ack === 'fsync') {
        await disk.fsyncDir('log')
        options.onOpened?.(number)
      }
      return { number, file, openedAt: now(), length, events: 0, synced: false }
    } catch (error) {
      // Tried again and again while the disk is full: neither the file nor its descriptor may stay.
      await file.close().catch(() => {})
      await disk.unlink(segmentPath(number)).catch(() => {})
      throw error
    }
  }

  /** Hands the current segment on. A broken one ends at its last acknowledged byte. */
  const retire = async (broken: boolean): Promise<void> => {
    const old = segment
    segment = undefined
    buckets = createOpenBuckets()
    for (const { batches } of groups.newest) for (const batch of batches) buckets.claim(batch)
    if (!old) return
    let isWhole = !broken
    if (isWhole && !old.synced) {
      await old.file.fdatasync().catch(error => {
        isWhole = false
        failed = error
      })
    }
    await old.file.close().catch(() => {})
    await options.onClosed({ number: old.number, ...(isWhole ? {} : { end: old.length }) }, old)
  }

  const write = async (taken: readonly Group[]): Promise<void> => {
    segment ??= await open()
    const current = segment
    for (const { fill } of taken) await fill?.()
    current.synced = false
    const started = performance.now()
    const appends = taken.map(group => current.file.append(group.bytes.subarray(0, group.length)))
    // Sent behind the appends without waiting for them: the file runs its calls in order, and fails after a failure.
    const receipt = ack === 'fsync' ? current.file.fdatasync() : appends[appends.length - 1]
    const [safe] = await Promise.all([receipt, ...appends])
    if (ack === 'fsync') options.onSync?.(performance.now() - started)
    current.synced = ack === 'fsync'
    const written = taken.reduce((end, group) => end + group.length, current.length)
    // All or none: a request that was answered must not be counted again as failed.
    if (safe === undefined || safe < written) throw new Error(`Segment ${current.number}: ${written} is not safe yet`)
    for (const group of taken) {
      for (const { idempotency, events } of group.batches) {
        if (idempotency) options.onKey?.({ ...idempotency, at: now() })
        current.events += events.length
        counts.queuedEvents -= events.length
        counts.writtenEvents += events.length
      }
      group.kept.resolve()
      counts.queuedBytes -= group.length
      counts.writtenBytes += group.length
      groups.recycle(group)
    }
    current.length = written
  }

  const rejectAll = (taken: readonly Group[], count: 'erroredEvents' | 'unknownEvents', reason: Error): void => {
    for (const group of taken) {
      counts.queuedBytes -= group.length
      for (const { events } of group.batches) {
        counts.queuedEvents -= events.length
        counts[count] += events.length
      }
      group.kept.reject(reason)
    }
  }

  /** A failed write or sync is never repeated: what the disk then holds is unknown (R5). The segment ends here. */
  const breakOff = async (taken: readonly Group[], error: unknown): Promise<void> => {
    failed = error
    const refusal = new SluiceError('unavailable', 'The spool could not be written; nothing of the request was kept', {
      cause: error,
    })
    try {
      // First the segment's end is made safe: a client that hears 503 may send the same again.
      await retire(true)
      rejectAll(taken, 'erroredEvents', refusal)
    } catch (cause) {
      failed = cause
      const message = 'A write to the spool failed, and what it left could not be cut off'
      rejectAll(taken, 'unknownEvents', new OutcomeUnknown(message, { cause: error }))
    }
    // Nothing of these was written.
    rejectAll(groups.takeAll(), 'erroredEvents', refusal)
  }

  /**
   * Until the turn of the event loop is over, so that requests which have arrived together share a group; and for some
   * more turns while each brings some: a sync costs as much as several requests.
   */
  const gather = async (): Promise<void> => {
    const until = performance.now() + gatherMs
    let events: number
    do {
      events = counts.queuedEvents
      await nextTurn()
    } while (counts.queuedEvents > events && performance.now() < until)
  }

  const run = async (): Promise<void> => {
    do {
      await gather()
      const { groups: taken, endsSegment } = groups.take()
      try {
        if (taken.length > 0) await write(taken)
      } catch (error) {
        await breakOff(taken, error)
        continue
      }
      if (!endsSegment && !isFull()) continue
      // The requests are answered: a segment that cannot be handed on yet is not a failure of theirs.
      await retire(false).catch(cause => {
        failed = cause
      })
    } while (!groups.isEmpty)
    running = undefined
  }

  const isFull = (): boolean =>
    segment !== undefined && (segment.length >= options.maxSegmentBytes || segment.events >= options.maxSegmentEvents)

  const start = (): Promise<void> => {
    running ??= run()
    return running
  }

  /** What comes from now on stands in the next segment. */
  const roll = (): Promise<void> => {
    groups.cut()
    buckets = createOpenBuckets()
    return start()
  }

  /**
   * Ends the segment where the clock has left its period, forwards or backwards.
   * @param receivedAt of a request; some take time to be read, and those of the period before go with what is there
   */
  const rollDue = (clock: number, receivedAt = clock): Promise<void> | undefined => {
    if (periodMs !== options.rollEveryMs) {
      // The setting is another: the period that is under way must not go on for as long as it said before.
      periodMs = options.rollEveryMs
      periodTo = Math.min(periodTo, clock - (clock % periodMs) + periodMs)
    }
    if (receivedAt < periodTo && clock >= periodFrom) return undefined
    const isEmpty = counts.queuedEvents === 0 && (segment === undefined || segment.events === 0)
    if (!isEmpty && options.mayRoll?.() === false) return undefined
    periodFrom = receivedAt - (receivedAt % periodMs)
    periodTo = periodFrom + periodMs
    return isEmpty ? undefined : roll()
  }

  return {
    counts,
    append: batch => {
      if (failed !== undefined) throw new SluiceError('unavailable', 'The spool cannot be written', { cause: failed })
      const clock = now()
      void rollDue(clock, batch.receivedAt)
      if (!buckets.claim(batch)) {
        void roll()
        throw new SluiceError('overloaded', 'Too many different event types and dates at once; try again in a moment')
      }
      const { byteLength, kept } = groups.add(batch, clock)
      counts.queuedEvents += batch.events.length
      counts.queuedBytes += byteLength
      void start()
      if (ack !== 'memory') return kept
      // Whoever was answered already does not hear of a failure.
      kept.catch(() => {})
      return Promise.resolve()
    },
    roll,
    rollDue: async () => {
      await rollDue(now())
    },
    recover: async () => {
      if (failed === undefined) return true
      try {
        segment ??= await open()
        failed = undefined
      } catch (error) {
        failed = error
      }
      return failed === undefined
    },
    get failed() {
      return failed
    },
    get openEvents() {
      return segment?.events ?? 0
    },
    get openSince() {
      return segment && segment.events > 0 ? segment.openedAt : 0
    },
    get openBuckets() {
      return buckets.values()
    },
  }
}
