import { SluiceError } from '../../errors.ts'
import { openBrace, openBracket } from '../../formats/json-grammar.ts'
import { isObject } from '../../formats/members.ts'
import type { EventHead } from '../../spool/batch.ts'
import type { BodyDefaults } from '../formats/intake-format.ts'
import { createRejections, createTakeValues, type Parsed, tooManyEvents } from '../parsed.ts'
import { createEnvelopeReader } from '../parsers/envelope.ts'
import { quoteClient } from '../parsers/event-date.ts'
import { createInspection, type InspectEvent } from '../parsers/inspection.ts'
import { Unstorable } from '../parsers/json-slice.ts'
import { asBuffer } from '../parsers/json-text.ts'
import type { WorkSteps } from '../work-turns.ts'
import type { DoorAnswers } from './door-answers.ts'
import { createEnvelopes } from './envelopes.ts'
import { JsonWalk, notJson, notOneValue, type Slice } from './json-walk.ts'

/** What an event of another make says of itself; without a date it has that of its receipt. */
export type DoorHead = {
  readonly name: string
  /** The same at each try, so that a retry lands where the first try did. */
  readonly date?: number | undefined
  /** What tells it from all others of its sender. */
  readonly id?: string | undefined
}

/** What parsing may be told, and has to tell, of a long body. */
export type DoorParts = {
  readonly inspect?: InspectEvent | undefined
  /** Hears of memory that is taken besides the body. @throws SluiceError `overloaded` */
  readonly addBytes?: (bytes: number) => void
}

/** How events stand in a JSON body of another make. */
export type DoorEvents = {
  /** What the body may be: one event, an array of events, or an object with a member that is such an array. */
  readonly forms: {
    readonly one?: boolean
    readonly array?: boolean
    readonly member?: string
    /** Events on lines of their own: one that is damaged is refused alone. */
    readonly lines?: boolean
  }
  /** Members beside the array that are of no event, such as keys; all others go into each payload that lacks them. */
  readonly aside?: readonly string[]
  /** What becomes of an event, or why it is refused. */
  readonly toHead: (event: Readonly<Record<string, unknown>>) => DoorHead | string
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
  { inspect, addBytes }: DoorParts,
): WorkSteps<Parsed> {
  const bytes = asBuffer(body)
  const walk = new JsonWalk(bytes, defaults.maxValues)
  const { slices, shared, isSingle } = yield* findEvents(walk, door, defaults.maxEvents)
  const rejections = createRejections()
  const reader = createEnvelopeReader(defaults, rejections)
  const inspection = createInspection(inspect)
  const events: EventHead[] = []
  const ids: (string | undefined)[] = []
  const values: unknown[] = []
  const written = createEnvelopes(maxWritten(bytes.length), addBytes)
  for (const [index, slice] of slices.entries()) {
    yield
    const value = read(walk, slice, door.forms.lines === true)
    if (value instanceof Unstorable || !isObject(value)) {
      rejections.add(index, 'bad-event', value instanceof Unstorable ? value.why : 'The event is not a JSON object')
      continue
    }
    const told = door.toHead(value)
    if (typeof told === 'string') {
      rejections.add(index, 'bad-event', told)
      continue
    }
    const envelope = { eventName: told.name, payload: value }
    const head = reader.read(envelope, index, events.length)
    if (head === undefined) continue
    // An event that says `eventDate` means what everybody means by it here.
    const date = isUnset(value['eventDate']) ? (told.date ?? head.date) : head.date
    events.push({ ...head, date })
    ids.push(told.id)
    written.add(told.name, bytes.subarray(slice.start, slice.end), missing(shared, value))
    if (inspect) inspection.look(head, envelope)
    else if (bytes.length <= maxKeptValueBytes) values.push(envelope)
  }
  return {
    format: 'json',
    body: written.bytes(),
    events,
    ids,
    rejections,
    isSingle,
    answers: door.answers ?? {},
    loneSurrogates: walk.slices.loneSurrogates,
    ...(inspect ? inspection.result() : values.length > 0 ? { takeValues: createTakeValues(values) } : {}),
  }
}

/** Values of longer bodies are not kept to be compared with schemas. */
const maxKeptValueBytes = 256 * 1024

/** What is written for a body: far more than it has only where much stands beside many small events. */
const maxWritten = (sent: number): number => 16 * sent + 1024 * 1024

const isUnset = (value: unknown): boolean => value === undefined || value === null

type Found = {
  readonly slices: readonly Slice[]
  /** JSON text of what stands beside the events, by name. */
  readonly shared: ReadonlyMap<string, string>
  readonly isSingle: boolean
}

function* findEvents(walk: JsonWalk, door: DoorEvents, maxEvents: number): WorkSteps<Found> {
  const { forms, aside = [] } = door
  const slices: Slice[] = []
  const shared = new Map<string, Slice>()
  let isSingle = false
  const take = (slice: Slice): void => {
    if (slices.length >= maxEvents) throw tooManyEvents(maxEvents)
    slices.push(slice)
  }
  const first = walk.peek()
  if (forms.lines === true) {
    yield* walk.lines(take)
    return { slices, shared: new Map(), isSingle }
  }
  if (first === openBracket && forms.array === true) yield* walk.array(take)
  else if (first === openBrace && forms.member !== undefined) {
    let hasList = false
    yield* walk.object(function* visit(name) {
      if (name === forms.member && walk.peek() === openBracket) {
        hasList = true
        yield* walk.array(take)
        return
      }
      const slice = yield* walk.value()
      if (!aside.includes(name)) shared.set(name, slice)
    })
    if (!hasList && forms.one !== true) throw otherForm(forms)
    if (!hasList) {
      walk.at = 0
      shared.clear()
      isSingle = true
      take(yield* walk.value())
    }
  } else if (first === openBrace && forms.one === true) {
    isSingle = true
    take(yield* walk.value())
  } else if (first === undefined) throw new SluiceError('bad-event', 'The body is empty')
  else throw otherForm(forms)
  walk.end()
  if (slices.length === 0) shared.clear()
  return {
    slices,
    shared: new Map([...shared].map(([name, slice]) => [name, toSharedText(walk, name, slice)])),
    isSingle,
  }
}

/** @throws SluiceError `bad-event`: no event could be stored with it */
const toSharedText = (walk: JsonWalk, name: string, slice: Slice): string => {
  const value = read(walk, slice)
  if (!(value instanceof Unstorable)) return walk.slices.decode(slice.start, slice.end)
  throw new SluiceError('bad-event', `The member ${quoteClient(name)} beside the events cannot be stored: ${value.why}`)
}

const otherForm = ({ one, array, member }: DoorEvents['forms']): SluiceError => {
  const expected = [
    ...(one === true ? ['a JSON object'] : []),
    ...(array === true ? ['a JSON array of events'] : []),
    ...(member === undefined ? [] : [`{"${member}": […]}`]),
  ]
  return new SluiceError('bad-event', `The body is of another form; expected ${expected.join(' or ')}`)
}

/** @throws SluiceError `bad-event`: the slice is not JSON after all, and not alone on its line */
const read = (walk: JsonWalk, { start, end, problem, hasLongNumber }: Slice, isLine = false): unknown => {
  if (problem !== undefined) return new Unstorable(problem)
  const { slices } = walk
  const value = slices.parse(slices.decode(start, end), hasLongNumber)
  if (value === undefined && isLine) return new Unstorable(notOneValue)
  if (value === undefined) throw notJson(`the value at byte ${start} is not JSON`)
  return value
}

/** The members of a batch that an event of it does not have itself, as JSON text. */
const missing = (shared: ReadonlyMap<string, string>, event: object): string => {
  if (shared.size === 0) return ''
  const members: string[] = []
  for (const [name, text] of shared) if (!Object.hasOwn(event, name)) members.push(`${JSON.stringify(name)}:${text}`)
  return members.join(',')
}
