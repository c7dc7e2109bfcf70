import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import { ThriftReader } from './reader.ts'
import { fixedBytes, type ThriftField, thriftType, toTypeName } from './types.ts'
import { ThriftWriter } from './writer.ts'

export { type ThriftField, thriftType } from './types.ts'

/** Most fields of one event: there are no more ids. Bounds what a small body can unfold into. */
export const maxFields = 65_536

/** Writes a field list as one bare struct: the payload of an event. RangeError when a number does not fit its type. */
export const encodeFields = (fields: Iterable<ThriftField>): Uint8Array => {
  const writer = new ThriftWriter()
  for (const field of fields) {
    writer.fieldHeader(field.type, field.id)
    writeValue(writer, field)
  }
  writer.stop()
  return writer.bytes()
}

/**
 * Reads one bare struct of primitive fields, in their order: ids may be missing, descend or repeat, and gaps are not
 * filled. Bytes after the struct are left alone; {@link checkFieldList} finds where it ends.
 * @throws FormatError `thrift`: cut short, a length beyond the end, or a field that is not of a primitive type
 * @throws LimitError more fields or bytes of strings than the budget has
 */
export const decodeFields = (
  bytes: Uint8Array,
  start = 0,
  end: number = bytes.length,
  budget?: Budget,
): ThriftField[] => {
  const reader = new ThriftReader(bytes, start, end)
  const fields: ThriftField[] = []
  for (
    let at = start, type = reader.fieldType();
    type !== thriftType.stop;
    at = reader.offset, type = reader.fieldType()
  ) {
    checkCount(fields.length, at)
    const field = readValue(reader, type, reader.i16(), at)
    budget?.value()
    if (field.type === thriftType.string) budget?.bytes(field.value.length)
    fields.push(field)
  }
  return fields
}

/**
 * Validates one bare struct of primitive fields without making objects of it, and returns the offset after its stop.
 * @throws FormatError as {@link decodeFields} would
 */
export const checkFieldList = (bytes: Uint8Array, start = 0, end: number = bytes.length, budget?: Budget): number => {
  const reader = new ThriftReader(bytes, start, end)
  let count = 0
  for (
    let at = start, type = reader.fieldType();
    type !== thriftType.stop;
    at = reader.offset, type = reader.fieldType()
  ) {
    checkCount(count++, at)
    if (!isPrimitive(type)) throw notPrimitive(type, at)
    reader.i16()
    const from = reader.offset
    reader.skip(type)
    budget?.value()
    if (type === thriftType.string) budget?.bytes(reader.offset - from - lengthBytes)
  }
  return reader.offset
}

/** Of a string, before it. */
const lengthBytes = 4

const readValue = (reader: ThriftReader, type: number, id: number, at: number): ThriftField => {
  switch (type) {
    case thriftType.bool:
      return { id, type, value: reader.bool() }
    case thriftType.byte:
      return { id, type, value: reader.byte() }
    case thriftType.double:
      return { id, type, value: reader.double() }
    case thriftType.i16:
      return { id, type, value: reader.i16() }
    case thriftType.i32:
      return { id, type, value: reader.i32() }
    case thriftType.i64:
      return { id, type, value: reader.i64() }
    case thriftType.string:
      return { id, type, value: reader.binary() }
    default:
      throw notPrimitive(type, at)
  }
}

const writeValue = (writer: ThriftWriter, field: ThriftField): void => {
  switch (field.type) {
    case thriftType.bool:
      writer.bool(field.value)
      break
    case thriftType.byte:
      writer.byte(field.value)
      break
    case thriftType.double:
      writer.double(field.value)
      break
    case thriftType.i16:
      writer.i16(field.value)
      break
    case thriftType.i32:
      writer.i32(field.value)
      break
    case thriftType.i64:
      writer.i64(field.value)
      break
    case thriftType.string:
      writer.binary(field.value)
      break
  }
}

const isPrimitive = (type: number): boolean => fixedBytes(type) > 0 || type === thriftType.string

const notPrimitive = (type: number, at: number): FormatError =>
  new FormatError('thrift', at, `expected a field of a primitive type, found ${toTypeName(type)}`)

const checkCount = (count: number, at: number): void => {
  if (count >= maxFields) throw new FormatError('thrift', at, `expected at most ${maxFields} fields, found more`)
}
