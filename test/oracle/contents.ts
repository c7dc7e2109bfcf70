import { parseJson } from '../../src/formats/json.ts'
import { type AnyRequestKind, type Extra, findEvents, toMark } from '../suites/crash-requests.ts'

/** A way in: an HTTP route with a format, or Scribe. */
export type Route = AnyRequestKind | 'Scribe'

/** What every event of HTTP carries; the same for the same number. */
export const toExtra = (event: number): Extra => ({
  count: BigInt(event + 1) * 9_007_199_254_740_993n * (event % 2 === 0 ? 1n : -1n),
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

/** A line of an event file, as far as its event can be told; the number is NaN where none stands in it. */
export type Line = {
  readonly event: number
  readonly values: readonly string[]
  /** Fields that nobody sent, beyond the two that the server adds. */
  readonly surplus: readonly string[]
}

/** @throws FormatError when it is no JSON */
export const parseLine = (line: string): Line => {
  const { payload } = parseJson(line) as { readonly payload: Readonly<Record<string, unknown>> }
  const [event = Number.NaN] = findEvents(Buffer.from(String(payload['id'] ?? payload['1'])))
  const names = 'id' in payload ? jsonNames : thriftNames
  const present = names.filter(name => payload[name] !== undefined)
  return {
    event,
    values: present.map(name => String(payload[name])),
    surplus: Object.keys(payload).filter(name => !present.includes(name) && !addedNames.includes(name)),
  }
}

const jsonNames = ['id', 'count', 'share', 'text']
const thriftNames = ['1', '2', '3', '4']
/** The server's own. */
const addedNames = ['eventDate', 'eventGranularity']

/** What has to stand in the file system of an event that went this way. */
export const toExpected = (event: number, route: Route): readonly string[] => {
  // As the Scribe client of the suites builds them.
  if (route === 'Scribe') return [event % 4 < 2 ? toMark(event) : `a line of text, ${toMark(event)}`]
  const { count, share, text } = toExtra(event)
  return [toMark(event), String(count), String(share), text]
}

/** Whether a line says what was sent, nothing less and nothing more. */
export const isAsSent = ({ event, values, surplus }: Line, route: Route): boolean =>
  surplus.length === 0 && JSON.stringify(values) === JSON.stringify(toExpected(event, route))
