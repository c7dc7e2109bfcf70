import { stringifyJson } from '../formats/json.ts'
import type { Value } from '../formats/number.ts'
import type { Granularity } from '../spool/batch.ts'
import type { DecodedEvent } from '../spool/events/decode-events.ts'
import { toThriftPayload } from '../spool/events/thrift-payload.ts'

/** One event as it goes to a broker. */
export type Message = {
  readonly eventName: string
  /** ms since the epoch. */
  readonly date: number
  readonly granularity: Granularity
  /** Messages of one key stay in order at the broker; undefined for an event without one. */
  readonly key: string | undefined
  /** JSON of the payload, numbers exact. */
  readonly text: string
  /** What it takes in a request, roughly. */
  readonly bytes: number
  /** The trace that the request of the event belongs to, as its sender named it; undefined when it named none. */
  readonly traceparent?: string | undefined
}

/** Names of a Thrift type's fields by their ids; undefined when the type is unknown. Never waits. */
export type FieldNames = (eventName: string) => ReadonlyMap<number, string> | undefined

/** How messages are made. */
export type MessageOptions = {
  /** @default fields of Thrift events appear under their ids */
  readonly fieldNames?: FieldNames
  /** Payload field whose value becomes the key. @default no keys */
  readonly keyField?: string | undefined
}

/** Longest key, in characters; a longer value is not a key. */
export const maxKeyLength = 1_024

/** Makes messages of decoded events. */
export const createToMessage =
  ({ fieldNames, keyField }: MessageOptions = {}) =>
  (event: DecodedEvent, traceparent?: string): Message => {
    const { name, date, granularity } = event.head
    const payload = event.kind === 'smile' ? event.payload : toThriftPayload(event, fieldNames?.(name))
    const key = keyField !== undefined && Object.hasOwn(payload, keyField) ? toKey(payload[keyField]) : undefined
    const text = stringifyJson(payload)
    const bytes = Buffer.byteLength(text) + Buffer.byteLength(name) + Buffer.byteLength(key ?? '') + overheadBytes
    return { eventName: name, date, granularity, key, text, bytes, traceparent }
  }

/** Names and values of the headers, lengths and offsets. */
const overheadBytes = 200

const toKey = (value: Value | undefined): string | undefined => {
  if (value === undefined || value === null) return undefined
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return text.length > maxKeyLength ? undefined : text
}
