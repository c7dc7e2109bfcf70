/** Paths of the contract that end in a parameter, such as `/webhdfs/v1/{path}`: it takes the rest of the path. */
import { SluiceError } from '../errors.ts'
import type { Lookup } from './query.ts'

const template = /^(.+)\/\{(\w+)\}$/

/** What the router knows a path of the contract by. A trailing slash makes no difference. */
export const toRoutes = (path: string): readonly string[] => {
  const [, prefix] = template.exec(path) ?? []
  return prefix === undefined ? [path, `${path}/`] : [`${prefix}/*`]
}

/** Whether a path of the contract is that of a request. */
export const isPathOf = (path: string, requested: string): boolean => {
  const [, prefix] = template.exec(path) ?? []
  if (prefix === undefined) return requested === path || requested === `${path}/`
  return requested === prefix || requested.startsWith(`${prefix}/`)
}

/** The part of a path of the contract that is the same for all requests. The rest may be a secret. */
export const withoutParameter = (path: string): string => template.exec(path)?.[1] ?? path

/**
 * Prepares the reading of the parameter that ends a path: as it was sent, unescaped once, and beginning with a slash.
 * The returned function throws SluiceError `bad-path` for an invalid escape.
 */
export const createPathLookup = (path: string): ((target: string) => Lookup) => {
  const [, prefix, parameter] = template.exec(path) ?? []
  if (prefix === undefined) return () => nothing
  return target => name => {
    if (name !== parameter) return undefined
    const [sent = ''] = target.split(/[?#]/, 1)
    // What a router takes for this path may have been written in another way.
    if (!isPathOf(path, sent)) throw new SluiceError('bad-path', `The path of the URL must begin with ${prefix}/`)
    return decode(sent.slice(prefix.length)) || '/'
  }
}

/** Of a path without a parameter. */
const nothing: Lookup = () => undefined

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new SluiceError('bad-path', 'The path of the URL has a "%" that begins no escaped UTF-8 character', { cause })
  }
}
