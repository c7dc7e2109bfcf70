/**
 * Integers of the query API, version 2: six bits a digit, the most significant first.
 *
 *     - (0)  0-9 (1-10)  A-Z (11-36)  _ (37)  a-z (38-63)        `!` is read as 0 too: old servers knew no other
 *
 * `-` is also the sign, so its position decides: first with digits after it, it is the sign; alone or later, 0. Leading
 * zeros are allowed (`!` for the first), an empty text is 0.
 */
import { FormatError } from '../errors.ts'

const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const bitsPerDigit = 6n
const min = -(2n ** 63n)
const max = 2n ** 63n - 1n
/** Digits that 64 bits can fill; more, after leading zeros, are refused before anything is computed. */
const maxDigits = 11

/** Up to this many characters are an integer that a plain number holds; nearly all are that short. */
const maxPlainLength = 8

/** By character code; −1 unless it is a digit. */
const digits = new Int8Array(128).fill(-1)
for (let digit = 0; digit < alphabet.length; digit++) digits[alphabet.charCodeAt(digit)] = digit
digits['!'.charCodeAt(0)] = 0

/**
 * Reads a number of at most 64 bits, signed; plain where it is short.
 * @throws FormatError `base64 number`, with the offset in characters: no digit, or beyond 64 bits (old servers wrapped)
 */
export const parseBase64Number = (text: string): number | bigint => {
  if (text.length <= maxPlainLength) return parseShort(text)
  const isNegative = text.length > 1 && text.startsWith('-')
  let magnitude = 0n
  let length = 0
  for (let at = isNegative ? 1 : 0; at < text.length; at++) {
    const digit = toDigit(text, at)
    if (digit > 0 || length > 0) length++
    if (length > maxDigits) throw tooBig(at)
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
    magnitude = magnitude * 64 + toDigit(text, at)
  }
  // Never -0.
  return isNegative ? 0 - magnitude : magnitude
}

const toDigit = (text: string, at: number): number => {
  const digit = digits[text.charCodeAt(at)] ?? -1
  if (digit < 0) throw notDigit(at)
  return digit
}

const notDigit = (at: number): FormatError =>
  new FormatError('base64 number', at, 'expected a digit of - ! 0-9 A-Z _ a-z', { unit: 'character' })

const tooBig = (at: number): FormatError =>
  new FormatError('base64 number', at, `expected a number from ${min} to ${max}, found a larger one`, {
    unit: 'character',
  })
