import { JolokiaError } from './errors.ts'

/** Most parts of a path. */
const maxParts = 64

/**
 * Splits a path at its slashes. `!` escapes the character after it: `!/` is a slash within a part, `!!` an exclamation
 * mark. An empty text has no parts.
 */
export const splitPath = (text: string): readonly string[] => {
  if (text === '') return []
  const parts = (text.match(/(?:[^!/]|!.|!$)+|\/(?=\/|$)|^\//gs) ?? []).map(part => (part === '/' ? '' : part))
  if (parts.length > maxParts)
    throw JolokiaError.illegal(`A path has at most ${maxParts} parts, this one ${parts.length}`)
  return parts.map(part => part.replace(/!(.)/gs, '$1'))
}

/** The part of a value that a path leads to; `*` matches every key. @throws JolokiaError where it leads nowhere */
export const extract = (value: unknown, path: readonly string[]): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (value instanceof Map) return extract(Object.fromEntries(value), path)
  if (typeof value !== 'object' || value === null) {
    throw JolokiaError.illegal(`The path leads into a value that has no parts, at ${JSON.stringify(key)}`)
  }
  if (key === '*') {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, extract(part, rest)]))
  }
  const own = Object.getOwnPropertyDescriptor(value, key)
  if (!own || (Array.isArray(value) && key === 'length')) {
    throw JolokiaError.illegal(`The path leads nowhere at ${JSON.stringify(key)}`)
  }
  return extract(own.value, rest)
}
