import { SluiceError } from '../../errors.ts'
import { openBrace, openBracket } from '../../formats/json-grammar.ts'
import { tooManyEvents } from '../parsed.ts'
import { quoteClient } from '../parsers/event-date.ts'
import { Unstorable } from '../parsers/json-slice.ts'
import type { WorkSteps } from '../work-turns.ts'
import { type JsonWalk, notJson, notOneValue, type Slice } from './json-walk.ts'

/** Where events stand in a JSON body of another make. */
export type DoorForms = {
  /** The body may be one event. */
  readonly one?: boolean
  /** It may be an array of events. */
  readonly array?: boolean
  /** It may be an object with a member that is such an array. */
  readonly member?: string
  /** Events have lines of their own: one that is damaged is refused alone. */
  readonly lines?: boolean
}

/** The events of a body, and what stands beside them. */
export type FoundEvents = {
  readonly slices: readonly Slice[]
  /** JSON text of what stands beside the events, by name. */
  readonly shared: ReadonlyMap<string, string>
  readonly isSingle: boolean
  /** Whose they are, where a member that is put aside says it. */
  readonly key: string | undefined
}

/**
 * Finds the events of a body.
 * @param aside names of members beside them that no event gets
 * @throws SluiceError `bad-event`: not one whole JSON document, or one of another form; `too-large`: too many events
 */
export function* findEvents(
  walk: JsonWalk,
  forms: DoorForms,
  aside: readonly string[],
  maxEvents: number,
): WorkSteps<FoundEvents> {
  let key: string | undefined
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
    return { slices, shared: new Map(), isSingle, key }
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
      else key ??= toText(readSlice(walk, slice))
    })
    if (!hasList && forms.one !== true) throw otherForm(forms)
    if (!hasList) {
      walk.at = 0
      shared.clear()
      key = undefined
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
    key,
    shared: new Map([...shared].map(([name, slice]) => [name, toSharedText(walk, name, slice)])),
    isSingle,
  }
}

/** @throws SluiceError `bad-event`: no event could be stored with it */
const toSharedText = (walk: JsonWalk, name: string, slice: Slice): string => {
  const value = readSlice(walk, slice)
  if (!(value instanceof Unstorable)) return walk.slices.decode(slice.start, slice.end)
  throw new SluiceError('bad-event', `The member ${quoteClient(name)} beside the events cannot be stored: ${value.why}`)
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const otherForm = ({ one, array, member }: DoorForms): SluiceError => {
  const expected = [
    ...(one === true ? ['a JSON object'] : []),
    ...(array === true ? ['a JSON array of events'] : []),
    ...(member === undefined ? [] : [`{"${member}": […]}`]),
  ]
  return new SluiceError('bad-event', `The body is of another form; expected ${expected.join(' or ')}`)
}

/** The value of a slice. @throws SluiceError `bad-event`: it is not JSON after all, and not alone on its line */
export const readSlice = (walk: JsonWalk, { start, end, problem, hasLongNumber }: Slice, isLine = false): unknown => {
  if (problem !== undefined) return new Unstorable(problem)
  const { slices } = walk
  const value = slices.parse(slices.decode(start, end), hasLongNumber)
  if (value === undefined && isLine) return new Unstorable(notOneValue)
  if (value === undefined) throw notJson(`the value at byte ${start} is not JSON`)
  return value
}
