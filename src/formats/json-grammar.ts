/** Characters and tokens of JSON (RFC 8259), for those who look at text or bytes without building values. */

export const quoteByte = 0x22
export const comma = 0x2c
export const minus = 0x2d
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d

const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const literals = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The first offset from `start` on that has no white space. */
export const skipSpace = (text: string, start: number): number => {
  let at = start
  for (let char = text.charCodeAt(at); char === 0x20 || (char >= 0x09 && char <= 0x0d); char = text.charCodeAt(++at)) {
    if (char === 0x0b || char === 0x0c) break
  }
  return at
}

/**
 * The offset after the closing quote of a string whose first character follows `start`; the one's complement of the
 * offset where it is malformed.
 */
export const stringEnd = (text: string, start: number): number => {
  for (let at = start + 1; ; at++) {
    const char = text.charCodeAt(at)
    if (char === quoteByte) return at + 1
    if (char === backslash) {
      escapes.lastIndex = at
      if (!escapes.test(text)) return ~at
      at = escapes.lastIndex - 1
    } else if (!(char >= 0x20)) {
      // A control character, or NaN at the end of the text.
      return ~at
    }
  }
}

/** The offset after the number or word at `start`; the one's complement of `start` if neither is there. */
export const literalEnd = (text: string, start: number): number => {
  literals.lastIndex = start
  return literals.test(text) ? literals.lastIndex : ~start
}
