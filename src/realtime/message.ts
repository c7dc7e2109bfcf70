import { stringifyJson } from '../formats/json.ts'
import { Float64, type Value } from '../formats/number.ts'
import { decodeFields, type ThriftField, thriftType } from '../formats/thrift/field-list.ts'
import type { Granularity } from '../spool/batch.ts'
import type { ExpandedEvent } from '../spool/expand.ts'

/** One event as it goes to a broker. */
export type Message = {
  readonly eventName: string
  /** ms since the epoch. */
  readonly date: number
  readonly granularity: Granularity
  /** Messages of one key stay in order at the broker; undefined when the event has none. */
  readonly key: string | undefined
  /** JSON of the payload, numbers exact. */
  readonly text: string
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

/** Longest key, in characters; a longer value is no key. */
export const maxKeyLength = 1_024

/** Makes messages of expanded events. */
export const createToMessage =
  ({ fieldNames, keyField }: MessageOptions = {}) =>
  (event: ExpandedEvent): Message => {
    const { name, date, granularity } = event.head
    const payload = event.kind === 'smile' ? event.payload : toPayload(event, fieldNames?.(name))
    return {
      eventName: name,
      date,
      granularity,
      key: keyField !== undefined && Object.hasOwn(payload, keyField) ? toKey(payload[keyField]) : undefined,
      text: stringifyJson(payload),
    }
  }

const toKey = (value: Value | undefined): string | undefined => {
  if (value === undefined || value === null) return undefined
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return text.length > maxKeyLength ? undefined : text
}

/** Thrift fields under their names where those are known, else their ids; the same values as in `jsonl` files. */
const toPayload = (
  { head, record }: Extract<ExpandedEvent, { kind: 'thrift' }>,
  names: ReadonlyMap<number, string> | undefined,
): { [key: string]: Value } => {
  const members: [string, Value][] = [
    ['eventDate', head.date],
    ['eventGranularity', head.granularity],
  ]
  for (const field of decodeFields(record.payload))
    members.push([names?.get(field.id) ?? `${field.id}`, toValue(field)])
  // Also for a field that is called "__proto__".
  return Object.fromEntries(members)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The wire does not tell text from binary: bytes that are no UTF-8 stay bytes, and become base64 in JSON. */
const toValue = (field: ThriftField): Value => {
  if (field.type === thriftType.double) return Number.isInteger(field.value) ? new Float64(field.value) : field.value
  if (field.type !== thriftType.string) return field.value
  try {
    return utf8.decode(field.value)
  } catch {
    return field.value
  }
}
