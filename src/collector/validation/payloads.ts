import { parseJson } from '../../formats/json.ts'
import { isObject } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { readSmileElements } from '../../formats/smile/reader.ts'
import { readRecords } from '../../formats/thrift/envelope-stream.ts'
import { decodeFields } from '../../formats/thrift/field-list.ts'
import { toFieldValue } from '../../formats/thrift/field-value.ts'
import { isRecord } from '../../is-record.ts'
import type { Batch } from '../../spool/batch.ts'
import { asBuffer } from '../parsers/json-text.ts'

/** Every payload of a body by position: objects with exact numbers, or bare Thrift structs. The parsers have checked the bytes. */
export function* readPayloads({ format, body }: Pick<Batch, 'format' | 'body'>): Iterable<unknown> {
  if (format === 'thrift') for (const { payload } of readRecords(body)) yield payload
  else for (const event of readEnvelopes(format, body)) yield toPayload(event)
}

/** The payload of an envelope. */
export const toPayload = (event: unknown): unknown => (isRecord(event) ? event['payload'] : undefined)

/** The payload of the first record. */
export const toRecordPayload = (record: Uint8Array): unknown => {
  for (const { payload } of readRecords(record)) return payload
  return undefined
}

/** The envelopes of a body by position, numbers exact. */
export const readEnvelopes = (format: 'json' | 'smile', body: Uint8Array): Iterable<unknown> => {
  if (format === 'smile') return readSmileElements(body)
  const value = parseJson(asBuffer(body).toString('utf8'))
  return Array.isArray(value) ? value : [value]
}

/** A bare Thrift struct as an object: fields under the names that a type has for their ids, others under their ids. */
export const toNamedFields = (
  struct: Uint8Array,
  fields: readonly { readonly id: number; readonly name: string }[],
): Readonly<Record<string, Value>> => {
  const names = new Map(fields.map(({ id, name }) => [id, name]))
  const found = decodeFields(struct).map(
    field => [names.get(field.id) ?? String(field.id), toFieldValue(field)] as const,
  )
  return Object.fromEntries(found)
}

/** What a schema can be held against: an object, or a Thrift struct. */
export const isPayload = (payload: unknown): payload is Readonly<Record<string, Value>> | Uint8Array =>
  payload instanceof Uint8Array || isObject(payload)
