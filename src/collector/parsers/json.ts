import { hasEscapedName } from '../../formats/json-names.ts'
import type { EventHead } from '../../spool/batch.ts'
import { createRejections, createTakeValues, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import { type Envelope, nameAndPayload } from './envelope.ts'
import { rebuildJson } from './json-rebuild.ts'
import { decodeJsonText, type JsonText } from './json-text.ts'
import { hasSurrogateEscape, replaceLoneSurrogates } from './lone-surrogates.ts'
import { createScan, findUnstorable, hasLongExponent, hasLongNumber } from './scan.ts'

/**
 * Events of a JSON body: one, an array, several one after another, lines. The usual body, one clean value, is parsed
 * once and goes to the spool unchanged; only others are taken apart.
 * @throws SluiceError `bad-event`: no complete value; `too-large`: too many events
 */
export const parseJsonEvents = (
  body: Uint8Array,
  defaults: EventDefaults,
  envelope: Envelope = nameAndPayload,
): Parsed => {
  const sent = decodeJsonText(body)
  if (!hasSurrogateEscape(sent.text)) return parseText(sent, defaults, envelope)
  const loneSurrogates = replaceLoneSurrogates(sent.bytes)
  const parsed = parseText(loneSurrogates === 0 ? sent : decodeJsonText(sent.bytes), defaults, envelope)
  return loneSurrogates === 0 ? parsed : { ...parsed, loneSurrogates }
}

const parseText = (source: JsonText, defaults: EventDefaults, envelope: Envelope): Parsed =>
  parseWhole(source, defaults, envelope) ?? rebuildJson(source, defaults, envelope)

/** Undefined when the body has to be taken apart. */
const parseWhole = (source: JsonText, defaults: EventDefaults, envelope: Envelope): Parsed | undefined => {
  if (!source.isUtf8 || hasLongNumber(source.bytes) || hasEscapedName(source.text)) return undefined
  const value = parseNatively(source.text)
  if (value === undefined) return undefined
  const elements: unknown[] = Array.isArray(value) ? value : [value]
  if (elements.length > defaults.maxEvents) throw tooManyEvents(defaults.maxEvents)
  const rejections = createRejections()
  const reader = envelope.createReader(defaults, rejections)
  const scan = createScan(defaults.maxValues)
  let events: EventHead[] | undefined
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index]
    // What cannot be stored must not stay in the body either.
    if (typeof element === 'object' && element !== null && findUnstorable(element, scan) !== undefined) return undefined
    const head = reader.read(element, index, index)
    if (head === undefined) continue
    // An empty array gets room for many with its first element; most requests have one.
    if (events === undefined) events = [head]
    else events.push(head)
  }
  if (scan.extremeNumber && hasLongExponent(source.text)) return undefined
  return {
    format: 'json',
    body: source.bytes,
    events: events ?? [],
    rejections,
    takeValues: createTakeValues(elements),
    areNative: true,
  }
}

/** Undefined when it is not JSON: no JSON text is undefined. */
const parseNatively = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
