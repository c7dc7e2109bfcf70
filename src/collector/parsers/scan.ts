/**
 * Looks through a parsed JSON value for what could not be stored: the formats behind the spool nest less deeply than
 * `JSON.parse` does, hold no half surrogate pairs, and read numbers exactly. Values that JSON.parse made are cheap to
 * look through; the text is not.
 */

/** Deepest nesting within an event, its own two levels included; half of what the formats' readers take. */
export const maxEventDepth = 500

/** What was found; one object for all events of a request. */
export type Scan = {
  /** Whether to look at texts: true when the body has an escaped surrogate. */
  readonly checkText: boolean
  /** A number that is 0 or infinite: perhaps one with an exponent beyond all sense. */
  extremeNumber: boolean
}

/** Why the value cannot be stored; undefined when it can. */
export const findUnstorable = (value: object, scan: Scan, depth = 1): string | undefined => {
  if (depth > maxEventDepth) return `The event nests deeper than ${maxEventDepth} levels`
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = findInMember(value[index], scan, depth)
      if (found !== undefined) return found
    }
    return undefined
  }
  const members = value as Readonly<Record<string, unknown>>
  // `for in` alone, and not Object.values: three times as fast on the alike objects that JSON.parse makes.
  for (const key in members) {
    const found = scan.checkText && !key.isWellFormed() ? halfPair : findInMember(members[key], scan, depth)
    if (found !== undefined) return found
  }
  return undefined
}

const findInMember = (member: unknown, scan: Scan, depth: number): string | undefined => {
  if (typeof member === 'object') return member === null ? undefined : findUnstorable(member, scan, depth + 1)
  if (typeof member === 'number') {
    if (member === 0 || member === Infinity || member === -Infinity) scan.extremeNumber = true
    return undefined
  }
  return scan.checkText && typeof member === 'string' && !member.isWellFormed() ? halfPair : undefined
}

const halfPair = 'The event has half a surrogate pair in a text'

const surrogateEscape = /\\u[dD][89a-fA-F]/

/** Whether texts may hold half a surrogate pair; decoded UTF-8 does not, only escapes do. */
export const hasSurrogateEscape = (text: string): boolean => text.includes('\\u') && surrogateEscape.test(text)

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
