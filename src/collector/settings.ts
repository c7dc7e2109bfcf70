/** What the collector can be told, as it is now: to be read when used. The composition root makes it from the keys `collector.*` of `src/config/config.ts`. */
export type CollectorSettings = {
  /** `collector.max-body-bytes`: largest request body as sent. */
  readonly maxBodyBytes: number
  /** `collector.max-decompressed-bytes`: largest body after `Content-Encoding` is undone. */
  readonly maxDecompressedBytes: number
  readonly maxEventsPerRequest: number
  /** `collector.max-values-per-event`: beyond, an event is refused alone. */
  readonly maxValuesPerEvent: number
  /** Events that wait for their acknowledgement, over all requests. */
  readonly maxEventQueueSize: number
  /** Bytes of bodies, as sent and decompressed, that are held at one time, over all requests. */
  readonly maxInflightBytes: number
  readonly filters: FilterSettings
  /** Addresses or CIDR ranges of the peers whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[]
}

/** The five pattern sets of `collector.filters.*`: regular expressions, searched for anywhere in the text. */
export type FilterSettings = {
  readonly [name in FilterName]: readonly string[]
} & {
  /** `collector.filters.event-type.included`: the event types listed are the only ones that pass. @default false */
  readonly eventTypeIncluded?: boolean
}

/** What a filter looks at: referrer host, client address, `User-Agent`, referrer path, event name. */
export type FilterName = (typeof filterNames)[number]

/** In the order of the settings table. */
export const filterNames = ['host', 'ip', 'useragent', 'path', 'event-type'] as const

const mebibyte = 1024 * 1024

/** The defaults of the settings table. */
export const defaultCollectorSettings: CollectorSettings = {
  maxBodyBytes: 64 * mebibyte,
  maxDecompressedBytes: 128 * mebibyte,
  maxEventsPerRequest: 100_000,
  maxValuesPerEvent: 100_000,
  maxEventQueueSize: 200_000,
  maxInflightBytes: 256 * mebibyte,
  filters: { host: [], ip: [], useragent: [], path: [], 'event-type': [] },
  trustedProxies: ['127.0.0.0/8', '::1'],
}
