/**
 * Integers of the query API, version 2: six bits a digit, the most significant first.
 *
 *     - (0)  0-9 (1-10)  A-Z (11-36)  _ (37)  a-z (38-63)        `!` is read as 0 too: old servers knew no other
 *
 * `-` is also the sign, so where it stands decides: first with digits after it, it is the sign; alone or later, 0.
 * Leading zeros are allowed (`!` for the first), an empty text is 0.
 */
import { FormatError } from '../errors.ts'

const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const bitsPerDigit = 6n
const min = -(2n ** 63n)
const max = 2n ** 63n - 1n
/** Digits that 64 bits can fill; more, after leading zeros, are refused before anything is computed. */
const maxDigits = 11

/** So many characters are an integer that a plain number holds; nearly all are that short. */
const maxPlainLength = 8

const digitOf = new Map<string, number>(Array.from(alphabet, (char, digit) => [char, digit]))
digitOf.set('!', 0)

/**
 * Reads a number of at most 64 bits, signed.
 * @throws FormatError `base64 number`, with the offset in characters: no digit, or beyond 64 bits (old servers wrapped)
 */
export const parseBase64Number = (text: string): bigint => {
  if (text.length <= maxPlainLength) return BigInt(parseShort(text))
  const isNegative = text.length > 1 && text.startsWith('-')
  let magnitude = 0n
  let digits = 0
  for (let at = isNegative ? 1 : 0; at < text.length; at++) {
    const digit = digitOf.get(text.charAt(at))
    if (digit === undefined) throw notDigit(at)
    if (digit > 0 || digits > 0) digits++
    if (digits > maxDigits) throw tooBig(at)
    magnitude = (magnitude << bitsPerDigit) | BigInt(digit)
  }
  const value = isNegative ? -magnitude : magnitude
  if (value < min || value > max) throw tooBig(text.length)
  return value
}

/**
 * Writes a number so that {@link parseBase64Number} gives it back: 0 is `-`, no leading zeros, so that a first `-` with
 * digits after it is always a sign. RangeError beyond 64 bits.
 */
export const formatBase64Number = (value: bigint): string => {
  if (value < min || value > max)
    throw new RangeError(`Cannot write ${value} as a base64 number: it takes more than 64 bits`)
  let text = ''
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= bitsPerDigit) {
    text = alphabet.charAt(Number(rest & 63n)) + text
  }
  if (text === '') return '-'
  return value < 0n ? `-${text}` : text
}

const parseShort = (text: string): number => {
  const isNegative = text.length > 1 && text.startsWith('-')
  let magnitude = 0
  for (let at = isNegative ? 1 : 0; at < text.length; at++) {
    const digit = digitOf.get(text.charAt(at))
    if (digit === undefined) throw notDigit(at)
    magnitude = magnitude * 64 + digit
  }
  return isNegative ? -magnitude : magnitude
}

const notDigit = (at: number): FormatError =>
  new FormatError('base64 number', at, 'expected a digit of - ! 0-9 A-Z _ a-z')

const tooBig = (at: number): FormatError =>
  new FormatError('base64 number', at, `expected a number from ${min} to ${max}, found a larger one`)
