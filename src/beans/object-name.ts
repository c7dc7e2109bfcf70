/**
 * Object names as JMX writes them (JSR 3, "ObjectName"):
 *
 *     name     = domain ":" property *( "," property )
 *     property = key "=" value            key and value not empty; key without , = : * ? " and line breaks
 *     value    = 1*plain / quoted         plain: without , = : " and line breaks
 *     quoted   = DQUOTE *( char / escape ) DQUOTE      escape = \\  \"  \*  \?  \n
 *
 * A pattern is a name with `*` (any characters) or `?` (one character) in the domain or in a value, or with a property
 * that is only `*`: then a name may have more properties than the pattern says. In quotes, `\*` and `\?` mean the
 * characters themselves. The canonical form has its properties sorted by key, and a lone `*` last.
 */
import { matchesGlob } from '../text/glob.ts'
import { BeanError, quoteText } from './bean-error.ts'

/** Longest name or pattern, in characters. */
export const maxNameLength = 2_048
/** Most properties of a name. */
export const maxProperties = 32

/** A parsed name or pattern; two are the same when their canonical forms are. */
export type ObjectName = {
  readonly domain: string
  /** Values as written, quotes included, by key. */
  readonly properties: ReadonlyMap<string, string>
  readonly canonical: string
  /** Whether it matches many names. */
  readonly isPattern: boolean
  /** Whether names may have more properties. */
  readonly isOpen: boolean
}

/** Reads a name or a pattern. @throws BeanError `bad-name` saying where */
export const parseObjectName = (text: string): ObjectName => {
  if (text.length > maxNameLength) throw bad(text, `has ${text.length} characters; ${maxNameLength} fit`)
  const colon = text.indexOf(':')
  if (colon < 0) throw bad(text, 'has no colon; expected domain:key=value,…')
  const domain = text.slice(0, colon)
  if (/[\r\n]/.test(domain)) throw bad(text, 'has a line break in its domain')
  return toObjectName(domain, ...parseProperties(text, colon + 1))
}

/** Makes a name; values that need it are quoted. @throws BeanError `bad-name` */
export const createObjectName = (domain: string, properties: Readonly<Record<string, string>>): ObjectName => {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${toValue(value)}`)
  return parseObjectName(`${domain}:${list.join(',')}`)
}

/** A value in quotes, so that a name can contain any text. */
export const quoteValue = (value: string): string => `"${value.replace(/[\\"*?]/g, '\\$&').replaceAll('\n', '\\n')}"`

/** Whether the pattern matches the name; a name that is not a pattern matches only itself. */
export const matchesName = (pattern: ObjectName, name: ObjectName): boolean => {
  if (!pattern.isPattern) return pattern.canonical === name.canonical
  if (!pattern.isOpen && pattern.properties.size !== name.properties.size) return false
  if (!matchesGlob(pattern.domain, name.domain)) return false
  for (const [key, value] of pattern.properties) {
    const own = name.properties.get(key)
    if (own === undefined || !matchesGlob(value, own)) return false
  }
  return true
}

const toObjectName = (domain: string, properties: ReadonlyMap<string, string>, isOpen: boolean): ObjectName => {
  // By code unit, as Java sorts strings.
  const keys = [...properties.keys()].sort()
  const list = keys.map(key => `${key}=${properties.get(key) ?? ''}`)
  const isPattern = isOpen || /[*?]/.test(domain) || [...properties.values()].some(hasWildcard)
  return {
    domain,
    properties,
    canonical: `${domain}:${[...list, ...(isOpen ? ['*'] : [])].join(',')}`,
    isPattern,
    isOpen,
  }
}

const property = /([^,=:*?"\r\n]+)=("(?:[^"\\\r\n]|\\[\\"*?n])*"|[^,=:"\r\n]+)(?=,|$)/y

const parseProperties = (text: string, start: number): [ReadonlyMap<string, string>, boolean] => {
  const properties = new Map<string, string>()
  let isOpen = false
  for (let at = start; ; at++) {
    if (text[at] === '*' && (at + 1 === text.length || text[at + 1] === ',')) {
      if (isOpen) throw bad(text, 'has a second * among its properties')
      isOpen = true
      at++
    } else {
      property.lastIndex = at
      const [whole, key = '', value = ''] = property.exec(text) ?? []
      if (whole === undefined) throw bad(text, `is not an object name from character ${at} on; expected key=value`)
      if (properties.has(key)) throw bad(text, `has the key ${quoteText(key)} twice`)
      if (properties.size === maxProperties) throw bad(text, `has more than ${maxProperties} properties`)
      properties.set(key, value)
      at += whole.length
    }
    if (at >= text.length) return [properties, isOpen]
  }
}

const hasWildcard = (value: string): boolean => /[*?]/.test(value.startsWith('"') ? value.replace(/\\./g, '') : value)

const toValue = (value: string): string => (/^[^,=:"*?\\\r\n]+$/.test(value) ? value : quoteValue(value))

const bad = (text: string, what: string): BeanError => new BeanError('bad-name', `The name ${quoteText(text)} ${what}`)
