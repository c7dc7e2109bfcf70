import { FormatError, LimitError } from '../../errors.ts'
import { Budget } from '../../formats/budget.ts'
import { parseJson } from '../../formats/json.ts'
import { jsonElements } from '../../formats/json-elements.ts'
import { isObject } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { readSmileElements } from '../../formats/smile/reader.ts'
import { readRecords, type ThriftRecord } from '../../formats/thrift/envelope-stream.ts'
import { decodeFields } from '../../formats/thrift/field-list.ts'
import type { Batch, EventHead } from '../batch.ts'
import { isRefusedName, rowField } from '../refused.ts'

/** An object of the payload, keys in the order of the sender. */
export type Payload = { [key: string]: Value }

/**
 * One event of a batch, decoded; its kind is that of the native file it goes to. JSON and Smile events carry a payload,
 * Thrift events their `.thrift` record.
 */
export type DecodedEvent =
  | {
      readonly kind: 'smile'
      readonly head: EventHead
      readonly payload: Payload
      /** Whether the body distinguished integers from other numbers: Smile does, JSON does not. */
      readonly isTyped: boolean
    }
  | { readonly kind: 'thrift'; readonly head: EventHead; readonly record: ThriftRecord; readonly bytes: Uint8Array }

/** The events of a batch, encoded. */
export type EncodedEvents = Pick<Batch, 'format' | 'body' | 'events'>

/**
 * The accepted events of a batch, in order, with `eventDate` and `eventGranularity` filled in where the sender left
 * them out or sent null.
 * @param maxBytes of one event, encoded
 * @throws FormatError when the body is not what `batch.ts` promises; LimitError at an event of more than `maxBytes`,
 *   after which nothing more can be found in time
 */
export function* decodeEvents(batch: EncodedEvents, maxBytes = Number.POSITIVE_INFINITY): Generator<DecodedEvent> {
  const heads = batch.events[Symbol.iterator]()
  let head = heads.next()
  let index = 0
  for (const element of elements(batch, maxBytes, () => !head.done && index === head.value.index)) {
    if (head.done) return
    if (index++ !== head.value.index) continue
    yield toEvent(element, head.value, batch)
    head = heads.next()
  }
  if (!head.done) throw new FormatError('spool record', 0, `event ${head.value.index} is not in the body`)
}

const toEvent = (element: Element, head: EventHead, { format, body }: EncodedEvents): DecodedEvent => {
  if (element.kind === 'smile')
    return { kind: 'smile', head, payload: payloadOf(element.value, head), isTyped: format === 'smile' }
  const { record } = element
  // Refused events are rows of one table, whatever body they came in.
  if (isRefusedName(head.name))
    return { kind: 'smile', head, payload: wholePayload(refusedRowOf(record), head), isTyped: false }
  return { kind: 'thrift', head, record, bytes: body.subarray(record.start, record.end) }
}

const refusedRowOf = ({ payload }: ThriftRecord): Value | undefined => {
  const row = decodeFields(payload).find(({ id }) => id === rowField)
  return row?.value instanceof Uint8Array ? parseJson(decoder.decode(row.value)) : undefined
}

/** Longer JSON is parsed event by event: whole, its values would take many times its length. */
const maxWholeBytes = 256 * 1024

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

type Element =
  | { readonly kind: 'thrift'; readonly record: ThriftRecord }
  | { readonly kind: 'smile'; readonly value: Value }

/** @param isWanted asked before an element is built; an unwanted one may be returned as null */
function* elements({ format, body }: EncodedEvents, maxBytes: number, isWanted: () => boolean): Generator<Element> {
  switch (format) {
    case 'json': {
      if (body.length > Math.min(maxWholeBytes, maxBytes)) {
        for (const { start, end } of jsonElements(body, maxBytes)) {
          yield { kind: 'smile', value: isWanted() ? parseJson(decoder.decode(body.subarray(start, end))) : null }
        }
        return
      }
      const value = parseJson(decoder.decode(body))
      for (const element of Array.isArray(value) ? value : [value]) yield { kind: 'smile', value: element }
      return
    }
    case 'smile':
      for (const value of readSmileElements(body, { budget: toBudget(maxBytes) })) yield { kind: 'smile', value }
      return
    case 'thrift':
      for (const record of readRecords(body)) {
        if (record.end - record.start > maxBytes) {
          throw new LimitError('thrift', record.start, `expected an event of at most ${maxBytes} bytes, found more`)
        }
        yield { kind: 'thrift', record }
      }
      return
  }
}

/** What an event of Smile may unfold into: a value of it takes a byte at least. */
const toBudget = (maxBytes: number): Budget =>
  maxBytes === Number.POSITIVE_INFINITY
    ? new Budget('smile')
    : new Budget('smile', { of: 'event', values: { max: maxBytes }, bytes: { max: maxBytes } })

/** The payload in an envelope, whole. @throws FormatError without such an object */
export const payloadOf = (envelope: Value, head: EventHead): Payload =>
  wholePayload(isObject(envelope) ? envelope['payload'] : undefined, head)

/** A payload with the fields that only its head has. @throws FormatError where it is not an object */
export const wholePayload = (payload: Value | undefined, head: EventHead): Payload => {
  if (!isObject(payload)) throw new FormatError('spool record', 0, `event ${head.index} has no payload object`)
  fillIn(payload, 'eventDate', head.date)
  fillIn(payload, 'eventGranularity', head.granularity)
  return payload
}

/** Null means that a member is not set. */
const fillIn = (payload: Payload, name: string, value: Value): void => {
  if (!Object.hasOwn(payload, name) || payload[name] === null) payload[name] = value
}
