/** Decimal numbers of the query API as old servers read them, which is what Java's parsers take. */

const integer = /^[+-]?[0-9]+$/
const decimal = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?$/
const special = /^([+-]?)(NaN|Infinity)$/
const hex = /^([+-]?)0[xX]([0-9A-Fa-f]*)(?:\.([0-9A-Fa-f]*))?[pP]([+-]?[0-9]+)[fFdD]?$/

/** Longer numbers are not genuine input, and reading them takes more than linear time. */
const maxNumberLength = 512
/** 256 bits: far beyond a double's 53, far below where the whole number alone would be infinite. */
const maxHexDigits = 64

/** Up to this many digits are an integer that a plain number holds; nearly all are that short, and without a sign. */
const maxPlainDigits = 15

/**
 * A whole number with an optional sign, leading zeros allowed, without an exponent if short; undefined for other text.
 */
export const parseDecimalInteger = (text: string): number | bigint | undefined => {
  const plain = parseDigits(text)
  if (plain !== undefined) return plain
  if (text.length > maxNumberLength || !integer.test(text)) return undefined
  return BigInt(text.startsWith('+') ? text.slice(1) : text)
}

/**
 * Text of `Double.valueOf`: white space around it, `NaN`, `Infinity`, exponents, hexadecimal floats (`0x1p3` is 8), a
 * type suffix (`1.5f`); too large is infinite. Undefined for other text.
 */
export const parseDouble = (text: string): number | undefined => {
  const short = parseShort(text)
  if (short !== undefined) return short
  if (text.length > maxNumberLength) return undefined
  const trimmed = text.trim()
  if (decimal.test(trimmed)) return Number(trimmed.replace(/[fFdD]$/, ''))
  const named = special.exec(trimmed)
  if (named) return named[2] === 'NaN' ? Number.NaN : named[1] === '-' ? -Infinity : Infinity
  const [, sign, whole = '', fraction = '', exponent = ''] = hex.exec(trimmed) ?? []
  const digits = `${whole}${fraction}`
  if (digits === '' || digits.length > maxHexDigits) return undefined
  const value = scale(Number(BigInt(`0x${digits}`)), Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}

/** Undefined unless there are digits only, and few. */
const parseDigits = (text: string): number | undefined => {
  if (text === '' || text.length > maxPlainDigits) return undefined
  let value = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

/**
 * Few digits, perhaps with a sign and a point: as a whole number and a power of ten they are exact, so that their quotient is
 * rounded once and is the nearest double (Clinger, How to read floating point numbers accurately, 1990).
 */
const parseShort = (text: string): number | undefined => {
  if (text.length > maxPlainDigits) return undefined
  const isNegative = text.charCodeAt(0) === minus
  const start = isNegative ? 1 : 0
  let value = 0
  let divisor = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === point && divisor === 0) divisor = 1
    else {
      const digit = code - 0x30
      if (digit < 0 || digit > 9) return undefined
      value = value * 10 + digit
      divisor *= 10
    }
  }
  const hasDigits = text.length > start + (divisor > 0 ? 1 : 0)
  if (!hasDigits) return undefined
  const number = divisor > 0 ? value / divisor : value
  return isNegative ? -number : number
}

const minus = 0x2d
const point = 0x2e

/** value × 2^power in four steps, so that neither the power nor a step in between overflows where the result does not. */
const scale = (value: number, power: number): number => {
  const step = Math.trunc(clamp(power) / 4)
  return value === 0 ? 0 : value * 2 ** step * 2 ** step * 2 ** step * 2 ** (clamp(power) - 3 * step)
}

const clamp = (power: number): number => Math.max(-2400, Math.min(2400, power))
