import type { Steps } from './steps.ts'

/**
 * Whether a text matches a pattern of SQL's LIKE: `%` matches any characters, `_` one, and `\` before either makes it
 * literal. The case counts.
 * @param steps counts each look at a character: a pattern with many `%` may look at one often
 */
export const createLike = (pattern: string, steps: Steps): ((text: string) => boolean) => {
  const parts = toParts(pattern)
  return text => {
    const chars = Array.from(text)
    let [at, part, star, restart] = [0, 0, -1, 0]
    while (at < chars.length) {
      steps.take(1)
      const wanted = parts[part]
      if (wanted === any) {
        star = part++
        restart = at
      } else if (wanted !== undefined && (wanted === one || wanted === chars[at])) {
        part++
        at++
      } else if (star >= 0) {
        // The last % takes one character more.
        part = star + 1
        at = ++restart
      } else return false
    }
    while (parts[part] === any) part++
    return part === parts.length
  }
}

const any = Symbol('%')
const one = Symbol('_')

const toParts = (pattern: string): readonly (string | typeof any | typeof one)[] =>
  Array.from(pattern.matchAll(/\\([%_\\])|(%)|(_)|[\s\S]/gu), ([char, escaped, many, single]) => {
    if (escaped !== undefined) return escaped
    if (many !== undefined) return any
    return single === undefined ? char : one
  })
