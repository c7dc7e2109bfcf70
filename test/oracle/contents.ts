import type { FoundEvent } from '../foreign/found-event.ts'
import { type AnyRequestKind, toExtra } from '../suites/crash-requests.ts'
import { findEvents, toMark } from '../suites/marks.ts'

/** A way in: an HTTP route with a format, or Scribe. */
export type Route = AnyRequestKind | 'Scribe'

/** The fields of an event, without those of the server's own; the number is NaN if it has none. */
export type Contents = {
  readonly event: number
  readonly names: readonly string[]
  readonly values: readonly string[]
}

/** The fields of an event, whatever the format of its file. */
export const toContents = ({ fields }: FoundEvent): Contents => {
  const sent = fields.filter(([name]) => !addedNames.includes(name))
  const [event = Number.NaN] = findEvents(Buffer.from(toText(sent[0]?.[1] ?? null)))
  return { event, names: sent.map(([name]) => name), values: sent.map(([, value]) => toText(value ?? null)) }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'bigint' ? String(value) : JSON.stringify(value)

/** The server's own. */
const addedNames = ['eventDate', 'eventGranularity']

type Comparison = {
  /** Whether the file keeps the order of an event's fields: one with columns has its own. @default true */
  readonly isOrdered?: boolean | undefined
}

/** Whether an event is what was sent, nothing less and nothing more. */
export const isAsSent = (
  { event, names, values }: Contents,
  route: Route,
  { isOrdered = true }: Comparison = {},
): boolean => {
  const sent = toSent(event, route)
  const sentNames = hasNames(route)
    ? ['id', 'count', 'share', 'text', 'mixed', 'nested']
    : sent.map((_, index) => String(index + 1))
  const toTexts = (ofNames: readonly string[], ofValues: readonly string[]): readonly string[] => {
    const texts = ofNames.map((name, index) => JSON.stringify([name, ofValues[index]]))
    return isOrdered ? texts : texts.toSorted()
  }
  return toTexts(names, values).join() === toTexts(sentNames, sent).join()
}

/** Of JSON and Smile; the fields of others have numbers. */
const hasNames = (route: Route): boolean => route.startsWith('POST JSON') || route === 'POST Smile'

const toSent = (event: number, route: Route): readonly string[] => {
  // As the Scribe client of the suites builds them.
  if (route === 'Scribe') return [event % 4 < 2 ? toMark(event) : `a line of text, ${toMark(event)}`]
  const { count, share, text, mixed, nested } = toExtra(event)
  const values = [toMark(event), String(count), String(share), text, String(mixed)]
  return hasNames(route) ? [...values, JSON.stringify(nested)] : values
}
