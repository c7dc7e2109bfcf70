import { list, live, type Setting, toPattern } from './setting.ts'

/** A list of patterns that drop events, in force at once. @param of what of an event they look at */
const patterns = (of: string): Setting<readonly string[]> =>
  live(
    list(toPattern, [], {
      sentence: `Regular expressions (RE2), searched unanchored: an event whose ${of} matches is dropped with 202. \`only <pattern>\` names what may pass instead. A YAML list where a pattern has a comma.`,
    }),
  )

/** The five sets of them, by what they look at. */
export const collectorFilterRows = {
  'collector.filters.host': patterns("referrer's host"),
  'collector.filters.ip': patterns("client's address"),
  'collector.filters.useragent': patterns('user agent'),
  'collector.filters.path': patterns("referrer's path"),
  'collector.filters.event-type': patterns('name'),
} as const
