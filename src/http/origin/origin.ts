import type { Call } from '../call/call.ts'
import { isLoopbackHost } from './hosts.ts'

/** Where a server is, as its client knows it. */
export type ServerAddress = {
  /** A name or an address, IPv6 in brackets. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

type Asked = Pick<Call<unknown>, 'header' | 'secure'>

const plainHost = /^([A-Za-z0-9.\-_]+|\[[0-9A-Fa-f:.]+\])(?::(\d+))?$/

/** Scheme and host under which a call came; `localhost` where it names no host, or one that has other characters. */
export const toOrigin = (call: Asked): string => {
  const host = call.header('host') ?? ''
  return `${call.secure ? 'https' : 'http'}://${plainHost.test(host) ? host : 'localhost'}`
}

/** As {@link toOrigin}, with the port always; as seen from in front of a proxy that ends TLS, where that can be known. */
export const toServerAddress = (call: Asked): ServerAddress => {
  const [, host = 'localhost', port] = plainHost.exec(call.header('host') ?? '') ?? []
  const secure = call.secure || isBehindTls(call, host)
  return { host, port: port === undefined ? (secure ? 443 : 80) : Number(port), secure }
}

/** Scheme, host and, where it is not the usual one, port of an address. */
export const toBaseUrl = ({ host, port, secure }: ServerAddress): string =>
  `${secure ? 'https' : 'http'}://${host}${port === (secure ? 443 : 80) ? '' : `:${port}`}`

/**
 * Whether a client came by TLS to a proxy in front: the proxy says so, or the client is a browser, which sends
 * `Sec-Fetch-…` only by TLS and to its own machine (Fetch Metadata §2). Any client may claim it, so it decides nothing.
 */
const isBehindTls = (call: Asked, host: string): boolean =>
  /^https(?:,|$)/i.test(call.header('x-forwarded-proto') ?? '') ||
  (call.header('sec-fetch-site') !== undefined && !isLoopbackHost(host))
