/**
 * Whether a text has another one in it, in time that grows with the text alone. The engine's own search looks at long
 * texts of few different characters again and again: half a minute for 8 MB, and for a pattern of 4 000 characters.
 */
export const createSearch = (wanted: string): ((text: Text) => boolean) => {
  if (wanted.length <= maxPlainChars) return text => text.includes(wanted)
  const fallbacks = toFallbacks(wanted)
  return text => {
    if (text.length < wanted.length) return false
    let matched = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = fallbacks[matched - 1] ?? 0
      if (unit === wanted.charCodeAt(matched)) matched += 1
      if (matched === wanted.length) return true
    }
    return false
  }
}

/** What is asked of a text. */
type Text = Pick<string, 'length' | 'charCodeAt' | 'includes'>

/** Up to here the engine's search is fast enough at its worst. */
const maxPlainChars = 32

/** Of each beginning of a text, the length of the longest beginning that also ends it (Knuth, Morris, Pratt 1977). */
const toFallbacks = (wanted: string): Uint16Array => {
  const fallbacks = new Uint16Array(wanted.length)
  let matched = 0
  for (let at = 1; at < wanted.length; at++) {
    const unit = wanted.charCodeAt(at)
    while (matched > 0 && unit !== wanted.charCodeAt(matched)) matched = fallbacks[matched - 1] ?? 0
    if (unit === wanted.charCodeAt(matched)) matched += 1
    fallbacks[at] = matched
  }
  return fallbacks
}
