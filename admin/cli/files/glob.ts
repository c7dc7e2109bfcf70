/**
 * Hadoop's patterns for names (`FileSystem.globStatus`):
 *
 *     *       any characters, also none          {a,b*}  one of these patterns
 *     ?       one character                      \x      x itself
 *     [abc]   one of these, [a-c] of this range, [^a] none of these
 *
 * A slash is matched by a slash only. A name that begins with a dot is matched like any other.
 */
import { usageError } from '../command/failure.ts'

/** Whether a name matches. */
export type NameTest = (name: string) => boolean

/** One character that a pattern takes, or `*`. */
type Token = ((char: string) => boolean) | typeof anyChars
const anyChars = Symbol('*')

/** The most patterns that the braces of one pattern may expand to. */
const maxAlternatives = 1_000

/** Whether a word contains wildcards or escapes. */
export const isGlob = (text: string): boolean => /[*?[{\\]/.test(text)

/** The test of a pattern for one name. @throws CliError `usage` for one that is malformed */
export const parseGlob = (pattern: string, { ignoreCase = false } = {}): NameTest => {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text)
  const alternatives = expandBraces(fold(pattern), () => true).map(one => toTokens(one, pattern))
  return name => {
    const chars = Array.from(fold(name))
    return alternatives.some(tokens => matches(tokens, chars))
  }
}

/** A pattern for a path, by its names: one that has no pattern in it is text. */
export type PathPattern = readonly (string | NameTest)[]

/** The patterns of a path: several where braces contain slashes. @throws CliError `usage` */
export const parsePathGlob = (pattern: string): PathPattern[] =>
  expandBraces(pattern, inside => inside.includes('/')).map(path =>
    splitNames(path).map(name => (/[*?[{]/.test(withoutEscapes(name)) ? parseGlob(name) : withoutBackslashes(name))),
  )

const withoutBackslashes = (text: string): string => text.replace(/\\(.)/gsu, '$1')
const withoutEscapes = (text: string): string => text.replace(/\\./gsu, '')

/** At slashes, those after a backslash too: no name has one. */
const splitNames = (path: string): string[] => path.split(/\\?\//).filter(name => name !== '')

/** Remembers only the last `*`, so that the time is at most the product of the lengths, whatever the pattern. */
const matches = (tokens: readonly Token[], chars: readonly string[]): boolean => {
  let [t, c, starAt, resumeAt] = [0, 0, -1, 0]
  while (c < chars.length) {
    const token = tokens[t]
    if (token === anyChars) {
      starAt = t++
      resumeAt = c
    } else if (token?.(chars[c] ?? '')) {
      t++
      c++
    } else if (starAt >= 0) {
      t = starAt + 1
      c = ++resumeAt
    } else return false
  }
  while (tokens[t] === anyChars) t++
  return t === tokens.length
}

const toTokens = (text: string, pattern: string): Token[] => {
  const chars = Array.from(text)
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char === '*') tokens.push(anyChars)
    else if (char === '?') tokens.push(() => true)
    else if (char === '[') {
      const { test, end } = toClass(chars, at, pattern)
      tokens.push(test)
      at = end
    } else {
      const one = char === '\\' ? chars[++at] : char
      if (one === undefined) throw badGlob(pattern, 'the backslash at its end escapes nothing')
      tokens.push(other => other === one)
    }
  }
  return tokens
}

/** `[…]` that begins at `start`; `end` is the place of its closing bracket. A bracket in first place is literal. */
const toClass = (chars: readonly string[], start: number, pattern: string) => {
  const isNegated = chars[start + 1] === '^' || chars[start + 1] === '!'
  const first = start + (isNegated ? 2 : 1)
  const ranges: (readonly [from: string, to: string])[] = []
  let at = first
  const take = (): string => {
    if (chars[at] === '\\') at++
    const char = chars[at++]
    if (char === undefined) throw badGlob(pattern, 'a [ is not closed')
    return char
  }
  while (chars[at] !== ']' || at === first) {
    const from = take()
    const isRange = chars[at] === '-' && chars[at + 1] !== ']' && chars[at + 1] !== undefined
    if (isRange) at++
    ranges.push([from, isRange ? take() : from])
  }
  const codeOf = (char: string): number => char.codePointAt(0) ?? 0
  const isIn = (char: string): boolean =>
    ranges.some(([from, to]) => codeOf(from) <= codeOf(char) && codeOf(char) <= codeOf(to))
  return { test: (char: string) => isIn(char) !== isNegated, end: at }
}

/** Expands braces, innermost last; those that are not `wanted` stay. */
const expandBraces = (pattern: string, wanted: (inside: string) => boolean): string[] => {
  const found = findBraces(pattern, wanted)
  if (!found) return [pattern]
  const { head, choices, tail } = found
  const expanded: string[] = []
  for (const choice of choices) {
    expanded.push(...expandBraces(`${head}${choice}${tail}`, wanted))
    if (expanded.length > maxAlternatives)
      throw badGlob(pattern, `its braces expand to more than ${maxAlternatives} patterns`)
  }
  return expanded
}

/** The first braces that are wanted. @throws CliError `usage` where they are not closed */
const findBraces = (pattern: string, wanted: (inside: string) => boolean) => {
  for (let start = nextOpen(pattern, 0); start >= 0; start = nextOpen(pattern, start + 1)) {
    const commas: number[] = []
    let depth = 0
    let at = start
    for (; at < pattern.length; at++) {
      const char = pattern[at]
      if (char === '\\') at++
      else if (char === '{') depth++
      else if (char === ',' && depth === 1) commas.push(at)
      else if (char === '}' && --depth === 0) break
    }
    if (at >= pattern.length) throw badGlob(pattern, 'a { is not closed')
    if (!wanted(pattern.slice(start + 1, at))) continue
    const ends = [...commas, at]
    const choices = ends.map((end, i) => pattern.slice((i === 0 ? start : (ends[i - 1] ?? 0)) + 1, end))
    return { head: pattern.slice(0, start), choices, tail: pattern.slice(at + 1) }
  }
  return undefined
}

const nextOpen = (pattern: string, from: number): number => {
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern[at] === '{') return at
  }
  return -1
}

const badGlob = (pattern: string, reason: string): Error =>
  usageError(`The pattern ${pattern.slice(0, 100)} is not one: ${reason}`)
