import { FormatError, LimitError, SluiceError } from '../../errors.ts'
import type { Value } from '../../formats/number.ts'
import { SmileCursor } from '../../formats/smile/cursor.ts'
import { skipSmile } from '../../formats/smile/skip.ts'
import { tokens } from '../../formats/smile/tokens.ts'
import { createSmileWriter } from '../../formats/smile/writer.ts'
import type { EventHead } from '../../spool/batch.ts'
import { createEventBudget } from '../event-limits.ts'
import { createRejections, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import type { WorkSteps } from '../work-turns.ts'
import { createEnvelopeReader } from './envelope.ts'
import { createInspection, type InspectEvent } from './inspection.ts'

/**
 * Events of a Smile body: one, an array, or several of these one after another. One clean document goes to the spool
 * unchanged; of others the good events are written again as one array. An event over the limits is skipped.
 * @param inspect looks at each event while it is there
 * @throws SluiceError `bad-event`: no complete value; `too-large`: too many events
 */
export function* parseSmileEvents(
  body: Uint8Array,
  defaults: EventDefaults,
  inspect?: InspectEvent,
): WorkSteps<Parsed> {
  checkBegin(body)
  const { isClean, ...asSent } = yield* readEvents(body, defaults, inspect)
  if (isClean) return { format: 'smile', body, ...asSent }
  const writer = createSmileWriter()
  writer.startArray()
  const { isEmpty, damage, ...rest } = yield* readEvents(body, defaults, inspect, value => writer.write(value))
  writer.endArray()
  if (isEmpty) {
    const message = damage ? `The body holds no complete Smile value: ${damage.message}` : 'The body is empty'
    throw new SluiceError('bad-event', message, { cause: damage })
  }
  return { format: 'smile', body: writer.take(), ...rest }
}

/** Nearly any byte begins some value: what has no header and is neither object nor array is something else, JSON say. */
const checkBegin = (body: Uint8Array): void => {
  const [first] = body
  if (first === undefined || begins.has(first)) return
  const found = first.toString(16).toUpperCase().padStart(2, '0')
  throw new SluiceError('bad-event', `The body is not Smile: expected a header, an object or an array, found ${found}`)
}

const begins: ReadonlySet<number> = new Set([tokens.header, tokens.startObject, tokens.startArray, tokens.endOfContent])

/** Bodies up to here are read at once: they need not stop between events. */
const shortBytes = 256 * 1024

type Reading = Pick<Parsed, 'events' | 'rejections' | 'mismatches'> & {
  /** One document from the first to the last byte, of which nothing has to be left out. */
  readonly isClean: boolean
  /** Not even an empty array. */
  readonly isEmpty: boolean
  readonly damage: FormatError | undefined
}

/** @param write takes each good event when positions are to be renumbered */
function* readEvents(
  body: Uint8Array,
  defaults: EventDefaults,
  inspect: InspectEvent | undefined,
  write?: (value: Value) => void,
): WorkSteps<Reading> {
  const rejections = createRejections()
  const reader = createEnvelopeReader(defaults, rejections)
  const inspection = createInspection(inspect)
  const budget = createEventBudget('smile', defaults.maxValues)
  const cursor = new SmileCursor(body, { budget })
  const events: EventHead[] = []
  const isLong = body.length > shortBytes
  let roots = 0
  let index = 0
  let emptyArrays = 0
  let isOver = false
  let damage: FormatError | undefined
  const take = (value: Value): void => {
    const head = reader.read(value, index, write ? events.length : index)
    index++
    if (head === undefined || (write !== undefined && !writeEvent(write, value, index - 1))) return
    events.push(head)
    inspection.look(head, value)
  }
  const writeEvent = (write: (value: Value) => void, value: Value, at: number): boolean => {
    try {
      write(value)
      return true
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      rejections.add(at, 'bad-event', error.message)
      return false
    }
  }
  /** Whether the next event was taken or refused; one over the limits has to be skipped, from its start on. */
  const takeNext = (depth: number): boolean => {
    if (index >= defaults.maxEvents) throw tooManyEvents(defaults.maxEvents)
    budget.refill(index)
    const start = cursor.mark()
    try {
      take(cursor.value(depth))
      return true
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      isOver = true
      rejections.add(index++, 'bad-event', error.message)
      cursor.goBack(start)
      return false
    }
  }
  try {
    while (cursor.nextRoot()) {
      const before = index
      if (cursor.enterArray()) {
        while (cursor.nextElement()) {
          if (!takeNext(1)) yield* skipSmile(cursor, budget)
          if (isLong) yield
        }
        if (index === before) emptyArrays++
      } else if (!takeNext(0)) yield* skipSmile(cursor, budget)
      roots++
      yield
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    damage = error
    rejections.add(index, 'bad-event', error.message)
  }
  const isClean = roots === 1 && !damage && !isOver
  const isEmpty = index === 0 && emptyArrays === 0
  return { events, rejections, isClean, isEmpty, damage, ...inspection.result() }
}
