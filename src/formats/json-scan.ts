/**
 * Finds the end of a JSON value, without building it, or where and why it is malformed. The grammar is that of RFC
 * 8259, exactly what `JSON.parse` accepts; a stack replaces recursion, so depth is a number, not a crash.
 */
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  literalEnd,
  openBrace,
  openBracket,
  quoteByte,
  skipSpace,
  stringEnd,
} from './json-grammar.ts'

/** How a scan ended. Offsets are in characters (UTF-16 code units). */
export type JsonScan =
  | {
      readonly ok: true
      /** After the value. */
      readonly end: number
      /** Objects and arrays within one another, itself included. */
      readonly depth: number
      /** Values in it, itself included, names excluded. */
      readonly values: number
    }
  | {
      readonly ok: false
      /** Where something else was expected. */
      readonly end: number
      readonly expected: string
      /** Whether the grammar forbids the character at `end`; otherwise a limit was reached there. */
      readonly isSyntax: boolean
      /** Offsets of the `{` that were open there, ascending: a scan from any of them fails at the same place. */
      readonly open: readonly number[]
    }

/** Counts characters looked at, over several scans: shows that work stays in proportion to the text. */
export type Work = { characters: number }

/** Scans the value that begins at `start`; nests at most `maxDepth` deep. */
export const scanJson = (text: string, start: number, maxDepth: number, work: Work): JsonScan => {
  /** Offset of each open object; for an array its one's complement. */
  const stack: number[] = []
  let depth = 0
  let values = 0
  let state: State = 'value'
  let at = start
  const fail = (end: number, expected: string, isSyntax = true): JsonScan => {
    work.characters += end - start + 1
    return { ok: false, end, expected, isSyntax, open: stack.filter(offset => offset >= 0) }
  }
  for (;;) {
    at = skipSpace(text, at)
    const char = text.charCodeAt(at)
    const inObject = (stack.at(-1) ?? -1) >= 0
    if (state === 'value' || state === 'element') {
      if (char === openBrace || char === openBracket) {
        if (stack.length === maxDepth) return fail(at, `at most ${maxDepth} levels`, false)
        stack.push(char === openBrace ? at : ~at)
        depth = Math.max(depth, stack.length)
        values++
        state = char === openBrace ? 'first name' : 'element'
        at++
        continue
      }
      if (char !== closeBracket || state === 'value') {
        const end = char === quoteByte ? stringEnd(text, at) : literalEnd(text, at)
        if (end < 0) return fail(~end, expectedIn(state, char === quoteByte))
        state = 'after'
        at = end
        values++
        if (stack.length > 0) continue
      }
    } else if (state === 'colon') {
      if (char !== colon) return fail(at, '":"')
      state = 'value'
      at++
      continue
    } else if (char === quoteByte && state !== 'after') {
      const end = stringEnd(text, at)
      if (end < 0) return fail(~end, expectedIn('name', true))
      state = 'colon'
      at = end
      continue
    } else if (char === comma && state === 'after') {
      state = inObject ? 'name' : 'value'
      at++
      continue
    }
    // What is left can only close the innermost object or array.
    if (stack.length > 0) {
      const closes = char === (inObject ? closeBrace : closeBracket) && state !== 'name'
      if (!closes)
        return fail(at, state === 'after' ? (inObject ? '"," or "}"' : '"," or "]"') : expectedIn(state, false))
      stack.pop()
      state = 'after'
      at++
    }
    if (stack.length === 0) {
      work.characters += at - start
      return { ok: true, end: at, depth, values }
    }
  }
}

type State = 'value' | 'element' | 'first name' | 'name' | 'colon' | 'after'

const expectedIn = (state: State, isString: boolean): string => {
  if (isString) return 'the rest of a string'
  if (state === 'element') return 'a value or "]"'
  if (state === 'first name') return 'a name or "}"'
  return state === 'name' ? 'a name' : 'a value'
}
