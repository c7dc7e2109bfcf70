/**
 * Names of an object in the order in which they were sent. JavaScript puts keys that look like the index of an array
 * (`"10"`) before all others, so those are prefixed with a mark, and a name that begins with the mark gets another one.
 * What writes names, or shows them, asks {@link toName}; members of known names are read as they are.
 */
import type { Value } from './number.ts'

/** U+0000: in a name as good as never. */
const mark = '\u0000'

/** Longest index of an array, in digits. */
const maxIndexDigits = 10

/** The key of a member in an object of the value model. */
export const toKey = (name: string): string => {
  const first = name.charCodeAt(0)
  if (first === 0) return mark + name
  if (!(first >= 0x30 && first <= 0x39) || name.length > maxIndexDigits) return name
  for (let at = 1; at < name.length; at++) {
    const code = name.charCodeAt(at)
    if (code < 0x30 || code > 0x39) return name
  }
  return mark + name
}

/** The name that a key encodes. */
export const toName = (key: string): string => (key.charCodeAt(0) === 0 ? key.slice(1) : key)

/** Whether a value is an object of the value model: arrays, binary and wrapped numbers have prototypes of their own. */
export const isObject = (value: unknown): value is { [key: string]: Value } =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** From this many members on an object is a dictionary to the engine, and its values are found faster one by one. */
const manyMembers = 1_000

/** The names of an object, in order, and their values. */
export const toMembers = (object: {
  readonly [key: string]: Value
}): { readonly names: string[]; readonly values: Value[] } => {
  const keys = Object.keys(object)
  const values = keys.length < manyMembers ? Object.values(object) : keys.map(key => object[key] ?? null)
  return { names: keys.map(toName), values }
}

/** Whether JSON text may have names that an object would not keep in place, or that look like kept ones. */
export const hasIndexName = (text: string): boolean => indexName.test(text)

/** Digits in quotes before a colon, escaped ones too; or a text that begins with the mark, which only an escape can. */
const indexName = /"(?:(?:\d|\\u003\d){1,10}"[\t\n\r ]*:|\\u0000)/

/** Sets an own member, the last of equal names; `__proto__` is a name like any other, as for `JSON.parse`. */
export const setMember = (object: { [key: string]: Value }, name: string, value: Value): void => {
  const first = name.charCodeAt(0)
  // Nearly all names begin with a letter.
  if (first > 0x39 && first !== 0x5f) object[name] = value
  else if (name !== '__proto__') object[toKey(name)] = value
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

/** An object of members in this order. */
export const fromMembers = (members: Iterable<readonly [name: string, value: Value]>): { [key: string]: Value } => {
  const object: { [key: string]: Value } = {}
  for (const [name, value] of members) setMember(object, name, value)
  return object
}
