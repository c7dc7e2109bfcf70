import type { CodecName } from '../codecs/codecs.ts'
import type { RestCatalogSettings } from '../tables/rest/rest-settings.ts'
import type { OutputLayout } from './bucket.ts'
import type { OutputFormat } from './files/bucket-file.ts'
import type { ReplicatedSettings } from './replica/replicated-settings.ts'
import type { Ack, SpoolSettings } from './spool-settings.ts'

/** The settings of a server that the spool has to do with, by their keys. */
export type SettingsOfSpool = {
  readonly 'collector.event-output-directory': string
  readonly 'collector.output.format': OutputFormat
  readonly 'collector.output.compression': CodecName
  readonly 'collector.output.layout': OutputLayout
  readonly 'collector.output.table': 'none' | 'iceberg'
  readonly 'collector.output.snapshot-seconds': number
  readonly 'collector.output.catalog': string
  readonly 'collector.output.namespace': readonly string[]
  readonly 'collector.output.rest.warehouse': string | undefined
  readonly 'collector.output.rest.prefix': string | undefined
  readonly 'collector.output.rest.token': string | undefined
  readonly 'collector.output.rest.credential': string | undefined
  readonly 'collector.output.rest.oauth2-server-uri': string | undefined
  readonly 'collector.output.rest.scope': string
  readonly 'collector.output.keep-snapshots-hours': number
  readonly 'collector.output.envelope': boolean
  readonly 'collector.ack': Ack
  readonly 'collector.replicated.sync': ReplicatedSettings['sync']
  readonly 'collector.replicated.replication': number
  readonly 'collector.replicated.min': number
  readonly 'collector.replicated.gather-ms': number
  readonly 'collector.replicated.takeover-seconds': number
  readonly 'collector.replicated.when-unavailable': ReplicatedSettings['whenUnavailable']
  readonly 'collector.diskspool.enabled': boolean | undefined
  readonly 'collector.diskspool.flush-interval-seconds': number
  readonly 'collector.diskspool.max-segment-bytes': number
  readonly 'collector.diskspool.max-uncommitted-period-seconds': number | undefined
  readonly 'collector.diskspool.max-uncommitted-write-count': number | undefined
  readonly 'collector.diskspool.min-free-bytes': number | undefined
  readonly 'collector.diskspool.keep-committed-seconds': number
  readonly 'collector.idempotency.max-keys': number
  readonly 'collector.event-ids.max': number
  readonly 'collector.event-ids.column': boolean
}

/** Those of the spool among the settings of a server. */
export const toSpoolSettings = (settings: SettingsOfSpool): SpoolSettings => ({
  outputDirectory: settings['collector.event-output-directory'],
  outputFormat: settings['collector.output.format'],
  outputCodec: settings['collector.output.compression'],
  outputLayout: settings['collector.output.table'] === 'iceberg' ? 'iceberg' : settings['collector.output.layout'],
  snapshotMs: settings['collector.output.snapshot-seconds'] * 1_000,
  catalog: toCatalogSettings(settings),
  keepSnapshotsMs: settings['collector.output.keep-snapshots-hours'] * 3_600_000,
  outputEnvelope: settings['collector.output.envelope'],
  ack: settings['collector.ack'],
  replicated: {
    sync: settings['collector.replicated.sync'],
    replication: settings['collector.replicated.replication'],
    min: settings['collector.replicated.min'],
    gatherMs: settings['collector.replicated.gather-ms'],
    takeoverMs: settings['collector.replicated.takeover-seconds'] * 1_000,
    whenUnavailable: settings['collector.replicated.when-unavailable'],
  },
  flushEnabled: settings['collector.diskspool.enabled'] ?? true,
  flushIntervalMs: settings['collector.diskspool.flush-interval-seconds'] * 1_000,
  maxSegmentBytes: settings['collector.diskspool.max-segment-bytes'],
  maxUncommittedMs:
    (settings['collector.diskspool.max-uncommitted-period-seconds'] ??
      settings['collector.diskspool.flush-interval-seconds']) * 1_000,
  maxUncommittedEvents:
    settings['collector.diskspool.max-uncommitted-write-count'] ??
    toMaxEvents(settings['collector.diskspool.max-segment-bytes']),
  minFreeBytes: settings['collector.diskspool.min-free-bytes'],
  maxKeys: settings['collector.idempotency.max-keys'],
  maxEventIds: settings['collector.event-ids.max'],
  eventIdColumn: settings['collector.event-ids.column'],
  keepCommittedMs: settings['collector.diskspool.keep-committed-seconds'] * 1_000,
})

/** Where tables have a catalog beside their directories. */
export const toCatalogSettings = (settings: SettingsOfCatalog): RestCatalogSettings | undefined =>
  settings['collector.output.catalog'] === 'none'
    ? undefined
    : {
        uri: settings['collector.output.catalog'],
        namespace: settings['collector.output.namespace'],
        warehouse: settings['collector.output.rest.warehouse'],
        prefix: settings['collector.output.rest.prefix'],
        token: settings['collector.output.rest.token'],
        credential: settings['collector.output.rest.credential'],
        oauth2ServerUri: settings['collector.output.rest.oauth2-server-uri'],
        scope: settings['collector.output.rest.scope'],
      }

/**
 * Whether each event is in the output once also where one file could replace another: a catalog lets one change of a table in
 * at a time. The log of a collector is in no catalog.
 */
export const landsByCatalog = (settings: SettingsOfCatalog & Pick<SettingsOfSpool, 'collector.ack'>): boolean =>
  toCatalogSettings(settings) !== undefined && settings['collector.ack'] !== 'replicated'

type SettingsOfCatalog = {
  readonly [Key in keyof SettingsOfSpool as Key extends `collector.output.${'catalog' | 'namespace' | `rest.${string}`}`
    ? Key
    : never]: SettingsOfSpool[Key]
}

const usualSegmentBytes = 128 * 2 ** 20
const usualEvents = 1_000_000

/** Events of a segment: each of them costs memory while it is sealed, however short it is. */
const toMaxEvents = (maxSegmentBytes: number): number =>
  Math.floor(usualEvents * Math.max(1, maxSegmentBytes / usualSegmentBytes))
