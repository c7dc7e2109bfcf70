import { list, live, oneOf, type Setting } from './setting.ts'

/** Doors of the collector for senders of other makes. */
const names = ['cloudevents', 'ndjson', 'csv', 'segment', 'snowplow', 'posthog', 'otlp', 'firehose'] as const

/** Which senders of other makes the collector takes. */
export const doors: Setting<readonly (typeof names)[number][]> & { readonly live: true } = live(
  list<(typeof names)[number]>(raw => oneOf(names, raw), ['cloudevents', 'ndjson'], {
    sentence: `Senders of other makes that are taken: ${names.map(name => `\`${name}\``).join(', ')}.`,
  }),
)
