import type { CodecName } from '../codecs/codecs.ts'
import type { RestCatalogSettings } from '../tables/rest/rest-settings.ts'
import type { OutputLayout } from './bucket.ts'
import type { OutputFormat } from './files/bucket-file.ts'
import type { ReplicatedSettings } from './replica/replicated-settings.ts'

/** What a 202 means: synced to disk and to HDFS, synced to disk, handed to the operating system, or held in memory. */
export type Ack = 'replicated' | 'fsync' | 'written' | 'memory'

/** Whether a 202 waits for the sync of a disk; one that is replicated syncs both of its sides. */
export const isSynced = (ack: Ack): boolean => ack === 'replicated' || ack === 'fsync'

/** The settings of the spool, each named after its key in the settings table. */
export type SpoolSettings = {
  /** `collector.event-output-directory` */
  readonly outputDirectory: string
  /** `collector.output.format`, `collector.output.compression` */
  readonly outputFormat: OutputFormat
  readonly outputCodec: CodecName
  /** `collector.output.layout` */
  readonly outputLayout: OutputLayout
  /** `collector.output.snapshot-seconds`, in ms; of tables. */
  readonly snapshotMs: number
  /** `collector.output.catalog` and what belongs to it; absent where the directory of a table is all there is. */
  readonly catalog?: RestCatalogSettings | undefined
  /** `collector.output.keep-snapshots-hours`, in ms; of tables. 0: they stay. */
  readonly keepSnapshotsMs: number
  /** `collector.output.envelope` */
  readonly outputEnvelope: boolean
  /** `collector.ack` */
  readonly ack: Ack
  /** Of no effect unless `ack` is `replicated`. */
  readonly replicated: ReplicatedSettings
  /** Whether a new spool starts with flushing on. */
  readonly flushEnabled: boolean
  /** `collector.diskspool.flush-interval-seconds` and so on, in ms. */
  readonly flushIntervalMs: number
  readonly maxSegmentBytes: number
  readonly maxUncommittedMs: number
  readonly maxUncommittedEvents: number
  /** Undefined: 5 % of the disk, at most 5 GB. */
  readonly minFreeBytes: number | undefined
  readonly keepCommittedMs: number
  /** `collector.idempotency.max-keys` */
  readonly maxKeys: number
  /** `collector.event-ids.max` */
  readonly maxEventIds: number
  /** `collector.event-ids.column` */
  readonly eventIdColumn: boolean
}
