import type { CodecName } from '../codecs/codecs.ts'
import type { OutputLayout } from './bucket.ts'
import type { OutputFormat } from './bucket-file.ts'
import type { Ack } from './log.ts'
import type { SpoolSettings } from './spool-options.ts'

/** The settings of a server that the spool has to do with, by their keys. */
export type SettingsOfSpool = {
  readonly 'collector.event-output-directory': string
  readonly 'collector.output.format': OutputFormat
  readonly 'collector.output.compression': CodecName
  readonly 'collector.output.layout': OutputLayout
  readonly 'collector.output.envelope': boolean
  readonly 'collector.ack': Ack
  readonly 'collector.diskspool.enabled': boolean
  readonly 'collector.diskspool.flush-interval-seconds': number
  readonly 'collector.diskspool.max-segment-bytes': number
  readonly 'collector.diskspool.max-uncommitted-period-seconds': number
  readonly 'collector.diskspool.max-uncommitted-write-count': number
  readonly 'collector.diskspool.min-free-bytes': number | undefined
  readonly 'collector.diskspool.keep-committed-seconds': number
  readonly 'collector.idempotency.max-keys': number
}

/** Those of the spool among the settings of a server. */
export const toSpoolSettings = (settings: SettingsOfSpool): SpoolSettings => ({
  outputDirectory: settings['collector.event-output-directory'],
  outputFormat: settings['collector.output.format'],
  outputCodec: settings['collector.output.compression'],
  outputLayout: settings['collector.output.layout'],
  outputEnvelope: settings['collector.output.envelope'],
  ack: settings['collector.ack'],
  flushEnabled: settings['collector.diskspool.enabled'],
  flushIntervalMs: settings['collector.diskspool.flush-interval-seconds'] * 1_000,
  maxSegmentBytes: settings['collector.diskspool.max-segment-bytes'],
  maxUncommittedMs: settings['collector.diskspool.max-uncommitted-period-seconds'] * 1_000,
  maxUncommittedEvents: settings['collector.diskspool.max-uncommitted-write-count'],
  minFreeBytes: settings['collector.diskspool.min-free-bytes'],
  maxKeys: settings['collector.idempotency.max-keys'],
  keepCommittedMs: settings['collector.diskspool.keep-committed-seconds'] * 1_000,
})
