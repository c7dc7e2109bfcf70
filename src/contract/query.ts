/** Looks up the first value of a parameter; undefined without one. */
export type Lookup = (name: string) => string | undefined

/** Path and query of a URL, which a listener knows without scheme and authority, and a `Request` with them. */
export const toTarget = (url: string): string => {
  if (url.startsWith('/')) return url
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path < 0 ? '/' : url.slice(path)
}

/** How names of parameters are compared: as they were sent, or in any case; these are asked for in lower case. */
export type NameRule = 'as-sent' | 'any-case'

/** A parameter of a query. */
type QueryParameter = {
  readonly name: string
  readonly value: string
  /** Name and value as they were sent. */
  readonly text: string
}

/** The parameters in the query of a URL. */
type Query = {
  /** The first value. */
  readonly find: Lookup
  /** All values, in their order. */
  readonly findAll: (name: string) => readonly string[]
  /** All parameters, in their order. */
  readonly list: () => readonly QueryParameter[]
}

/**
 * Reads the query of a URL as a form (`+` is a space, `%XX` a byte of UTF-8), decoding only what is asked for. Never
 * throws: a stray `%` stays, bytes that are not UTF-8 become U+FFFD, a name without `=` is empty. The first of several
 * counts, and `;` separates nothing.
 */
export const createQuery = (url: string, rule: NameRule = 'as-sent'): Query => {
  const parts = splitQuery(url, rule)
  return {
    find: name => {
      const part = parts.find(one => one.name === name)
      return part && toValue(part)
    },
    findAll: name => parts.filter(part => part.name === name).map(toValue),
    list: () => parts.map(part => ({ name: part.name, value: toValue(part), text: part.text })),
  }
}

/** A parameter whose value, from a number of characters on, is not decoded yet. */
type Part = { readonly name: string; readonly text: string; readonly valueStart: number }

const toValue = ({ text, valueStart }: Part): string => decodeForm(text.slice(valueStart))

const splitQuery = (url: string, rule: NameRule): readonly Part[] => {
  const start = url.indexOf('?') + 1
  if (start === 0) return []
  const hash = url.indexOf('#', start)
  const end = hash < 0 ? url.length : hash
  const parts: Part[] = []
  for (let at = start; at <= end; ) {
    const next = url.indexOf('&', at)
    const stop = next < 0 || next > end ? end : next
    const text = url.slice(at, stop)
    const equals = text.indexOf('=')
    const name = decodeForm(equals < 0 ? text : text.slice(0, equals))
    const valueStart = equals < 0 ? text.length : equals + 1
    parts.push({ name: rule === 'any-case' ? name.toLowerCase() : name, text, valueStart })
    at = stop + 1
  }
  return parts
}

const decodeForm = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!text.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return new URLSearchParams(`x=${text}`).get('x') ?? ''
  }
}
