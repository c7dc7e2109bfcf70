/** Looks up the first value of a parameter; undefined where there is none. */
export type Lookup = (name: string) => string | undefined

/** Path and query of a URL, which a listener knows without scheme and authority, and a `Request` with them. */
export const toTarget = (url: string): string => {
  if (url.startsWith('/')) return url
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? '/' : url.slice(path)
}

/**
 * Reads the query of a URL as a form (`+` is a space, `%XX` a byte of UTF-8), decoding only what is asked for. Never
 * throws: a stray `%` stays, bytes that are not UTF-8 become U+FFFD, a name without `=` is empty. The first of several
 * counts, and `;` separates nothing.
 */
export const createQueryLookup = (url: string): Lookup => {
  const { names, values } = splitQuery(url)
  if (names.length === 0) return nothing
  return name => {
    const index = names.indexOf(name)
    return index < 0 ? undefined : decodeForm(values[index] ?? '')
  }
}

/** All values of a parameter in the query of a URL, in their order. */
export const findInQuery = (url: string, name: string): readonly string[] => {
  const { names, values } = splitQuery(url)
  return values.filter((_, index) => names[index] === name).map(decodeForm)
}

/** Names, and values that are not decoded yet. */
const splitQuery = (url: string): { readonly names: readonly string[]; readonly values: readonly string[] } => {
  const names: string[] = []
  const values: string[] = []
  const start = url.indexOf('?') + 1
  if (start === 0) return { names, values }
  const hash = url.indexOf('#', start)
  const end = hash < 0 ? url.length : hash
  for (let at = start; at < end; ) {
    const ampersand = url.indexOf('&', at)
    const next = ampersand < 0 || ampersand > end ? end : ampersand
    const equals = url.indexOf('=', at)
    const nameEnd = equals < 0 || equals > next ? next : equals
    names.push(decodeForm(url.slice(at, nameEnd)))
    values.push(url.slice(nameEnd + 1, next))
    at = next + 1
  }
  return { names, values }
}

/** Of a URL without a query. */
const nothing: Lookup = () => undefined

const decodeForm = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!text.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return new URLSearchParams(`x=${text}`).get('x') ?? ''
  }
}
