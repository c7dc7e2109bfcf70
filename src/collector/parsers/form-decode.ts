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
    if (malformed) throw new FormatError('form encoding', malformed.index, 'expected two hexadecimal digits after "%"')
    return decodeLeniently(spaced)
  }
}

/** Bytes first: a broken sequence may stretch over escapes and plain characters. */
const decodeLeniently = (text: string): string => {
  const parts: Uint8Array[] = []
  for (const piece of text.split(/((?:%[0-9A-Fa-f]{2})+)/)) {
    parts.push(piece.startsWith('%') ? Buffer.from(piece.replaceAll('%', ''), 'hex') : Buffer.from(piece, 'utf8'))
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(parts))
}
