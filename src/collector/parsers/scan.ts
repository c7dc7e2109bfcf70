/**
 * Looks through a parsed JSON value for what cannot be stored: an event may not hold too many values, the formats behind
 * the spool nest less deeply than `JSON.parse` does, and read numbers exactly. Values that JSON.parse made are cheap to
 * look through; the text is not.
 */
import { tooManyValues } from '../event-limits.ts'

/** Deepest nesting within an event, its own two levels included; half of what the formats' readers take. */
export const maxEventDepth = 500

/** Why an event is refused that is deeper. */
export const tooDeep = `The event nests deeper than ${maxEventDepth} levels`

/** What to search for and what was found; one object for all events of a request. */
export type Scan = {
  readonly maxValues: number
  /** Of the event that was looked at last. */
  values: number
  /** A number that is 0 or infinite: perhaps one with an exponent beyond all sense. */
  extremeNumber: boolean
}

/** For the events of a request. */
export const createScan = (maxValues: number): Scan => ({ maxValues, values: 0, extremeNumber: false })

/** Why an event cannot be stored; undefined when it can. */
export const findUnstorable = (event: object, scan: Scan): string | undefined => {
  scan.values = 1
  return findWithin(event, scan, 1)
}

const findWithin = (value: object, scan: Scan, depth: number): string | undefined => {
  if (depth > maxEventDepth) return tooDeep
  if (Array.isArray(value)) {
    scan.values += value.length
    if (scan.values > scan.maxValues) return tooManyValues(scan.maxValues)
    for (let index = 0; index < value.length; index++) {
      const found = findInMember(value[index], scan, depth)
      if (found !== undefined) return found
    }
    return undefined
  }
  const members = value as Readonly<Record<string, unknown>>
  // `for in` alone, and not Object.values: three times as fast on the alike objects that JSON.parse makes.
  for (const key in members) {
    scan.values++
    const found = findInMember(members[key], scan, depth)
    if (found !== undefined) return found
  }
  return scan.values > scan.maxValues ? tooManyValues(scan.maxValues) : undefined
}

const findInMember = (member: unknown, scan: Scan, depth: number): string | undefined => {
  if (typeof member === 'object') return member === null ? undefined : findWithin(member, scan, depth + 1)
  if (typeof member === 'number' && (member === 0 || member === Infinity || member === -Infinity)) {
    scan.extremeNumber = true
  }
  return undefined
}

/** An exponent that exact numbers cannot have. */
// Spelled out: a repeat count makes the search slower by half.
const longExponent = /[eE][+-]?\d\d\d\d\d\d\d/
/** Whether there may be such an exponent; a text that looks like one counts too. */
export const hasLongExponent = (text: string): boolean => longExponent.test(text)

/** Numbers shorter than this are read exactly whatever their digits are. */
const maxDigits = 8_192
const stride = 1_024

/** Whether there may be a number of more than 8 192 characters: looks at every 1 024th byte only. */
export const hasLongNumber = (bytes: Uint8Array): boolean => {
  let run = 0
  for (let at = stride; at < bytes.length; at += stride) {
    run = isNumberByte(bytes[at] ?? 0) ? run + 1 : 0
    if (run >= maxDigits / stride) return true
  }
  return false
}

/** Digits, and `+ - . e E`. */
const isNumberByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b || (byte | 0x20) === 0x65
