import { Expected, list, live, oneOf, type RawValue, toText } from './setting.ts'

/** Doors of the collector for senders of other makes. */
const names = ['cloudevents', 'ndjson', 'csv', 'segment', 'snowplow', 'posthog', 'otlp', 'firehose'] as const

/** The origin of web pages as browsers write it (RFC 6454), or `*`. */
const toOrigin = (raw: RawValue): string => {
  const text = toText(raw)
  if (text === '*') return text
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) {
    throw new Expected('origins such as https://www.example.org, or *')
  }
  return url.origin
}

/** Which senders of other makes the collector takes, and from whose web pages. */
export const doorRows = {
  'collector.doors': live(
    list<(typeof names)[number]>(raw => oneOf(names, raw), ['cloudevents', 'ndjson'], {
      sentence: `Senders of other makes that are taken: ${names.map(name => `\`${name}\``).join(', ')}.`,
    }),
  ),
  'collector.allowed-origins': live(
    list(toOrigin, [], {
      sentence:
        'Origins of web pages that may send events with cookies, such as `https://www.example.org`; with `*`, pages of all others may without. Where some are named, pages of others see no answers.',
      defaultText: 'none: pages of any origin may send, without cookies',
    }),
  ),
} as const
