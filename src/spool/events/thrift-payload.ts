import { fromMembers } from '../../formats/members.ts'
import type { Value } from '../../formats/number.ts'
import { toDouble } from '../../formats/number.ts'
import type { ThriftRecord } from '../../formats/thrift/envelope-stream.ts'
import { decodeFields, type ThriftField, thriftType } from '../../formats/thrift/field-list.ts'
import type { DecodedEvent } from './decode-events.ts'

/**
 * A Thrift event as an object: the date and granularity of its record, then its fields under their names, or under
 * their ids without a name.
 */
export const toThriftPayload = (
  { head, record }: Extract<DecodedEvent, { kind: 'thrift' }>,
  names?: ReadonlyMap<number, string>,
): { [key: string]: Value } => {
  const members: [string, Value][] = [
    ['eventDate', head.date],
    ['eventGranularity', head.granularity],
  ]
  for (const { id, value } of thriftFields(record)) members.push([names?.get(id) ?? `${id}`, value])
  return fromMembers(members)
}

/** The fields of a Thrift event in their order on the wire. */
export const thriftFields = ({
  payload,
}: Pick<ThriftRecord, 'payload'>): { readonly id: number; readonly value: Value }[] =>
  decodeFields(payload).map(field => ({ id: field.id, value: toValue(field) }))

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The wire does not distinguish text from binary: bytes that are not UTF-8 stay bytes, in memory of their own, and
 * become base64 in JSON.
 */
const toValue = (field: ThriftField): Value => {
  if (field.type === thriftType.double) return toDouble(field.value)
  if (field.type !== thriftType.string) return field.value
  try {
    return utf8.decode(field.value)
  } catch {
    return new Uint8Array(field.value)
  }
}
