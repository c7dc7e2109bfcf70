/**
 * Typed fields, and how the query API writes them:
 *
 *     v      = name *( "," type value )      encoded once more as a parameter
 *     value  = percent-encoded text          integers in decimal (version 1) or base 64 (version 2)
 *
 * A field has no name: its id is its position, from 1.
 */
import { formatBase64Number } from '../../src/formats/base64-number.ts'

/** What the server fills in when it receives the event. */
export type Annotation = 'date' | 'host' | 'path' | 'ua' | 'ip'

/** One field; made by the functions of {@link field}. */
export type Field =
  | { readonly type: 'b'; readonly value: boolean }
  | { readonly type: '1' | '2' | '4' | '8'; readonly value: bigint }
  | { readonly type: 'd'; readonly value: number }
  | { readonly type: 's'; readonly value: string }
  | { readonly type: 'x'; readonly value: Annotation }

/** Makes fields. The integers throw RangeError for what their type cannot hold, or for a number that is not exact. */
export const field = {
  bool: (value: boolean): Field => ({ type: 'b', value }),
  byte: (value: number): Field => toInteger('1', 8, value),
  i16: (value: number): Field => toInteger('2', 16, value),
  i32: (value: number): Field => toInteger('4', 32, value),
  i64: (value: number | bigint): Field => toInteger('8', 64, value),
  double: (value: number): Field => ({ type: 'd', value }),
  /** A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD. */
  text: (value: string): Field => ({ type: 's', value: value.toWellFormed() }),
  /** Only by GET. */
  annotation: (value: Annotation): Field => ({ type: 'x', value }),
}

/** How integers are written, by the first segment of the path. */
export type QueryVersion = 1 | 2

/**
 * The text of `v`, not yet encoded as a parameter.
 * @throws TypeError a name that is empty or has a comma, which ends a name here
 */
export const toQueryText = (eventName: string, fields: readonly Field[], version: QueryVersion): string => {
  if (typeof eventName !== 'string' || eventName === '' || eventName.includes(',')) {
    throw new TypeError(`Cannot send the event name ${JSON.stringify(eventName)} by GET: it is empty or has a comma`)
  }
  return [eventName.toWellFormed(), ...fields.map(one => `${one.type}${toText(one, version)}`)].join(',')
}

const toText = (one: Field, version: QueryVersion): string => {
  switch (one.type) {
    case 'b':
      return one.value ? '1' : '0'
    case 'd':
      return encodeURIComponent(Object.is(one.value, -0) ? '-0' : String(one.value))
    case 's':
      return encodeURIComponent(one.value)
    case 'x':
      return one.value
    default:
      return version === 1 ? String(one.value) : formatBase64Number(one.value)
  }
}

const toInteger = (type: '1' | '2' | '4' | '8', bits: number, value: number | bigint): Field => {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`Cannot send ${value} as an integer: expected a whole number up to 2^53, or a bigint`)
  }
  const integer = BigInt(value)
  if (BigInt.asIntN(bits, integer) !== integer)
    throw new RangeError(`Cannot send ${value}: ${bits} bits cannot hold it`)
  return { type, value: integer }
}
