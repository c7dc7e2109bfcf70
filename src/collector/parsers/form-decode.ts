import { FormatError } from '../../errors.ts'

const malformedEscape = /%(?![0-9A-Fa-f]{2})/

/**
 * One form-URL-decoding (`+` is a space, `%XX` a byte of UTF-8) as old servers did it: invalid UTF-8 becomes U+FFFD.
 * @throws FormatError for a `%` that two hexadecimal digits do not follow
 */
export const formDecode = (text: string): string => {
  if (!text.includes('%')) return text.includes('+') ? text.replaceAll('+', ' ') : text
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  try {
    return decodeURIComponent(spaced)
  } catch {
    const malformed = malformedEscape.exec(text)
    if (malformed)
      throw new FormatError('form encoding', malformed.index, 'expected two hexadecimal digits after "%"', {
        unit: 'character',
      })
    return decodeLeniently(spaced)
  }
}

/**
 * The same, of the characters from `start` to `end`, straight to bytes at `at`. Takes only what ends as ASCII, which is
 * nearly all there is: one look at each character, and no text in between.
 * @returns the offset after the bytes, or -1 for anything else, malformed or not
 */
export const formDecodeAscii = (text: string, start: number, end: number, target: Uint8Array, at: number): number => {
  let to = at
  for (let from = start; from < end; from++) {
    let code = text.charCodeAt(from)
    if (code === percent) {
      code = 16 * toHexDigit(text, from + 1, end) + toHexDigit(text, from + 2, end)
      from += 2
    } else if (code === plus) code = space
    if (code > maxAscii) return -1
    target[to++] = code
  }
  return to
}

const percent = 0x25
const plus = 0x2b
const space = 0x20
const maxAscii = 0x7f

/** By character code; everything beyond ASCII is invalid anywhere in an escape. */
const hexDigits = new Uint8Array(128).fill(maxAscii + 1)
for (const char of '0123456789ABCDEFabcdef') hexDigits[char.charCodeAt(0)] = Number.parseInt(char, 16)

const toHexDigit = (text: string, at: number, end: number): number =>
  (at < end ? hexDigits[text.charCodeAt(at)] : undefined) ?? maxAscii + 1

/** Bytes first: a broken sequence may stretch over escapes and plain characters. */
const decodeLeniently = (text: string): string => {
  const parts: Uint8Array[] = []
  for (const piece of text.split(/((?:%[0-9A-Fa-f]{2})+)/)) {
    parts.push(piece.startsWith('%') ? Buffer.from(piece.replaceAll('%', ''), 'hex') : Buffer.from(piece, 'utf8'))
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts))
}
