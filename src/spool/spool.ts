import type { Disk } from '../disk/disk.ts'
import type { Waiter } from '../runtime/deferred.ts'
import type { Batch, Outcome } from './batch.ts'
import type { FlushReport } from './commit/flusher.ts'
import type { DrainStatus } from './drain/drain-status.ts'
import type { StageName, Trouble } from './heartbeat/stages.ts'
import type { Tally } from './ledger/table/file-figures.ts'
import type { SchemaView } from './parquet/schema-view.ts'
import type { QuarantineDesk } from './quarantine/quarantine-desk.ts'
import type { Durability, ReplicaStatus } from './replica/replica-status.ts'
import type { FramedFacts } from './segment/framed-batches.ts'

/** An idempotency key that the spool knows, from this run or from an earlier one: it is among the latest ones. */
export type KnownKey = {
  /** Whether the first request had this fingerprint (`Batch.idempotency`). */
  matches(fingerprint: string): boolean
  /** Whether it is kept by now: while it is still being written that is not known. */
  readonly isKept: boolean
  /** The first request's outcome once it is kept; rejects when it was not kept, and the key is free again. */
  readonly outcome: Promise<Outcome>
}

/** What the spool knows of ids of events, from this run or from an earlier one: they are among the latest ones. */
export type KnownIds = {
  /** Positions of those that are kept, ascending. */
  readonly kept: readonly number[]
  /**
   * Where some are on their way in other batches: resolves when none is any more, to whether all of those were kept. The
   * ids of a batch that was not kept are free again.
   */
  readonly ahead: Promise<boolean> | undefined
}

/** Hears what becomes of batches that another thread has framed. It must not throw. */
export type RangeWaiter = {
  /** These, the first of them at this position, are as safe as `collector.ack` says. */
  kept(first: number, batches: readonly Batch[]): void
  /** These are not: see {@link Spool.append}. */
  failed(first: number, batches: readonly Batch[], error: unknown): void
  /** Nothing reads the memory any more; called once, last. */
  free(): void
}

/** What is at one stage: files (segments count as such), and the age of the oldest event in them; 0 where that is not known. */
export type StageFigures = Readonly<Tally> & { readonly oldestSeconds: number }

/** Figures of the spool, for health, metrics and beans. Counts are since the start unless said. */
export type SpoolStats = {
  readonly collectorId: string
  /** Takes batches: open, not draining or drained, disk writable and above its low-space mark. */
  readonly accepting: boolean
  /** Why not, for people; empty while accepting. */
  readonly refusal: string
  readonly flushEnabled: boolean
  /** Free space of the spool's disk, and the mark below which events are refused. */
  readonly freeBytes: number
  readonly minFreeBytes: number
  /** When that mark is reached if the disk keeps filling at this rate, in s; undefined while it does not fill. */
  readonly fullInSeconds: number | undefined
  /** Accepts no more events, through restarts too, until the drain is undone. */
  readonly drained: boolean
  /** Events appended but not yet acknowledged. */
  readonly queuedEvents: number
  readonly queuedBytes: number
  /** Events kept (acknowledged) since the start, and their bytes in the log. */
  readonly writtenEvents: number
  readonly writtenBytes: number
  /** Events whose write or fsync failed; their requests were answered 503. */
  readonly erroredEvents: number
  /** Events whose write failed and may be found at the next start all the same; their requests got no answer. */
  readonly unknownEvents: number
  /** Events refused because the spool was full (disk, queue, buckets), and because it was closing or drained. */
  readonly droppedEvents: number
  readonly ignoredEvents: number
  /** Files sealed or quarantined and not yet in the file system, and their contents, over all runs. */
  readonly pendingFiles: number
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** Events in segments that are not sealed yet. */
  readonly openEvents: number
  /** What is acknowledged and on its way: in the open segment, in segments that wait to be sealed, and in sealed files. */
  readonly waitingFiles: number
  readonly waitingEvents: number
  readonly waitingBytes: number
  /** All that is acknowledged and not known to be in the file system, by where it is. */
  readonly stages: Readonly<Record<StageName, StageFigures>>
  /** What fails and is retried. */
  readonly troubles: readonly Trouble[]
  /** Of the log in HDFS; undefined unless `collector.ack` is `replicated`. */
  readonly replica: ReplicaStatus | undefined
  readonly quarantinedFiles: number
  readonly quarantinedEvents: number
  /** Those of them that are retried by themselves: refused ones. Conflicts of names and damaged pieces wait for a person. */
  readonly retriedFiles: number
  /** Files in `_taken/`: sent, renamed perhaps, and not found since. */
  readonly takenFiles: number
  readonly takenEvents: number
  /** Files of tables that are at their places, and in no snapshot yet. */
  readonly placedFiles: number
  readonly placedEvents: number
  /** Snapshots of tables since the start, and attempts that failed. */
  readonly snapshots: number
  readonly snapshotErrors: number
  /** Why the last one failed; empty while none does. */
  readonly lastSnapshotError: string
  /** Seconds since the last snapshot; 0 before the first. */
  readonly snapshotSeconds: number
  /**
   * Segments whose file is gone, by name, and the events in them as far as that is known, until an operator
   * acknowledges them.
   */
  readonly lostSegments: readonly string[]
  readonly lostEvents: number
  /** Files and events committed to the file system: since the start, and over all runs of this spool. */
  readonly flushes: number
  readonly flushedEvents: number
  readonly totalFlushedEvents: number
  readonly flushErrors: number
  readonly flushRetries: number
  /** Why the last commit failed, empty when the last one succeeded. */
  readonly lastFlushError: string
  /**
   * Seconds since the oldest event was kept that is acknowledged and not in the file system, quarantine included; 0
   * without such an event.
   */
  readonly oldestSeconds: number
  /** At this age an event is late: it should be in the file system. */
  readonly lateSeconds: number
  /** Groups synced, and the time they took in ms: all together, the last 1 024 for percentiles, all as of `timings.ts`. */
  readonly fsyncs: number
  readonly fsyncTotalMs: number
  readonly fsyncMs: readonly number[]
  readonly fsyncCounts: readonly number[]
  /** Idempotency keys that are remembered, and how long ago the oldest of them was kept; 0 without keys. */
  readonly idempotencyKeys: number
  readonly idempotencySeconds: number
  /** The same of ids of events. */
  readonly eventIds: number
  readonly eventIdSeconds: number
  /** Which keys and ids of earlier runs are missing, for people; empty where all are there. */
  readonly idempotencyProblem: string
  /** Waiting events per bucket directory and format, for the health report; at most 1 000 entries. */
  readonly localFiles: ReadonlyMap<string, number>
  /** Events in the open segment and in sealed files, by event name. */
  readonly waitingByType: ReadonlyMap<string, number>
}

/** The durable log between intake and the file system. */
export type Spool = {
  /**
   * Keeps a batch whole or not at all, and resolves when it is as safe as `collector.ack` says.
   * @throws SluiceError `overloaded` (queue, disk or bucket limit), `draining`, or `unavailable` (the disk failed);
   *   nothing of the batch is kept then
   * @throws OutcomeUnknown when the disk failed and a start may find the batch after all
   */
  append(batch: Batch): Promise<void>
  /** The same of what was acknowledged before, by another spool of this collector: a drain does not turn it away. */
  takeBack(batch: Batch): Promise<void>
  /**
   * The same without a promise, for those who append thousands in a turn: the waiter hears of it in the turn in which it is
   * so, never before this returns.
   * @throws SluiceError of what is refused at once; the waiter does not hear of it
   */
  keep(batch: Batch, waiter: Waiter<void>): void
  /**
   * Keeps batches of another thread without a copy: frames of `segment-format.ts`, with the {@link mark} of this spool,
   * one after the other in shared memory that is left alone until the waiter says it is free. None of them has an
   * idempotency key, or ids. Each is kept whole or not at all, or refused, as if it had arrived alone; the waiter hears
   * of refusals at once.
   * @throws FormatError where the bytes are no such frames; nothing is kept then, and the waiter hears nothing
   */
  keepFramed(bytes: Uint8Array, facts: FramedFacts, waiter: RangeWaiter): void
  /** Begins each record that this run keeps. */
  readonly mark: Uint8Array
  /** The request that first used an idempotency key, also while it is still being written. */
  recall(key: string): KnownKey | undefined
  /** What is known of ids (`Batch.eventIds`). A batch that is appended with one that is kept, or on its way, is kept all the same. */
  recallIds(ids: Uint8Array): KnownIds
  /** Remembers the requests and the events that another spool has kept, one that is not in use; resolves when that is safe. */
  takeKeys(disk: Disk): Promise<void>
  /**
   * Asks senders that repeat them to retry, until it is known whether they were kept: the requests and the events of another spool,
   * one that is not in use. @returns what ends that
   */
  suspendKeys(disk: Disk): Promise<() => void>
  stats(): SpoolStats
  /** Of what is acknowledged now: `local` while HDFS does not take a log that is replicated, and events are taken all the same. */
  readonly durability: Durability
  /** What is remembered of the columns of event types, where Parquet files are written or were. */
  readonly schemas: SchemaView
  /**
   * Forgets the columns of an event type: its next file infers them again, and earlier files may have other types in
   * columns of the same names. Survives a restart. @returns whether there were any
   */
  forgetSchema(eventName: string): Promise<boolean>
  /** What is set aside. @throws SluiceError `draining` for what would change it during a stop */
  readonly quarantine: QuarantineDesk
  /** Stops commits, never intake; lasts through a restart. */
  disableFlush(): Promise<void>
  enableFlush(): Promise<void>
  /** Seals and commits everything now that has waited so long, quarantined files included, also while flushing is disabled; never those in `_taken/`. */
  processLeftBelowFiles(olderThanMs?: number): Promise<FlushReport>
  /**
   * Takes the spool out of service, for good: refuses new batches (`draining`), through restarts too, and delivers
   * everything that it holds to the file system, quarantined files included, whether flushing is enabled or not.
   * Resolves when that is noted and all appended events are in finished segments; delivery continues in the background,
   * see {@link drainStatus}. Another call hurries it, and retries quarantined files.
   */
  drain(): Promise<void>
  /** Takes batches again. */
  undoDrain(): Promise<void>
  /** What is still here and not in the file system. */
  drainStatus(): Promise<DrainStatus>
  /** Refuses new batches (`draining`), keeps what was appended, seals, tries one commit, and lets the lock go. */
  close(): Promise<void>
}
