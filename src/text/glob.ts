/**
 * Whether a text matches a pattern with `*` (any characters, also none) and `?` (one); a backslash escapes the
 * character after it, and is part of the text too, as in quoted values of object names. Remembers only the last `*`, so
 * the time is at most the product of the lengths, whatever the pattern.
 */
export const matchesGlob = (pattern: string, text: string): boolean => {
  let p = 0
  let t = 0
  let starAt = -1
  let resumeAt = 0
  while (t < text.length) {
    const width = pattern[p] === '\\' && p + 1 < pattern.length ? 2 : 1
    if (pattern[p] === '*') {
      starAt = p++
      resumeAt = t
    } else if (p < pattern.length && matchesOne(pattern, p, width, text, t)) {
      p += width
      t += width
    } else if (starAt >= 0) {
      p = starAt + 1
      t = ++resumeAt
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

const matchesOne = (pattern: string, p: number, width: number, text: string, t: number): boolean =>
  width === 2 ? text[t] === '\\' && text[t + 1] === pattern[p + 1] : pattern[p] === '?' || pattern[p] === text[t]
