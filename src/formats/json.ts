import { Buffer } from 'node:buffer'
import { parseExactJson } from './json-exact.ts'
import { Decimal, Float32, Float64, maxDepth, type Value } from './number.ts'

/**
 * Parses JSON text, exactly: no number is rounded, and `1.0` stays a double. As fast as `JSON.parse` for texts whose
 * numbers that function keeps.
 * @throws FormatError what is no JSON, with the character's offset; more than 1 000 levels; a number beyond the limits of
 *   `parseNumber`
 */
export const parseJson = (text: string): Value => {
  if (!delicateNumber.test(text) && !loneNumber.test(text)) {
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
  isPlainValue(value, 0) ? JSON.stringify(value, null, options.indent) : JSON.stringify(value, exactly, options.indent)

/** Readers stop at half of that; what they gave may be wrapped. */
const maxWriteDepth = 2 * maxDepth

/**
 * Numbers that `JSON.parse` may change: from 16 digits and points on, `-0`, with an exponent, or with a fraction that
 * ends in 0 (it may be all zeros). They stand behind one of `:,[`; inside a string the same characters are a false
 * alarm, which only costs time.
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

/** Whether `JSON.stringify` writes it as wanted without help; the wrappers bring `toJSON`. */
const isPlainValue = (value: Value, depth: number): boolean => {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value)
    case 'bigint':
      return false
    case 'object':
      if (value === null) return true
      break
    default:
      return true
  }
  if (depth > maxWriteDepth) {
    throw new RangeError(`Cannot write JSON: the value is nested deeper than ${maxWriteDepth} levels`)
  }
  if (Array.isArray(value)) {
    let isPlain = true
    for (const element of value) isPlain = isPlainValue(element, depth + 1) && isPlain
    return isPlain
  }
  if (value instanceof Uint8Array) return false
  if (value instanceof Float64 || value instanceof Float32 || value instanceof Decimal) return true
  let isPlain = true
  for (const name in value) isPlain = isPlainValue(value[name] as Value, depth + 1) && isPlain
  return isPlain
}

/** A replacer; `this` has the value as it was before a `toJSON` (Buffer has one). */
function exactly(this: unknown, name: string, replaced: unknown): unknown {
  const value = (this as Record<string, unknown>)[name]
  if (typeof value === 'bigint') return JSON.rawJSON(value.toString())
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  }
  return replaced
}
