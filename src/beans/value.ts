import { BeanError, quoteText } from './bean-error.ts'

/** Types of attributes, arguments and results; `map` is a JSON object, `list` an array of anything. */
export type ValueType = 'string' | 'long' | 'int' | 'double' | 'boolean' | 'string[]' | 'map' | 'list' | 'void'

/** Longest text, and most elements, that a write or an argument may have. */
export const maxTextLength = 10_000
const maxElements = 1_000

/**
 * Takes a client's value as one of the declared type. Numbers and booleans may be sent as text, as simple clients send
 * them. `what` names the value in the message.
 * @throws BeanError `bad-value`
 */
export const toTyped = (value: unknown, type: ValueType, what: string): unknown => {
  switch (type) {
    case 'string':
      return toText(value, what)
    case 'long':
      return toInteger(value, what, Number.MAX_SAFE_INTEGER)
    case 'int':
      return toInteger(value, what, 2 ** 31 - 1)
    case 'double':
      return toNumber(value, what)
    case 'boolean':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw expected('true or false', value, what)
    case 'string[]':
      if (!Array.isArray(value) || value.length > maxElements) throw expected(`up to ${maxElements} texts`, value, what)
      return value.map(one => toText(one, what))
    default:
      throw new BeanError('bad-value', `${what} cannot be set`)
  }
}

/** What JSON can hold: maps become objects, sets arrays, big integers text; infinities and NaN become null there. */
export const toPlain = (value: unknown): unknown => {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value)
  }
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return null
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(toPlain)
  if (value instanceof Set) return [...value].map(toPlain)
  const entries: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value)
  return Object.fromEntries(Array.from(entries, ([key, part]) => [String(key), toPlain(part)]))
}

const toText = (value: unknown, what: string): string => {
  if (typeof value !== 'string') throw expected('a text', value, what)
  if (value.length > maxTextLength)
    throw new BeanError('bad-value', `${what} has ${value.length} characters; ${maxTextLength} fit`)
  return value
}

const toInteger = (value: unknown, what: string, max: number): number => {
  const number = toNumber(value, what)
  if (!Number.isInteger(number) || Math.abs(number) > max) throw expected(`an integer up to ±${max}`, value, what)
  return number
}

const toNumber = (value: unknown, what: string): number => {
  const isNumeric = typeof value === 'string' && /^[+-]?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i.test(value)
  const number = isNumeric ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw expected('a number', value, what)
  return number
}

const expected = (want: string, value: unknown, what: string): BeanError => {
  const got =
    typeof value === 'string'
      ? quoteText(value)
      : value === null
        ? 'null'
        : Array.isArray(value)
          ? 'an array'
          : `a ${typeof value}`
  return new BeanError('bad-value', `${what}: expected ${want}, got ${got}`)
}
