/**
 * What a URL among the settings may say besides the place: options, as `?name=value&…`, and a password. An option that is
 * not known is refused, since a mistyped `tls` would send the password in the clear; so is a password without TLS, unless
 * `tls=false` says that this is meant.
 */
import { isLoopbackHost } from '../http/origin/hosts.ts'
import { nearest } from '../text/nearest.ts'

/** Values that an option takes, or what they must look like. */
type Values = readonly string[] | { readonly pattern: RegExp; readonly words: string }

type Scheme = {
  readonly options: Readonly<Record<string, Values>>
  /** The place ends with the host; a path would be an option that is written wrongly. @default false */
  readonly isHostOnly?: true
  /** How a password is protected on the network; undefined if it always is, or without a password. */
  readonly tls?: string
}

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512']
const node = String.raw`(?:\[[\da-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?`
const nodes: Values = { pattern: new RegExp(`^${node}(?:,${node})*$`), words: 'host:port,…' }

const schemes: Readonly<Record<string, Scheme>> = {
  'kafka:': {
    options: {
      tls: ['true', 'false'],
      sasl: [...mechanisms, ...mechanisms.map(one => one.toUpperCase())],
      bootstrap: nodes,
    },
    isHostOnly: true,
    tls: 'tls=true',
  },
  'amqp:': { options: { tls: ['false'] }, isHostOnly: true, tls: 'amqps://' },
  'amqps:': { options: { tls: ['true'] }, isHostOnly: true },
  'http:': { options: { tls: ['false'] }, tls: 'https://' },
  'https:': { options: { tls: ['true'] } },
}

/**
 * Looks at everything of a URL but its place.
 * @param isFree whether options that are not known here belong to the server that is asked
 * @returns what was expected; undefined when all is well. It repeats nothing that may be a secret
 */
export const findUrlProblem = (url: URL, isFree = false): string | undefined => {
  const { options, isHostOnly, tls }: Scheme = schemes[url.protocol] ?? { options: {} }
  if (url.hash !== '' || url.search.includes('@')) {
    return 'a URL without # and @ behind its host: in a user or password they are %23 and %40, and ? is %3F'
  }
  if (isHostOnly && !/^\/?$/.test(url.pathname)) return 'no path behind the host: options are ?name=value&…'
  if (url.protocol === 'file:' && !isDecodable(url.pathname)) return 'a path in percent-encoding: a % in it is %25'
  if (![url.username, url.password].every(isDecodable)) {
    return 'the user and the password in percent-encoding: a % in them is %25, other bytes than UTF-8 cannot be in them'
  }
  if (url.username === '' && url.password !== '') return 'a user before the password'
  const given = [...url.searchParams]
  for (const [name, value] of given) {
    const problem = isFree && !Object.hasOwn(options, name) ? undefined : findOptionProblem(options, name, value)
    if (problem !== undefined) return problem
    if (!isFree && given.filter(([other]) => other === name).length > 1) return `the option ${name} once`
  }
  if (url.searchParams.has('sasl') && url.username === '') return 'a user with the option sasl'
  // WebHDFS takes no password at all, and says so.
  const hasLogin = isFree || url.protocol !== 'http:'
  const isPlain = hasLogin && tls !== undefined && !given.some(([name]) => name === 'tls')
  const hosts = [url.host, ...(url.searchParams.get('bootstrap') ?? '').split(',')].filter(host => host !== '')
  if (!isPlain || url.password === '' || hosts.every(isLoopback)) return undefined
  return `${tls}, since a password must not cross the network in the clear, or tls=false where that is meant`
}

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const findOptionProblem = (options: Scheme['options'], name: string, value: string): string | undefined => {
  const known = Object.keys(options)
  const values = Object.hasOwn(options, name) ? options[name] : undefined
  if (values === undefined) {
    const options = known.length === 0 ? 'no options' : `the options ${known.join(', ')} alone`
    return `${options} in the URL, not ${toWord(name)}${suggest(name, known)}`
  }
  const isTaken = 'pattern' in values ? values.pattern.test(value) : values.includes(value)
  if (isTaken) return undefined
  if ('pattern' in values) return `the option ${name} as ${values.words}`
  return `the option ${name} as ${values.join(', ')}, not ${toWord(value)}${suggest(value, values)}`
}

const suggest = (word: string, known: readonly string[]): string => {
  const meant = nearest(word, known)
  return meant === undefined ? '' : `: did you mean ${meant}?`
}

/** Words of another form may be a part of a password. */
const toWord = (text: string): string => (/^[\w-]{1,20}$/.test(text) ? `"${text}"` : 'another')

const isLoopback = (host: string): boolean => isLoopbackHost(host.replace(/:\d+$/, ''))
