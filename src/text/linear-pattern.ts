// Regular expressions of users, searched for in time that grows with the text and no faster, whatever the pattern: RE2's
// syntax (https://github.com/google/re2/wiki/Syntax), which is that of Java and JavaScript without what needs going back.
import { RE2JS } from 're2js'

/** Most instructions of one compiled pattern; a search takes at most as many steps for each character. */
export const maxPatternInstructions = 1_000

/** A compiled pattern. */
export type LinearPattern = {
  /** Whether it is found anywhere in the text. */
  isFoundIn(text: string): boolean
  /** Its size: what a search costs for each character, at the most. */
  readonly instructions: number
}

/** @throws SyntaxError saying what is wrong with the pattern; its message continues "is not a regular expression: " */
export const compileLinearPattern = (source: string): LinearPattern => {
  if (intersection.test(source)) throw new SyntaxError('&& within brackets has no meaning here')
  const compiled = compile(source)
  const instructions = compiled.programSize()
  if (instructions > maxPatternInstructions) {
    throw new SyntaxError(
      `it unfolds to ${instructions} steps for each character; ${maxPatternInstructions} are allowed`,
    )
  }
  return { instructions, isFoundIn: text => compiled.test(text) }
}

/** Java's `[a-z&&[^b]]`; RE2 takes its characters as they are, and would match something else without a word. */
const intersection = /(?<!\\)\[(?:[^\]\\]|\\.)*&&/
/** What only engines that go back can do: `(?=` `(?!` `(?<=` `(?<!` `(?>`, `\1`, `\k<name>`, `a++`. */
const backtracking = /\(\?(?:[=!>]|<[=!])|\\[1-9k]|(?<!\\)[*+?}]\+/

const compile = (source: string): RE2JS => {
  try {
    // Java's and JavaScript's \uXXXX is RE2's \x{XXXX}.
    return RE2JS.compile(source.replace(/(\\\\)|\\u([0-9a-fA-F]{4})/g, (_, pair, hex) => pair ?? `\\x{${hex}}`))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : String(cause)
    throw new SyntaxError(
      backtracking.test(source)
        ? `${reason}; lookahead, lookbehind, back references, atomic groups and possessive quantifiers are not taken, for their time can explode`
        : reason,
      { cause },
    )
  }
}
