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
import { type ThriftField, thriftType } from '../../formats/thrift/field-list.ts'
import { type AnnotationValue, computeAnnotation, type RequestContext } from '../annotations.ts'
import { parseDecimalInteger, parseDouble } from './decimal.ts'
import { quote } from './event-date.ts'
import { formDecode } from './form-decode.ts'

/** Longest `v`, in characters; browsers are told to keep URLs below 256. */
export const maxQueryLength = 8192

/** How integers are written: `/1` and `/2`. */
export type QueryVersion = 1 | 2

/** An event name as sent, not yet checked, and its fields. */
export type QueryEvent = { readonly name: string; readonly fields: readonly ThriftField[] }

/**
 * Reads `v` after its first decode.
 * @throws SluiceError `uri-too-long`, or `bad-event` naming the element that cannot be read
 */
export const parseEventQuery = (v: string, version: QueryVersion, context: RequestContext): QueryEvent => {
  if (v.length > maxQueryLength) {
    throw new SluiceError('uri-too-long', `v has ${v.length} characters; at most ${maxQueryLength} are taken`)
  }
  const [name = '', ...elements] = v.split(',')
  return { name, fields: elements.map((element, index) => parseElement(element, index + 1, version, context)) }
}

const parseElement = (element: string, id: number, version: QueryVersion, context: RequestContext): ThriftField => {
  if (element === '') throw malformed(id, 'is empty; expected a type character and a value')
  const type = element.charAt(0)
  const value = decodeValue(element.slice(1), id)
  switch (type) {
    case 'b':
      return { id, type: thriftType.bool, value: toBool(value, id) }
    case '1':
      return { id, type: thriftType.byte, value: Number(toInteger(value, 8, id, version)) }
    case '2':
      return { id, type: thriftType.i16, value: Number(toInteger(value, 16, id, version)) }
    case '4':
      return { id, type: thriftType.i32, value: Number(toInteger(value, 32, id, version)) }
    case '8':
      return { id, type: thriftType.i64, value: toInteger(value, 64, id, version) }
    case 'd':
      return { id, type: thriftType.double, value: toDouble(value, id) }
    case 's':
      return toTextField(id, value)
    case 'x':
      return toAnnotationField(id, value, context)
    default:
      throw malformed(id, `has the type ${quote(type)}; expected one of b 1 2 4 8 d s x`)
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
  throw malformed(id, `is ${quote(value)}; expected 0 or 1`)
}

const toInteger = (value: string, bits: number, id: number, version: QueryVersion): bigint => {
  if (value === '') return 0n
  const number = version === 1 ? parseDecimalInteger(value) : parseBase64(value, id)
  if (number === undefined) throw malformed(id, `is ${quote(value)}; expected a decimal integer`)
  if (BigInt.asIntN(bits, number) !== number) throw malformed(id, `is ${quote(value)}, which ${bits} bits cannot hold`)
  return number
}

const parseBase64 = (value: string, id: number): bigint => {
  try {
    return parseBase64Number(value)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw malformed(id, `is ${quote(value)}; expected a base 64 integer of at most 64 bits`, error)
  }
}

const toDouble = (value: string, id: number): number => {
  const number = value === '' ? 0 : parseDouble(value)
  if (number === undefined) throw malformed(id, `is ${quote(value)}; expected a decimal number`)
  return number
}

const toTextField = (id: number, text: string): ThriftField => ({
  id,
  type: thriftType.string,
  value: Buffer.from(text, 'utf8'),
})

const toAnnotationField = (id: number, name: string, context: RequestContext): ThriftField => {
  const value: AnnotationValue | undefined = computeAnnotation(name, context)
  if (value === undefined) throw malformed(id, `is the annotation ${quote(name)}; expected date, host, path, ua or ip`)
  if ('i64' in value) return { id, type: thriftType.i64, value: value.i64 }
  if ('i32' in value) return { id, type: thriftType.i32, value: value.i32 }
  return toTextField(id, value.text)
}

const malformed = (id: number, what: string, cause?: unknown): SluiceError =>
  new SluiceError('bad-event', `Element ${id} of v ${what}`, { cause })
