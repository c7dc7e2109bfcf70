/** Doors for senders of other makes, as `collector.doors` names them. */
export const doorNames = ['cloudevents', 'ndjson', 'csv', 'segment', 'snowplow', 'posthog', 'otlp', 'firehose'] as const

/** One of {@link doorNames}. */
export type DoorName = (typeof doorNames)[number]
