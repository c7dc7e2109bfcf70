import { FormatError, SluiceError } from '../../errors.ts'
import type { Value } from '../../formats/number.ts'
import { SmileCursor } from '../../formats/smile/cursor.ts'
import { createSmileWriter } from '../../formats/smile/writer.ts'
import type { EventHead } from '../../spool/batch.ts'
import { createRejections, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import { createEnvelopeReader } from './envelope.ts'

/**
 * Events of a Smile body: one, an array, or several of these one after another. One clean document goes to the spool
 * as it came; of others the good events are written again as one array.
 * @throws SluiceError `bad-event`: no complete value; `too-large`: too many events
 */
export const parseSmileEvents = (body: Uint8Array, defaults: EventDefaults): Parsed => {
  const asSent = readEvents(body, defaults)
  if (asSent.isClean) return { format: 'smile', body, events: asSent.events, rejections: asSent.rejections }
  const writer = createSmileWriter()
  writer.startArray()
  const { events, rejections, isEmpty, damage } = readEvents(body, defaults, value => writer.write(value))
  writer.endArray()
  if (isEmpty) {
    const message = damage ? `The body holds no complete Smile value: ${damage.message}` : 'The body is empty'
    throw new SluiceError('bad-event', message, { cause: damage })
  }
  return { format: 'smile', body: writer.take(), events, rejections }
}

type Reading = Pick<Parsed, 'events' | 'rejections'> & {
  /** One document from the first to the last byte. */
  readonly isClean: boolean
  /** Not even an empty array. */
  readonly isEmpty: boolean
  readonly damage: FormatError | undefined
}

/** @param write takes each good event when positions are to be counted anew */
const readEvents = (body: Uint8Array, defaults: EventDefaults, write?: (value: Value) => void): Reading => {
  const rejections = createRejections()
  const reader = createEnvelopeReader(defaults, rejections)
  const events: EventHead[] = []
  let roots = 0
  let index = 0
  let emptyArrays = 0
  let damage: FormatError | undefined
  const take = (value: Value): void => {
    if (index >= defaults.maxEvents) throw tooManyEvents(defaults.maxEvents)
    const head = reader.read(value, index, write ? events.length : index)
    index++
    if (head !== undefined && (write === undefined || writeEvent(write, value, index - 1))) events.push(head)
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
  try {
    const cursor = new SmileCursor(body)
    while (cursor.nextRoot()) {
      const before = index
      if (cursor.enterArray()) {
        while (cursor.nextElement()) take(cursor.value(1))
        if (index === before) emptyArrays++
      } else take(cursor.value())
      roots++
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    damage = error
    rejections.add(index, 'bad-event', error.message)
  }
  return { events, rejections, isClean: roots === 1 && !damage, isEmpty: index === 0 && emptyArrays === 0, damage }
}
