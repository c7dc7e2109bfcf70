import { parseExactJson } from './json-long.ts'
import { hasEscapedName } from './json-names.ts'
import { hasIndexName, toName } from './members.ts'
import { isWrapped, maxDepth, type Value } from './number.ts'
import { toBuffer } from './to-buffer.ts'

/**
 * Parses JSON text, exactly: no number is rounded, and `1.0` stays a double. As fast as `JSON.parse` for texts whose
 * numbers that function keeps.
 * @throws FormatError what is not JSON, with the character's offset; more than 1 000 levels; a number beyond the limits of
 *   `parseNumber`
 */
export const parseJson = (text: string): Value => {
  if (!delicateNumber.test(text) && !loneNumber.test(text) && !hasIndexName(text) && !hasEscapedName(text)) {
    try {
      const value = JSON.parse(text) as Value
      if (text.length <= 2 * maxDepth || isShallow(value, maxDepth)) return value
    } catch {
      // The exact parser says where.
    }
  }
  return parseExactJson(text)
}

/**
 * Writes JSON text, exactly; {@link parseJson} gives the value back, except for binary (a base64 string), NaN and the
 * infinities (strings), and floats (doubles).
 * @throws RangeError more than 2 000 levels, which a value that contains itself has
 */
export const stringifyJson = (value: Value, options: { readonly indent?: number } = {}): string =>
  writeBy[howToWrite(value, 0)](value, options.indent)

/** What writes a value: `JSON.stringify` alone, the same with numbers and binary exact, or names in their places too. */
type Way = 0 | 1 | 2
const writeBy: Readonly<Record<Way, (value: Value, indent: number | undefined) => string>> = {
  0: (value, indent) => JSON.stringify(value, null, indent),
  1: (value, indent) => JSON.stringify(value, exactly, indent),
  2: (value, indent) => writeInOrder(value, indent ? ' '.repeat(indent) : undefined, '\n'),
}

/** Readers stop at half of that; what they gave may be wrapped. */
const maxWriteDepth = 2 * maxDepth

/**
 * Numbers that `JSON.parse` may change: from 16 digits and points on, `-0`, with an exponent, or with a fraction that
 * ends in 0 (it may be all zeros). They follow one of `:,[`; inside a string the same characters are a false alarm,
 * which only costs time.
 */
const delicateNumber = /[:,[][\t\n\r ]*(?:-0[,\]}\t\n\r ]|-?\d(?:[\d.]{15}|\d*(?:[eE]|\.\d*(?:[eE]|0[,\]}\t\n\r ]))))/

/** A number alone, which has nothing before it. */
const loneNumber = /^[\t\n\r ]*[-\d]/

/** Whether no level is deeper than the limit; what is too deep needs a bracket at each end of each level. */
const isShallow = (value: Value, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) {
    for (const element of value) if (!isShallow(element, levels - 1)) return false
    return true
  }
  const object = value as { readonly [key: string]: Value }
  for (const name in object) if (!isShallow(object[name] as Value, levels - 1)) return false
  return true
}

/** What a value needs to be written as wanted; the wrappers of numbers bring `toJSON`. */
const howToWrite = (value: Value, depth: number): Way => {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? 0 : 1
    case 'bigint':
      return 1
    case 'object':
      if (value === null) return 0
      break
    default:
      return 0
  }
  if (depth > maxWriteDepth) {
    throw new RangeError(`Cannot write JSON: the value is nested deeper than ${maxWriteDepth} levels`)
  }
  let way: Way = 0
  if (Array.isArray(value)) {
    for (const element of value) way = Math.max(way, howToWrite(element, depth + 1)) as Way
    return way
  }
  if (value instanceof Uint8Array) return 1
  if (isWrapped(value)) return 0
  for (const key in value) {
    if (key.charCodeAt(0) === 0) way = 2
    way = Math.max(way, howToWrite(value[key] as Value, depth + 1)) as Way
  }
  return way
}

/** By hand: `JSON.stringify` knows no names but keys. @param lineStart a line break and how far the value is indented */
const writeInOrder = (value: Value, indent: string | undefined, lineStart: string): string => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || isWrapped(value)) {
    return JSON.stringify(value, exactly)
  }
  const inner = indent === undefined ? '' : lineStart + indent
  const colon = indent === undefined ? ':' : ': '
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map(element => writeInOrder(element, indent, inner))]
    : [
        '{',
        '}',
        Object.keys(value).map(
          key => JSON.stringify(toName(key)) + colon + writeInOrder(value[key] as Value, indent, inner),
        ),
      ]
  if (parts.length === 0) return open + close
  return `${open}${inner}${parts.join(`,${inner}`)}${indent === undefined ? '' : lineStart}${close}`
}

/** A replacer; `this` has the value as it was before a `toJSON` (Buffer has one). */
function exactly(this: unknown, name: string, replaced: unknown): unknown {
  const value = (this as Record<string, unknown>)[name]
  if (typeof value === 'bigint') return JSON.rawJSON(value.toString())
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Uint8Array) return toBuffer(value).toString('base64')
  return replaced
}
