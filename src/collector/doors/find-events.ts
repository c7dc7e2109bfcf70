import { SluiceError } from '../../errors.ts'
import { openBrace, openBracket } from '../../formats/json-grammar.ts'
import { tooManyEvents } from '../parsed.ts'
import { quoteClient } from '../parsers/event-date.ts'
import { Unstorable } from '../parsers/json-slice.ts'
import type { WorkSteps } from '../work-turns.ts'
import { type JsonWalk, notJson, notOneValue, type Slice } from './json-walk.ts'

/** The places of events in a foreign JSON body. */
export type DoorForms = {
  /** The body may be one event. */
  readonly one?: boolean
  /** It may be an array of events. */
  readonly array?: boolean
  /** It may be an object with a member that is such an array, or an array of objects that have one, and so on. */
  readonly lists?: readonly DoorList[]
  /** It may be one event after the other. */
  readonly sequence?: boolean
  /** Events have lines of their own: one that is damaged is refused alone. */
  readonly lines?: boolean
}

/** A member that is a list. */
export type DoorList = {
  readonly name: string
  /** What members beside it are called in payloads. @default as they are */
  readonly renames?: Readonly<Record<string, string>>
}

/** The events of a body, and the values beside each, as JSON text by name. */
export type FoundEvents = {
  readonly events: readonly { readonly slice: Slice; readonly shared: ReadonlyMap<string, string> }[]
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
  let isSingle = false
  const found: { readonly slice: Slice; readonly levels: readonly Level[] }[] = []
  const take = (slice: Slice, levels: readonly Level[]): void => {
    if (found.length >= maxEvents) throw tooManyEvents(maxEvents)
    found.push({ slice, levels })
  }
  const elementsWith = (levels: readonly Level[]) =>
    walk.array(function* visit() {
      take(walk.valueNow() ?? (yield* walk.rest()), levels)
    })
  /** Whether the object has its list. */
  function* walkLists([list, ...inner]: readonly DoorList[], outer: readonly Level[]): WorkSteps<boolean> {
    const level: Level = new Map()
    const levels = [level, ...outer]
    let hasList = false
    if (walk.peek() !== openBrace) throw otherForm(forms)
    yield* walk.object(function* visit(name) {
      if (name === list?.name && walk.peek() === openBracket) {
        hasList = true
        yield* inner.length === 0 ? elementsWith(levels) : walk.array(() => discard(walkLists(inner, levels)))
        return
      }
      const slice = walk.valueNow() ?? (yield* walk.rest())
      if (!aside.includes(name)) level.set(list?.renames?.[name] ?? name, slice)
      else key ??= toText(readSlice(walk, slice))
    })
    return hasList
  }
  function* takeOne(): WorkSteps<void> {
    walk.at = 0
    key = undefined
    isSingle = true
    take(walk.valueNow() ?? (yield* walk.rest()), [])
  }

  const first = walk.peek()
  if (forms.lines === true) yield* walk.lines(slice => take(slice, []))
  else if (first === openBracket && forms.array === true) yield* elementsWith([])
  else if (first !== undefined && forms.sequence === true) {
    do take(walk.valueNow() ?? (yield* walk.rest()), [])
    while (walk.peek() !== undefined)
    isSingle = found.length === 1
  } else if (first === openBrace && forms.lists !== undefined && (forms.one !== true || mayHave(walk, forms.lists))) {
    const hasList = yield* walkLists(forms.lists, [])
    if (!hasList && forms.one !== true) throw otherForm(forms)
    if (!hasList) yield* takeOne()
  } else if (first === openBrace && forms.one === true) yield* takeOne()
  else if (first === undefined) throw new SluiceError('bad-event', 'The body is empty')
  else throw otherForm(forms)
  walk.end()
  const textsOf = memo((levels: readonly Level[]) => toTexts(walk, levels))
  return { events: found.map(({ slice, levels }) => ({ slice, shared: textsOf(levels) })), key, isSingle }
}

/** Most single events have no list's name in them, and need not be walked to know that they have no list. */
const mayHave = (walk: JsonWalk, [list]: readonly DoorList[]): boolean => list !== undefined && walk.mayHave(list.name)

/** The values beside a list, by name. */
type Level = Map<string, Slice>

function* discard(steps: WorkSteps<unknown>): WorkSteps<void> {
  yield* steps
}

/** Many events have the same levels. */
const memo = <Key extends object, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, Value>()
  return key => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

/** JSON text of the values beside events; of equal names the innermost. */
const toTexts = (walk: JsonWalk, levels: readonly Level[]): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  for (const level of levels) {
    for (const [name, slice] of level) if (!texts.has(name)) texts.set(name, toSharedText(walk, name, slice))
  }
  return texts
}

/** @throws SluiceError `bad-event`: no event could be stored with it */
const toSharedText = (walk: JsonWalk, name: string, slice: Slice): string => {
  const value = readSlice(walk, slice)
  if (!(value instanceof Unstorable)) return walk.slices.decode(slice.start, slice.end)
  throw new SluiceError('bad-event', `The member ${quoteClient(name)} beside the events cannot be stored: ${value.why}`)
}

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const otherForm = ({ one, array, lists }: DoorForms): SluiceError => {
  const expected = [
    ...(one === true ? ['a JSON object'] : []),
    ...(array === true ? ['a JSON array of events'] : []),
    ...(lists === undefined ? [] : [`{"${lists.map(({ name }) => name).join('": [{"')}": […]}`]),
  ]
  return new SluiceError('bad-event', `The body has the wrong structure; expected ${expected.join(' or ')}`)
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
