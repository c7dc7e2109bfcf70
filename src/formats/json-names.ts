import { backslash, colon, quoteByte, skipSpace } from './json-grammar.ts'

/**
 * Whether a name in JSON text is written with an escape; for text that is not JSON the answer means nothing.
 *
 * `JSON.parse` of some engines (V8 of Node 24) can read such a name as another one. It expects the names of the object
 * that it built last after the same names, and compares them with what is written: after `{"\\":0}` it takes
 * `{"\u0061":0}` for the same, since one character is expected, and the first one written is that. Only escaped names
 * are misread.
 */
export const hasEscapedName = (text: string): boolean => {
  // The first escape after the end of a string is in another one, which ends at the first quote that is not escaped.
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    for (let code = backslash; at < text.length && code !== quoteByte; code = text.charCodeAt(at))
      at += code === backslash ? 2 : 1
    at = skipSpace(text, at + 1)
    if (text.charCodeAt(at) === colon) return true
  }
  return false
}
