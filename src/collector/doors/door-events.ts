import { parseJson } from '../../formats/json.ts'
import { openBrace } from '../../formats/json-grammar.ts'
import { isObject } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import type { EventHead } from '../../spool/batch.ts'
import type { BodyDefaults } from '../formats/intake-format.ts'
import { createRejections, type Parsed } from '../parsed.ts'
import { createEnvelopeReader } from '../parsers/envelope.ts'
import { createInspection, type InspectEvent } from '../parsers/inspection.ts'
import { Unstorable } from '../parsers/json-slice.ts'
import { asBuffer } from '../parsers/json-text.ts'
import type { WorkSteps } from '../work-turns.ts'
import type { DoorAnswers } from './door-answers.ts'
import { createEnvelopes, maxWritten, withMembers } from './envelopes.ts'
import { type DoorForms, findEvents, readSlice } from './find-events.ts'
import { JsonWalk } from './json-walk.ts'

/** What an event of another make says of itself; without a date it has that of its receipt. */
export type DoorHead = {
  readonly name: string
  /** The same at each try, so that a retry lands where the first try did. */
  readonly date?: number | undefined
  /** Distinguishes it from all others of its sender. */
  readonly id?: string | undefined
}

/** An identity, where what a sender gave can be one. */
export const toId = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxIdLength ? value : undefined

const maxIdLength = 512

/** Inputs and outputs of parsing a long body. */
export type DoorParts = {
  /** As `keys` of an `IntakeFormat`. */
  readonly keys?: readonly string[]
  readonly inspect?: InspectEvent | undefined
  /** Hears of memory that is taken besides the body. @throws SluiceError `overloaded` */
  readonly addBytes?: (bytes: number) => void
}

/** How the events of a JSON body of another make are read. */
export type DoorEvents = {
  readonly forms: DoorForms
  /** JSON text of members for payloads that lack them; values beside the events are added to those. */
  readonly more?: Readonly<Record<string, string>>
  /** The result for the event at a position of the body, or why it is refused. */
  readonly toHead: (event: Readonly<Record<string, unknown>>, index: number) => DoorHead | string
  readonly answers?: DoorAnswers
}

/**
 * The events of a JSON body of another make, as envelopes whose payloads are the events byte for byte: numbers stay exact,
 * and nothing is lost that has no place.
 * @throws SluiceError `bad-event`: not one whole JSON document, or one of another form; `too-large`
 */
export function* parseDoorEvents(
  body: Uint8Array,
  defaults: BodyDefaults,
  door: DoorEvents,
  { keys = [], inspect, addBytes }: DoorParts,
): WorkSteps<Parsed> {
  const bytes = asBuffer(body)
  const walk = new JsonWalk(bytes, defaults.maxValues)
  const { forms, more = {} } = door
  const found = yield* findEvents(walk, forms, keys, defaults.maxEvents)
  const added = Object.entries(more)
  let { key } = found
  let hasOtherKeys = false
  const rejections = createRejections()
  const reader = createEnvelopeReader(defaults, rejections)
  const inspection = createInspection(inspect)
  const events: EventHead[] = []
  const ids: (string | undefined)[] = []
  const written = createEnvelopes(maxWritten(bytes.length), addBytes)
  for (const [index, { slice, shared }] of found.events.entries()) {
    yield
    const sent = bytes.subarray(slice.start, slice.end)
    const value = readSlice(walk, slice, forms.lines === true)
    if (value instanceof Unstorable || !isObject(value)) {
      rejections.add(index, 'bad-event', value instanceof Unstorable ? value.why : 'The event is not a JSON object')
      rejections.keep(index, sent)
      continue
    }
    const told = door.toHead(value, index)
    if (typeof told === 'string') {
      rejections.add(index, 'bad-event', told)
      rejections.keep(index, sent)
      continue
    }
    const envelope = { eventName: told.name, payload: value }
    const head = reader.read(envelope, index, events.length)
    if (head === undefined) {
      rejections.keep(index, sent)
      continue
    }
    // An event's own `eventDate` means what it means everywhere here.
    const date = isUnset(value['eventDate']) ? (told.date ?? head.date) : head.date
    events.push({ ...head, date })
    ids.push(told.id)
    let stored = sent
    const said = keys.map(path => memberAt(value, path)).filter(one => one !== undefined)
    const own = said.find(one => typeof one === 'string')
    key ??= own
    // A key beside the events is that of all of them, whatever these say.
    if (found.key === undefined && own !== undefined && own !== key) hasOtherKeys = true
    if (said.length > 0) stored = yield* without(bytes, walk, slice.start, keys)
    stored = withMembers(missing(added, shared, value), stored)
    written.add(told.name, stored)
    const exact = envelopeOf(stored)
    inspection.look(head, stored === sent ? envelope : exact, () => exact)
  }
  return {
    format: 'json',
    body: written.bytes(),
    events,
    ids,
    rejections,
    isSingle: found.isSingle,
    answers: door.answers ?? {},
    ...(key === undefined ? {} : { key, hasOtherKeys }),
    loneSurrogates: walk.slices.loneSurrogates,
    ...inspection.result(),
  }
}

/** An event as it is stored, numbers exact; its payload is parsed on demand, because most types have no schema. */
const envelopeOf = (payload: Buffer) => ({
  get payload(): Value {
    return parseJson(payload.toString('utf8'))
  },
})

const isUnset = (value: unknown): boolean => value === undefined || value === null

/** The members that an event does not have itself, as JSON text: from added members, and from values beside it. */
const missing = (
  added: readonly (readonly [string, string])[],
  shared: ReadonlyMap<string, string>,
  event: object,
): string => {
  if (added.length === 0 && shared.size === 0) return ''
  const members: string[] = []
  for (const [name, text] of [...added.filter(([one]) => !shared.has(one)), ...shared]) {
    if (!Object.hasOwn(event, name)) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return members.join(',')
}

/** A member of an object, or one within a member (`a.b`); JSON has no undefined ones. */
export const memberAt = (value: unknown, path: string): unknown => {
  const [name = '', ...rest] = path.split('.')
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
  return rest.length === 0 ? value[name] : memberAt(value[name], rest.join('.'))
}

/** The bytes of an object without some of its members, or of theirs. */
function* without(bytes: Buffer, walk: JsonWalk, start: number, paths: readonly string[]): WorkSteps<Buffer> {
  const kept: Buffer[] = [openObject]
  /** Adjacent members that stay. */
  let run: { readonly start: number; end: number } | undefined
  const endRun = (): void => {
    if (run !== undefined) kept.push(bytes.subarray(run.start, run.end))
    run = undefined
  }
  walk.at = start
  yield* walk.object(function* visit(name, nameAt) {
    const isObjectNext = walk.peek() === openBrace
    const value = walk.valueNow() ?? (yield* walk.rest())
    if (paths.includes(name)) return endRun()
    if (run === undefined && kept.length > 1) kept.push(nextMember)
    run ??= { start: nameAt, end: nameAt }
    run.end = value.end
    const within = paths.flatMap(path => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []))
    if (within.length === 0 || !isObjectNext) return
    run.end = value.start
    endRun()
    kept.push(yield* without(bytes, walk, value.start, within))
    walk.at = value.end
  })
  endRun()
  kept.push(closeObject)
  return Buffer.concat(kept)
}

const openObject = Buffer.from('{')
const nextMember = Buffer.from(',')
const closeObject = Buffer.from('}')
