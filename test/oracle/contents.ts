import type { FoundEvent } from '../foreign/found-event.ts'
import type { AnyRequestKind, Extra } from '../suites/crash-requests.ts'
import { findEvents, toMark } from '../suites/marks.ts'

/** A way in: an HTTP route with a format, or Scribe. */
export type Route = AnyRequestKind | 'Scribe'

/** What every event of HTTP carries; the same for the same number. */
export const toExtra = (event: number): Extra => ({
  // Beyond what a double holds exactly, on both sides of zero.
  count: (2n ** 53n + 1n + BigInt(event) * 1_000_000_007n) * (event % 2 === 0 ? 1n : -1n),
  share: event + 0.5,
  text: texts[event % texts.length] ?? '',
})

const texts = [
  'plain',
  'a,b%2C+c & "q" \\ \t\n\r',
  'grüße 漢字 🚀 \u0000 \u2028',
  '',
  'a longer one, so that events differ in length: '.repeat(8),
]

/** What an event holds, those fields of the server's own aside; the number is NaN where none stands in it. */
export type Contents = {
  readonly event: number
  readonly names: readonly string[]
  readonly values: readonly string[]
}

/** What stands in an event, whatever the format of its file. */
export const toContents = ({ fields }: FoundEvent): Contents => {
  const sent = fields.filter(([name]) => !addedNames.includes(name))
  const [event = Number.NaN] = findEvents(Buffer.from(toText(sent[0]?.[1] ?? null)))
  return { event, names: sent.map(([name]) => name), values: sent.map(([, value]) => toText(value ?? null)) }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'bigint' ? String(value) : JSON.stringify(value)

/** The server's own. */
const addedNames = ['eventDate', 'eventGranularity']

/** Whether an event is what was sent, nothing less and nothing more. */
export const isAsSent = ({ event, names, values }: Contents, route: Route): boolean => {
  const isJson = route.startsWith('POST JSON') || route === 'POST Smile'
  const sent = toSent(event, route)
  const sentNames = isJson ? ['id', 'count', 'share', 'text'] : sent.map((_, index) => String(index + 1))
  return JSON.stringify([names, values]) === JSON.stringify([sentNames, sent])
}

const toSent = (event: number, route: Route): readonly string[] => {
  // As the Scribe client of the suites builds them.
  if (route === 'Scribe') return [event % 4 < 2 ? toMark(event) : `a line of text, ${toMark(event)}`]
  const { count, share, text } = toExtra(event)
  return [toMark(event), String(count), String(share), text]
}
