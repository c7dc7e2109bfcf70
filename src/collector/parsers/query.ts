/**
 * The parameter `v` of the query API:
 *
 *     v      = name *( "," type value )      form-decoded once, as any parameter
 *     type   = "b" "1" "2" "4" "8" "d" "s"   bool, byte, i16, i32, i64, double, text
 *            | "x"                           an annotation, see `annotations.ts`
 *     value  = form-encoded once more; empty is the type's zero (not for "x")
 *
 * Field ids are the positions from 1. Version 1 writes integers in decimal, version 2 in base 64; doubles are decimal
 * in both.
 */
import { FormatError, SluiceError } from '../../errors.ts'
import { parseBase64Number } from '../../formats/base64-number.ts'
import { thriftType } from '../../formats/thrift/types.ts'
import { ThriftWriter } from '../../formats/thrift/writer.ts'
import { type AnnotationValue, computeAnnotation, type RequestContext } from '../annotations.ts'
import { parseDecimalInteger, parseDouble } from './decimal.ts'
import { quoteClient } from './event-date.ts'
import { formDecode, formDecodeAscii } from './form-decode.ts'

/** How integers are written: `/1` and `/2`. */
export type QueryVersion = 1 | 2

/** An event name as sent, not yet checked, and its fields as one bare Thrift struct. */
export type QueryEvent = { readonly name: string; readonly payload: Uint8Array }

/**
 * Reads `v` after its first decode.
 * @param fields where the fields are written, in place of what it held; the payload is a view of it
 * @throws SluiceError `bad-event` naming the element that cannot be read
 */
export const parseEventQuery = (
  v: string,
  version: QueryVersion,
  context: RequestContext,
  fields: ThriftWriter = new ThriftWriter(),
): QueryEvent => {
  const nameEnd = findEnd(v, 0)
  fields.clear()
  for (let id = 1, at = nameEnd + 1; at <= v.length; id++) {
    const end = findEnd(v, at)
    if (end === at) throw malformed(id, 'is empty; expected a type character and a value')
    const type = v.charAt(at++)
    if (type === 's') writeText(fields, { id, v, start: at, end })
    else writeField(fields, { id, type, value: decodeValue(v.slice(at, end), id) }, version, context)
    at = end + 1
  }
  fields.stop()
  return { name: v.slice(0, nameEnd), payload: fields.bytes() }
}

/** Of the element that starts there: at the next comma, or the end of all. */
const findEnd = (v: string, start: number): number => {
  const comma = v.indexOf(',', start)
  return comma < 0 ? v.length : comma
}

type TextElement = { readonly id: number; readonly v: string; readonly start: number; readonly end: number }

const writeText = (fields: ThriftWriter, { id, v, start, end }: TextElement): void => {
  fields.fieldHeader(thriftType.string, id)
  const isAscii = fields.binaryBy(end - start, (target, at) => formDecodeAscii(v, start, end, target, at))
  if (!isAscii) fields.text(decodeValue(v.slice(start, end), id))
}

type Element = { readonly id: number; readonly type: string; readonly value: string }

/** Written as it is read, no object of the field in between: this is most of the work of a small request. */
const writeField = (
  fields: ThriftWriter,
  { id, type, value }: Element,
  version: QueryVersion,
  context: RequestContext,
): void => {
  switch (type) {
    case 'b':
      fields.fieldHeader(thriftType.bool, id)
      fields.bool(toBool(value, id))
      break
    case '1':
      fields.fieldHeader(thriftType.byte, id)
      fields.byte(Number(toInteger(value, int8, id, version)))
      break
    case '2':
      fields.fieldHeader(thriftType.i16, id)
      fields.i16(Number(toInteger(value, int16, id, version)))
      break
    case '4':
      fields.fieldHeader(thriftType.i32, id)
      fields.i32(Number(toInteger(value, int32, id, version)))
      break
    case '8':
      fields.fieldHeader(thriftType.i64, id)
      fields.i64(toInteger(value, int64, id, version))
      break
    case 'd':
      fields.fieldHeader(thriftType.double, id)
      fields.double(toDouble(value, id))
      break
    case 'x':
      writeAnnotation(fields, id, value, context)
      break
    default:
      throw malformed(id, `has the type ${quoteClient(type)}; expected one of b 1 2 4 8 d s x`)
  }
}

const decodeValue = (text: string, id: number): string => {
  try {
    return formDecode(text)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw malformed(id, 'has a "%" without two hexadecimal digits; a literal one is written %2525', error)
  }
}

const toBool = (value: string, id: number): boolean => {
  if (value === '1') return true
  if (value === '0' || value === '') return false
  throw malformed(id, `is ${quoteClient(value)}; expected 0 or 1`)
}

/** Integers of this many bits are below the limit, and from its negative on. */
type IntegerType = { readonly bits: number; readonly limit: number }

const integerOf = (bits: number): IntegerType => ({ bits, limit: 2 ** (bits - 1) })
const int8 = integerOf(8)
const int16 = integerOf(16)
const int32 = integerOf(32)
const int64 = integerOf(64)

const toInteger = (value: string, { bits, limit }: IntegerType, id: number, version: QueryVersion): number | bigint => {
  if (value === '') return 0
  const number = version === 1 ? parseDecimalInteger(value) : parseBase64(value, id)
  if (number === undefined) throw malformed(id, `is ${quoteClient(value)}; expected a decimal integer`)
  if (number < -limit || number >= limit)
    throw malformed(id, `is ${quoteClient(value)}, which ${bits} bits cannot hold`)
  return number
}

const parseBase64 = (value: string, id: number): number | bigint => {
  try {
    return parseBase64Number(value)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw malformed(id, `is ${quoteClient(value)}; expected a base 64 integer of at most 64 bits`, error)
  }
}

const toDouble = (value: string, id: number): number => {
  const number = value === '' ? 0 : parseDouble(value)
  if (number === undefined) throw malformed(id, `is ${quoteClient(value)}; expected a decimal number`)
  return number
}

const writeAnnotation = (fields: ThriftWriter, id: number, name: string, context: RequestContext): void => {
  const value: AnnotationValue | undefined = computeAnnotation(name, context)
  if (value === undefined)
    throw malformed(id, `is the annotation ${quoteClient(name)}; expected date, host, path, ua or ip`)
  if ('i64' in value) {
    fields.fieldHeader(thriftType.i64, id)
    fields.i64(value.i64)
  } else if ('i32' in value) {
    fields.fieldHeader(thriftType.i32, id)
    fields.i32(value.i32)
  } else {
    fields.fieldHeader(thriftType.string, id)
    fields.text(value.text)
  }
}

const malformed = (id: number, what: string, cause?: unknown): SluiceError =>
  new SluiceError('bad-event', `Element ${id} of v ${what}`, { cause })
