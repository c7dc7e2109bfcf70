/**
 * The ways in, each fact of one once: record words, counters, beans, metrics, and the labels of the console follow from it
 * (`npm run generate` writes `admin/console/static/overview/apis.js`).
 *
 * `code` is on the disk, in the records of the log: it keeps its meaning for good, and a new way in gets a number that was
 * never used. The order of the entries means nothing.
 */

type ApiFacts = {
  /** Its number in a record (see `record.ts`). */
  readonly code: number
  /** `type` of its timer's object name, and the letters of its deserializer's meters (the collector's specification, §4.5). */
  readonly bean: string
  /** Undefined for an API without one. */
  readonly deserializer: string | undefined
  /** For people. */
  readonly label: string
}

export const apiTable = {
  GET_API: { code: 0, bean: 'CollectorResource', deserializer: 'DECIMAL_QUERY', label: 'GET v1' },
  GET_Base64_API: { code: 1, bean: 'Base64CollectorResource', deserializer: 'BASE_64_QUERY', label: 'GET v2' },
  POST_Json_API: { code: 2, bean: 'BodyResource', deserializer: 'JSON', label: 'JSON' },
  POST_Smile_API: { code: 3, bean: 'BodyResource', deserializer: 'SMILE', label: 'Smile' },
  POST_Thrift_API: { code: 4, bean: 'BodyResource', deserializer: 'THRIFT', label: 'Thrift' },
  POST_ThriftLegacy_API: { code: 5, bean: 'BodyResource', deserializer: 'DEFAULT', label: 'Thrift, legacy' },
  POST_CloudEvents_API: { code: 7, bean: 'BodyResource', deserializer: 'CLOUDEVENTS', label: 'CloudEvents' },
  POST_Csv_API: { code: 8, bean: 'BodyResource', deserializer: 'CSV', label: 'CSV' },
  POST_Segment_API: { code: 9, bean: 'BodyResource', deserializer: 'SEGMENT', label: 'Segment' },
  Snowplow_API: { code: 10, bean: 'BodyResource', deserializer: 'SNOWPLOW', label: 'Snowplow' },
  POST_PostHog_API: { code: 11, bean: 'BodyResource', deserializer: 'POSTHOG', label: 'PostHog' },
  POST_Otlp_API: { code: 12, bean: 'BodyResource', deserializer: 'OTLP', label: 'OTLP' },
  POST_Firehose_API: { code: 13, bean: 'BodyResource', deserializer: 'FIREHOSE', label: 'Firehose' },
  SCRIBE_API: { code: 6, bean: 'ScribeEventRequestHandler', deserializer: undefined, label: 'Scribe' },
} as const satisfies Readonly<Record<string, ApiFacts>>

/** The way in of a request. */
export type Api = keyof typeof apiTable

/** All of them, in the order of the table. */
export const apis = Object.keys(apiTable) as readonly Api[]
