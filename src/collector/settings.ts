import type { KeyObject } from 'node:crypto'
import { type AllowedOrigins, toAllowedOrigins } from './allowed-origin.ts'
import { type ClientAddress, createClientAddress } from './client-address.ts'
import type { DoorName } from './doors/door-names.ts'
import { maxEventValues } from './event-limits.ts'
import { type QuotaSettings, type SettingsOfQuota, toQuotaSettings } from './quota/quota-settings.ts'
import { toEventIdKey } from './submit/event-ids.ts'

/** Settings of the collector. */
export type CollectorSettings = {
  /** `collector.max-body-bytes`: largest request body as sent. */
  readonly maxBodyBytes: number
  /** `collector.max-decompressed-bytes`: largest body after `Content-Encoding` is undone. */
  readonly maxDecompressedBytes: number
  readonly maxEventsPerRequest: number
  /** Beyond, an event is refused alone. */
  readonly maxValuesPerEvent: number
  /** `collector.event-ids.path`: where payloads have the ids of their events; undefined where they are not looked for. */
  readonly eventIdPath: string | undefined
  /** `collector.event-ids.key`: what ids are hashed with; undefined without a key. */
  readonly eventIdKey: KeyObject | undefined
  /** Events that wait for their acknowledgement, over all requests. */
  readonly maxEventQueueSize: number
  /** Bytes of bodies, as sent and decompressed, that are held at one time, over all requests. */
  readonly maxInflightBytes: number
  /** `collector.refused.max-bytes-per-hour`: of refused events, what is stored. */
  readonly maxRefusedBytesPerHour: number
  /** `collector.quota.*`: what one sender may send; undefined where senders are not limited. */
  readonly quota: QuotaSettings | undefined
  readonly filters: FilterSettings
  /** `collector.doors`: senders of other makes that are taken. */
  readonly doors: ReadonlySet<DoorName>
  /** `collector.allowed-origins`: of the pages that may send cookies along. */
  readonly allowedOrigins: AllowedOrigins | undefined
  /** `collector.auth`: whether callers have to say who they are. */
  readonly knowsCallers: boolean
  /** Knows the peers whose `X-Forwarded-For` counts. */
  readonly clientAddress: ClientAddress
}

/** The five pattern sets of `collector.filters.*`: regular expressions, searched for anywhere in the text. */
export type FilterSettings = {
  readonly [name in FilterName]: readonly string[]
}

/** What a filter looks at: referrer host, client address, `User-Agent`, referrer path, event name. */
export type FilterName = (typeof filterNames)[number]

/** In the order of the settings table. */
export const filterNames = ['host', 'ip', 'useragent', 'path', 'event-type'] as const

/** The settings of a server that the collector has to do with, by their keys. */
export type SettingsOfCollector = {
  readonly [name in `collector.filters.${FilterName}`]: readonly string[]
} & SettingsOfQuota & {
    readonly 'collector.max-body-bytes': number
    readonly 'collector.max-decompressed-bytes': number
    readonly 'collector.max-events-per-request': number
    readonly 'collector.max-values-per-event': number | undefined
    readonly 'collector.event-ids.path': string | undefined
    readonly 'collector.event-ids.key': string | undefined
    readonly 'collector.max-event-queue-size': number
    readonly 'collector.max-inflight-bytes': number
    readonly 'collector.refused.max-bytes-per-hour': number
    readonly 'collector.auth': 'open' | 'token'
    readonly 'collector.trusted-proxies': readonly string[]
    readonly 'collector.doors': readonly DoorName[]
    readonly 'collector.allowed-origins': readonly string[]
  }

/** Those of the collector among the settings of a server. */
export const toCollectorSettings = (settings: SettingsOfCollector): CollectorSettings => ({
  maxBodyBytes: settings['collector.max-body-bytes'],
  maxDecompressedBytes: settings['collector.max-decompressed-bytes'],
  maxEventsPerRequest: settings['collector.max-events-per-request'],
  maxValuesPerEvent: settings['collector.max-values-per-event'] ?? maxEventValues,
  eventIdPath: settings['collector.event-ids.path'],
  eventIdKey: toEventIdKey(settings['collector.event-ids.key']),
  maxEventQueueSize: settings['collector.max-event-queue-size'],
  maxInflightBytes: settings['collector.max-inflight-bytes'],
  maxRefusedBytesPerHour: settings['collector.refused.max-bytes-per-hour'],
  quota: toQuotaSettings(settings),
  knowsCallers: settings['collector.auth'] === 'token',
  clientAddress: createClientAddress(settings['collector.trusted-proxies']),
  doors: new Set(settings['collector.doors']),
  allowedOrigins: toAllowedOrigins(settings['collector.allowed-origins']),
  filters: {
    host: settings['collector.filters.host'],
    ip: settings['collector.filters.ip'],
    useragent: settings['collector.filters.useragent'],
    path: settings['collector.filters.path'],
    'event-type': settings['collector.filters.event-type'],
  },
})

const mebibyte = 1024 * 1024

/** The defaults of the settings table. */
export const defaultCollectorSettings: CollectorSettings = {
  quota: undefined,
  knowsCallers: false,
  maxBodyBytes: 64 * mebibyte,
  maxDecompressedBytes: 128 * mebibyte,
  maxEventsPerRequest: 100_000,
  maxValuesPerEvent: maxEventValues,
  eventIdPath: undefined,
  eventIdKey: undefined,
  maxEventQueueSize: 200_000,
  maxInflightBytes: 256 * mebibyte,
  maxRefusedBytesPerHour: 64 * mebibyte,
  filters: { host: [], ip: [], useragent: [], path: [], 'event-type': [] },
  clientAddress: createClientAddress(['127.0.0.0/8', '::1']),
  doors: new Set(['cloudevents', 'ndjson']),
  allowedOrigins: undefined,
}
