import type { Current } from '../../current.ts'
import type { Waiter } from '../../runtime/deferred.ts'
import type { Batch, RequestIdentity } from '../batch.ts'
import { invariantAlone } from '../invariants/invariants.ts'
import type { FramedBatch } from '../segment/framed-batches.ts'
import { createMark } from '../segment/segment-format.ts'
import type { RangeWaiter } from '../spool.ts'
import type { SpoolSettings } from '../spool-settings.ts'
import { createAppendFramed } from './append-framed.ts'
import { type Group, tellWaiters } from './groups.ts'
import { createLogDoor, type LogDoor } from './log-door.ts'
import { createLogFailure, type LogFailure, type LogFailureOptions } from './log-failure.ts'
import { createLogTally, type LogCounts, type LogTally } from './log-tally.ts'
import { createLogWriting } from './log-writing.ts'
import type { OpenBucket } from './open-buckets.ts'
import { createRollDue, type RollDueParts } from './period.ts'
import { createSegmentVersions } from './segment-versions.ts'
import { createSegmentWriter, type SegmentWriterOptions } from './segment-writer.ts'

export type LogOptions = Pick<
  SegmentWriterOptions,
  'disk' | 'collectorId' | 'firstSegment' | 'ack' | 'now' | 'onClosed' | 'onOpened' | 'onSync' | 'invariant'
> &
  LogFailureOptions & {
    /** See `segment-format.ts`. @default random */
    readonly mark?: Uint8Array | undefined
    /** A segment holds only what arrived between two multiples of `flushIntervalMs` since the epoch. */
    readonly settings: Current<Pick<SpoolSettings, 'maxSegmentBytes' | 'maxUncommittedEvents' | 'flushIntervalMs'>>
    readonly mayRoll?: RollDueParts['mayRoll']
    /** Takes what identifies a batch that is kept, and its events, where anything does. */
    readonly onIdentity?: ((identity: RequestIdentity) => void) | undefined
    /** Hears how many events are acknowledged. */
    readonly onKept?: ((events: number) => void) | undefined
    /** Whether events with ids have arrived before. @default false */
    readonly hasIds?: boolean | undefined
  }

/**
 * The append-only log: many requests share one `fdatasync`, and a lone one does not wait for company. While a group
 * is being synced the next one gathers.
 */
export type Log = {
  /**
   * @param waiter hears when the batch is as safe as `ack` says, never before this returns; or of `unavailable`, and then
   * it was not kept, or of `OutcomeUnknown`, when a start may find it after all
   * @throws SluiceError `unavailable`, `overloaded`, `too-large`: it was not even tried
   */
  append(batch: Batch, waiter: Waiter<void>): void
  /**
   * Appends batches of another thread, in their order. Each is kept, or refused, as if it had arrived alone; but all
   * that are kept together hear of it together.
   * @param bytes shared memory, in which they are framed with the {@link mark}
   * @param waiter hears of each batch, of refused ones before this returns; and last that the memory is free
   */
  appendFramed(bytes: Uint8Array, batches: readonly FramedBatch[], waiter: RangeWaiter): void
  /** Begins each record of all segments of this run. */
  readonly mark: Uint8Array
  /** Ends the segment of what has been appended so far; resolves when it is handed on. */
  roll(): Promise<void>
  /** The same if it holds something of another period than now. */
  rollDue(): Promise<void>
  /** Tries to write again after a failure; resolves to whether the log takes batches. */
  recover(): Promise<boolean>
  readonly failed: unknown
  /** Since the start, except for what is queued now. */
  readonly counts: Readonly<LogCounts>
  /** Events in the open segment, and when its first one arrived (0 when it is empty). */
  readonly openEvents: number
  readonly openSince: number
  /** Bytes of the open segment, with what precedes its events; 0 when it is empty. */
  readonly openBytes: number
  /** The buckets of the open segment, with the events that wait in them. */
  readonly openBuckets: Iterable<OpenBucket>
}

export const createLog = (options: LogOptions): Log => {
  const { ack, settings, now, mayRoll, onIdentity, onKept, invariant = invariantAlone } = options
  // One for all of its segments: a record is made before it is known which of them takes it.
  const mark = options.mark ?? createMark()
  const tally = createLogTally(invariant)
  const { counts } = tally
  const failure = createLogFailure(options)
  const versions = createSegmentVersions(options.hasIds ?? false)
  const door = createLogDoor(mark, versions, () => void writing.start())

  const segment = createSegmentWriter({
    ...options,
    mark,
    versions,
    onSafe: createAcknowledge({ tally, door, failure, onIdentity, onKept }),
    onUnsynced: (...why) => failure.begin(...why),
  })
  const writing = createLogWriting({ door, segment, tally, failure, settings, invariant })

  const rollDue = createRollDue({
    length: () => settings().flushIntervalMs,
    mayRoll,
    isEmpty: () => counts.queuedEvents === 0 && segment.events === 0,
    roll: () => writing.roll(),
  })

  const appendFramed = createAppendFramed({
    door,
    tally,
    failure,
    isKeptAtOnce: ack === 'memory',
    rollDue: receivedAt => void rollDue(now(), receivedAt),
  })

  return {
    counts,
    mark,
    append: (batch, waiter) => {
      failure.check()
      const clock = now()
      void rollDue(clock, batch.receivedAt)
      tally.queue(batch, door.add(batch, clock, ack === 'memory' ? nobody : waiter))
      void writing.start()
      if (ack === 'memory') queueMicrotask(() => waiter.done())
    },
    appendFramed: (...handed) => {
      appendFramed(...handed)
      void writing.start()
    },
    roll: () => writing.roll(),
    rollDue: async () => {
      await rollDue(now())
    },
    recover: async () => {
      if (failure.error === undefined) return true
      try {
        await segment.open()
        failure.retry()
      } catch (error) {
        failure.begin(error, segment.number)
      }
      return failure.error === undefined
    },
    get failed() {
      return failure.error
    },
    get openEvents() {
      return segment.held.events
    },
    get openSince() {
      return segment.held.since
    },
    get openBytes() {
      return segment.held.bytes
    },
    get openBuckets() {
      return door.buckets
    },
  }
}

/** Makes what follows when groups are as safe as `ack` says. */
const createAcknowledge =
  ({ tally, door, failure, onIdentity, onKept }: AcknowledgeParts) =>
  (groups: readonly Group[]): void => {
    for (const group of groups) {
      for (const batch of group.batches) if (batch.idempotency ?? batch.eventIds) onIdentity?.(batch)
      tally.settle(group, 'writtenEvents')
      onKept?.(group.events)
      door.recycle(group)
    }
    failure.end()
    tellWaiters(groups, waiter => waiter.done())
  }

type AcknowledgeParts = Pick<LogOptions, 'onIdentity' | 'onKept'> & {
  readonly tally: LogTally
  readonly door: LogDoor
  readonly failure: LogFailure
}

/** A client that was answered already does not hear of a failure. */
const nobody: Waiter<void> = { done: () => {}, failed: () => {} }
