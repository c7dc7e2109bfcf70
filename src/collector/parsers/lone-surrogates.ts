/**
 * A lone surrogate is not a character: UTF-8 cannot encode it, and so neither can Smile nor a file. In JSON it can
 * occur as an escape, `\ud83d` without `\ude00` after it, where a text was cut in the middle of a character.
 */

const surrogateEscape = /\\u[dD][89a-fA-F]/

/** Whether texts may hold one: cheap, and a whole pair counts too. */
export const hasSurrogateEscape = (text: string): boolean => text.includes('\\u') && surrogateEscape.test(text)

/**
 * Makes U+FFFD of each, as UTF-8 encoders do; in place, for the escapes are as long.
 * @returns how many there were
 */
export const replaceLoneSurrogates = (bytes: Uint8Array, start = 0, end: number = bytes.length): number => {
  let mended = 0
  let at = start
  while (at < end) {
    if (bytes[at] !== backslash) {
      at++
      continue
    }
    const unit = toUnit(bytes, at, end)
    if (isHigh(unit) && isLow(toUnit(bytes, at + escapeBytes, end))) at += 2 * escapeBytes
    else {
      if (isHigh(unit) || isLow(unit)) {
        bytes.set(replacement, at)
        mended++
      }
      at += unit < 0 ? 2 : escapeBytes
    }
  }
  return mended
}

const backslash = 0x5c
const escapeBytes = 6
const replacement = Buffer.from('\\ufffd')

/** By character code; -1 unless it is a digit. */
const hexDigits = new Int8Array(256).fill(-1)
for (const char of '0123456789ABCDEFabcdef') hexDigits[char.charCodeAt(0)] = Number.parseInt(char, 16)

/** The code unit of `\uXXXX` at an offset; negative for anything else. */
const toUnit = (bytes: Uint8Array, at: number, end: number): number => {
  if (at + escapeBytes > end || bytes[at] !== backslash || bytes[at + 1] !== 0x75) return -1
  let unit = 0
  for (let i = at + 2; i < at + escapeBytes; i++) {
    const digit = hexDigits[bytes[i] as number] as number
    if (digit < 0) return -1
    unit = unit * 16 + digit
  }
  return unit
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
