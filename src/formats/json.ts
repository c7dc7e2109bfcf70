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
  if (!isPlainText(text)) return parseExactJson(text)
  try {
    return JSON.parse(text) as Value
  } catch {
    // It says where, and what it expected there.
    return parseExactJson(text)
  }
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

/** From this many digits (and points) on, a number may not be a double. */
const maxPlainLength = 15

/**
 * Whether `JSON.parse` keeps every number: integers and fractions of up to 15 digits, no `-0`, `1.0` or `1e3`. In a text
 * that is no JSON the answer does not matter.
 */
const isPlainText = (text: string): boolean => {
  const { length } = text
  let depth = 0
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 0x22) {
      // To the closing quote; numbers in strings are none.
      for (i += 1; i < length; i += 1) {
        const inside = text.charCodeAt(i)
        if (inside === 0x22) break
        if (inside === 0x5c) i += 1
      }
    } else if (code <= 0x39 && code >= 0x2d && code !== 0x2f) {
      const start = i
      let point = -1
      let last = code
      let next = text.charCodeAt(i + 1)
      while (next <= 0x39 && next >= 0x2e) {
        if (next === 0x2e) point = i + 1
        last = next
        i += 1
        next = text.charCodeAt(i + 1)
      }
      if (i - start >= maxPlainLength || next === 0x65 || next === 0x45) return false
      // A fraction that ends in 0 may be all zeros; -0 is the one integer that begins with "-0".
      if (last === 0x30 && (point >= 0 || code === 0x2d)) return false
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > maxDepth) return false
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
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
