import { SluiceError } from '../../errors.ts'

/** What decides whether a request may come from where it says. */
export type SourceRules = {
  /** Lower-case host names without port; `*` allows every name. See {@link toAllowedHosts}. */
  readonly allowedHosts: readonly string[]
  /** Origins of other pages that may call, for example `https://console.example`: `admin.allowed-origins`, where it counts. */
  readonly allowedOrigins?: readonly string[]
  readonly secure: boolean
}

/** The part of a call that is looked at. */
export type SourceOfCall = { readonly method: string; header(name: string): string | undefined }

/** Names under which this machine reaches itself. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '::1']

/** Any IPv4 or IPv6 literal: DNS rebinding needs a name, so a server on all addresses can let these through. */
const anyAddress = '<address>'

/** Whether only this machine reaches a listener on this address or name. */
export const isLoopbackHost = (host: string): boolean => {
  const bare = toBareHost(host)
  return bare === 'localhost' || bare === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare)
}

/** Allowed hosts of a listener: the setting where there is one, else loopback names and the bound host. */
export const toAllowedHosts = (configured: readonly string[], boundHost: string): readonly string[] => {
  if (configured.length > 0) return [...configured.map(toBareHost), ...loopbackHosts]
  const bare = toBareHost(boundHost)
  return [...loopbackHosts, bare === '0.0.0.0' || bare === '::' ? anyAddress : bare]
}

/** Whether the `Host` header names this server; a missing one never does. */
export const isAllowedHost = (host: string | undefined, allowedHosts: readonly string[]): boolean => {
  const name = host === undefined ? undefined : toHostName(host)
  if (name === undefined) return false
  return (
    allowedHosts.includes('*') || allowedHosts.includes(name) || (isAddress(name) && allowedHosts.includes(anyAddress))
  )
}

/**
 * Refuses requests that another web page made a browser send, and names that DNS rebinding brought here: any web page
 * can post to 127.0.0.1. Clients that are not browsers send neither `Origin` nor `Sec-Fetch-Site` and pass.
 * @throws SluiceError `forbidden-host`
 */
export const checkSource = (call: SourceOfCall, rules: SourceRules): void => {
  const host = call.header('host')
  if (!isAllowedHost(host, rules.allowedHosts)) {
    throw new SluiceError('forbidden-host', 'The Host header does not name this server; add the name to allowed-hosts')
  }
  const origin = call.header('origin')
  if (origin !== undefined) {
    if (isOwnOrigin(origin, host, rules.secure) || rules.allowedOrigins?.includes(origin.toLowerCase())) return
    const setting = rules.allowedOrigins === undefined ? '' : '; see the setting admin.allowed-origins'
    throw new SluiceError('forbidden-host', `The Origin header names another site${setting}`)
  }
  const site = call.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none' || isFollowedLink(call)) return
  throw new SluiceError('forbidden-host', 'This request comes from a page of another site')
}

/** A link on another page may lead here: GET never changes anything. Frames and subresources may not. */
const isFollowedLink = (call: SourceOfCall): boolean =>
  (call.method === 'GET' || call.method === 'HEAD') &&
  call.header('sec-fetch-mode') === 'navigate' &&
  call.header('sec-fetch-dest') === 'document'

/**
 * Whether the page that sends a form was loaded by TLS, to this server or to a proxy in front of it: its cookie must
 * not travel in the clear then. To be asked after {@link checkSource}.
 */
export const isSecurePage = (call: SourceOfCall & { readonly secure: boolean }): boolean =>
  call.secure || /^https:/i.test(call.header('origin') ?? '')

/** A proxy in front may end TLS, so that `https` pages arrive here as `http`; the host must be the same either way. */
const isOwnOrigin = (origin: string, host: string | undefined, secure: boolean): boolean => {
  const own = host?.toLowerCase()
  const lower = origin.toLowerCase()
  return lower === `https://${own}` || (!secure && lower === `http://${own}`)
}

/** The name in a `Host` header, without port and brackets; nothing when it is malformed. */
const toHostName = (host: string): string | undefined => {
  const [, literal, name] = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::\d{1,5})?$/i.exec(host) ?? []
  if (literal !== undefined && !URL.canParse(`http://[${literal}]/`)) return undefined
  return (literal ?? name?.replace(/\.$/, ''))?.toLowerCase()
}

const toBareHost = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')

const isAddress = (name: string): boolean => name.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)
