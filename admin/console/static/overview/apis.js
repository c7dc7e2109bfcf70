// Written by `npm run generate` from src/spool/apis.ts. Do not edit.

/**
 * The ways in: the timer of each (`…endpoint.resources:name=<timer>`), and the letters of the meters of its
 * deserializer. Scribe has no deserializer: its events are what the others leave of the total.
 */
export const shownApis = /** @type {const} */ ([
  { timer: 'GET_API', meter: 'DECIMAL_QUERY', label: 'GET v1' },
  { timer: 'GET_Base64_API', meter: 'BASE_64_QUERY', label: 'GET v2' },
  { timer: 'POST_Json_API', meter: 'JSON', label: 'JSON' },
  { timer: 'POST_Smile_API', meter: 'SMILE', label: 'Smile' },
  { timer: 'POST_Thrift_API', meter: 'THRIFT', label: 'Thrift' },
  { timer: 'POST_ThriftLegacy_API', meter: 'DEFAULT', label: 'Thrift, legacy' },
  { timer: 'POST_CloudEvents_API', meter: 'CLOUDEVENTS', label: 'CloudEvents' },
  { timer: 'POST_Csv_API', meter: 'CSV', label: 'CSV' },
  { timer: 'POST_Segment_API', meter: 'SEGMENT', label: 'Segment' },
  { timer: 'Snowplow_API', meter: 'SNOWPLOW', label: 'Snowplow' },
  { timer: 'POST_PostHog_API', meter: 'POSTHOG', label: 'PostHog' },
  { timer: 'POST_Otlp_API', meter: 'OTLP', label: 'OTLP' },
  { timer: 'POST_Firehose_API', meter: 'FIREHOSE', label: 'Firehose' },
  { timer: 'SCRIBE_API', meter: undefined, label: 'Scribe' },
])
