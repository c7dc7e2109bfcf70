import { FormatError, SluiceError } from '../../errors.ts'
import { encodeRecord, readRecords, type ThriftRecord } from '../../formats/thrift/envelope-stream.ts'
import { checkFieldList } from '../../formats/thrift/field-list.ts'
import type { EventHead, Granularity } from '../../spool/batch.ts'
import { checkEventName, maxEventDate, parseGranularity } from '../../spool/bucket.ts'
import { createRejections, type EventDefaults, type Parsed, tooManyEvents } from '../parsed.ts'
import { quote } from './event-date.ts'

/** What stands outside of a bare field list. */
export type FieldListHead = { readonly name: string; readonly date: number; readonly granularity: Granularity }

/**
 * The one event of a bare Thrift struct; bytes after it are ignored, as ever.
 * @throws SluiceError `bad-event`: no struct of primitive fields; `bad-event-name`
 */
export const parseFieldListEvent = (body: Uint8Array, head: FieldListHead): Parsed => {
  checkEventName(head.name)
  try {
    return toThriftEvent(body.subarray(0, checkFieldList(body)), head)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-event', `The body is no list of Thrift fields: ${error.message}`, { cause: error })
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
 * @throws SluiceError `bad-event`: not one record; `too-large`: too many events
 */
export const parseEnvelopeEvents = (body: Uint8Array, { maxEvents }: Pick<EventDefaults, 'maxEvents'>): Parsed => {
  const rejections = createRejections()
  const events: EventHead[] = []
  const records: Uint8Array[] = []
  let isAsSent = true
  let index = 0
  let end = 0
  let damage: FormatError | undefined
  try {
    for (const record of readRecords(body)) {
      if (index >= maxEvents) throw tooManyEvents(maxEvents)
      const head = readHead(record, events.length)
      if (head instanceof SluiceError) {
        rejections.add(index, head.code === 'bad-event-name' ? head.code : 'bad-event', head.message)
        isAsSent = false
      } else {
        const isCanonical = head.granularity === record.granularity
        const sent = body.subarray(record.start, record.end)
        records.push(isCanonical ? sent : encodeRecord({ ...record, granularity: head.granularity }))
        isAsSent &&= isCanonical
        events.push(head)
      }
      end = record.end
      index++
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    damage = error
    rejections.add(index, 'bad-event', error.message)
  }
  if (index === 0) {
    const message = damage ? `The body holds no complete Thrift record: ${damage.message}` : 'The body is empty'
    throw new SluiceError('bad-event', message, { cause: damage })
  }
  return { format: 'thrift', body: isAsSent ? body.subarray(0, end) : Buffer.concat(records), events, rejections }
}

const readHead = (record: ThriftRecord, index: number): EventHead | SluiceError => {
  const { typeName: name, date } = record
  const granularity = parseGranularity(record.granularity)
  if (granularity === undefined) return bad(`The granularity is ${quote(record.granularity)}, which is none`)
  if (date < 0 || date > maxEventDate) return bad(`The date is ${date}; expected ms of the years 1970 to 9999`)
  try {
    checkEventName(name)
    const end = checkFieldList(record.payload)
    if (end < record.payload.length) return bad(`The payload ends at byte ${end} of ${record.payload.length}`)
  } catch (error) {
    if (error instanceof SluiceError) return error
    if (error instanceof FormatError) return bad(`The payload is no list of Thrift fields: ${error.message}`)
    throw error
  }
  return { index, name, date, granularity }
}

const bad = (message: string): SluiceError => new SluiceError('bad-event', message)
