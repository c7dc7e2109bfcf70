import type { CodecName } from '../codecs/codecs.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { OutputLayout } from './bucket.ts'
import type { OutputFormat } from './bucket-file.ts'
import type { Disk } from './disk/disk.ts'
import type { Ack } from './log.ts'
import type { Sealing } from './seal.ts'

/** What the spool tells the operator: one line per event of interest. */
export type SpoolLogger = {
  /** One line per file. */
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The settings of the spool, as they are now: to be read when used. Each is named after its key in the settings table. */
export type SpoolSettings = {
  /** `collector.event-output-directory` */
  readonly outputDirectory: string
  /** `collector.output.format`, `collector.output.compression` */
  readonly outputFormat: OutputFormat
  readonly outputCodec: CodecName
  /** `collector.output.layout` */
  readonly outputLayout: OutputLayout
  /** `collector.output.envelope` */
  readonly outputEnvelope: boolean
  /** `collector.ack` */
  readonly ack: Ack
  /** `collector.diskspool.enabled`: whether a new spool starts with flushing on. */
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
}

export type SpoolOptions = {
  readonly disk: Disk
  readonly fileSystem: FileSystem
  readonly settings: SpoolSettings
  readonly log: SpoolLogger
  /** Turns a segment into bucket files; a thread of its own in the server. */
  readonly sealing: Sealing
  readonly now?: () => number
  readonly random?: () => number
  /** Calls `beat` again and again until the returned function is called. @default every 250 ms */
  readonly heartbeat?: (beat: () => Promise<void>) => () => void
}
