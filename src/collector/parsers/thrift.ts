import { FormatError, SluiceError } from '../../errors.ts'
import type { Budget } from '../../formats/budget.ts'
import { writeI32 } from '../../formats/thrift/envelope.ts'
import {
  encodeRecord,
  readRecords,
  recordPrefixBytes,
  type ThriftRecord,
} from '../../formats/thrift/envelope-stream.ts'
import { checkFieldList } from '../../formats/thrift/field-list.ts'
import { utf8Length, writeUtf8 } from '../../formats/thrift/text.ts'
import type { EventHead, Granularity } from '../../spool/batch.ts'
import { checkEventName, maxEventDate, parseGranularity } from '../../spool/bucket.ts'
import { createEventBudget } from '../event-limits.ts'
import { createRejections, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import type { WorkSteps } from '../work-turns.ts'
import { quoteClient } from './event-date.ts'
import { createInspection, type InspectEvent } from './inspection.ts'

/** What a bare field list does not contain. */
export type FieldListHead = { readonly name: string; readonly date: number; readonly granularity: Granularity }

/**
 * The one event of a bare Thrift struct; bytes after it are ignored, as in the original.
 * @throws SluiceError `bad-event`: not a struct of primitive fields, or over the limits of an event; `bad-event-name`
 */
export const parseFieldListEvent = (body: Uint8Array, head: FieldListHead & { readonly maxValues: number }): Parsed => {
  checkEventName(head.name)
  try {
    const budget = createEventBudget('thrift', head.maxValues)
    return toThriftEvent(body.subarray(0, checkFieldList(body, 0, body.length, budget)), head)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-event', `The body is not a list of Thrift fields: ${error.message}`, { cause: error })
  }
}

/** One event from its encoded fields; the name is checked already. */
export const toThriftEvent = (payload: Uint8Array, head: FieldListHead): Parsed => {
  const { name, date, granularity } = head
  return {
    format: 'thrift',
    body: encodeRecord({ typeName: name, date, granularity, payload }),
    events: [{ index: 0, name, date, granularity }],
    rejections: createRejections(),
    isSingle: true,
  }
}

/**
 * Events of an envelope stream, up to its end or the first damage.
 * @param inspect looks at each record while it is there
 * @throws SluiceError `bad-event`: not one good record; `too-large`: too many events
 */
export function* parseEnvelopeEvents(
  body: Uint8Array,
  { maxEvents, maxValues }: Pick<EventDefaults, 'maxEvents' | 'maxValues'>,
  inspect?: InspectEvent,
): WorkSteps<Parsed> {
  const rejections = createRejections()
  const inspection = createInspection(inspect)
  const budget = createEventBudget('thrift', maxValues)
  const events: EventHead[] = []
  let index = 0
  /** Where the last good record ends as it is kept: moved up over what is left out. */
  let keptEnd = 0
  let damage: FormatError | undefined
  try {
    for (const record of readRecords(body)) {
      if (index >= maxEvents) throw tooManyEvents(maxEvents)
      budget.refill(index)
      const head = readHead(record, events.length, budget)
      if (head instanceof SluiceError) {
        rejections.add(index, head.code === 'bad-event-name' ? head.code : 'bad-event', head.message)
      } else {
        const start = keptEnd
        keptEnd = keep(body, start, record, head)
        events.push(head)
        inspection.look(head, body.subarray(start, keptEnd))
      }
      index++
      yield
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    damage = error
    rejections.add(index, 'bad-event', error.message)
  }
  if (events.length === 0) {
    const [first] = rejections.errors
    const what = index === 0 ? 'complete' : 'good'
    const message = first ? `The body holds no ${what} Thrift record: ${first.detail}` : 'The body is empty'
    throw new SluiceError('bad-event', message, { cause: damage })
  }
  return { format: 'thrift', body: body.subarray(0, keptEnd), events, rejections, ...inspection.result() }
}

/** Puts a good record where the one before it ends, its granularity in upper case, and returns where it ends. */
const keep = (body: Uint8Array, at: number, record: ThriftRecord, { granularity }: EventHead): number => {
  const { start, end } = record
  if (granularity === record.granularity) {
    if (at < start) body.copyWithin(at, start, end)
    return at + end - start
  }
  // In its place, never longer than it was sent; all else stays as it is, also what is not UTF-8 in a name.
  const envelope = start + recordPrefixBytes + utf8Length(record.granularity)
  body.copyWithin(at, start, start + recordPrefixBytes)
  writeI32(granularity.length, body, at + recordPrefixBytes - 4)
  const next = writeUtf8(granularity, body, at + recordPrefixBytes)
  body.copyWithin(next, envelope, end)
  return next + end - envelope
}

const readHead = (record: ThriftRecord, index: number, budget: Budget): EventHead | SluiceError => {
  const { typeName: name, date } = record
  const granularity = parseGranularity(record.granularity)
  if (granularity === undefined) return bad(`The granularity is ${quoteClient(record.granularity)}, which is none`)
  if (date < 0 || date > maxEventDate) return bad(`The date is ${date}; expected ms of the years 1970 to 9999`)
  try {
    checkEventName(name)
    const end = checkFieldList(record.payload, 0, record.payload.length, budget)
    if (end < record.payload.length) return bad(`The payload ends at byte ${end} of ${record.payload.length}`)
  } catch (error) {
    if (error instanceof SluiceError) return error
    if (error instanceof FormatError) return bad(`The payload is not a list of Thrift fields: ${error.message}`)
    throw error
  }
  return { index, name, date, granularity }
}

const bad = (message: string): SluiceError => new SluiceError('bad-event', message)
