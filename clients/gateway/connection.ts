import { requirePort, requireText } from '../required.ts'
import { GatewayError, toGatewayError } from './error.ts'

/** Where a gateway is. */
export type GatewayAddress = {
  readonly host: string
  readonly port: number
  /** Whether to use HTTPS. @default false */
  readonly secure?: boolean
  /** Bearer token, where the server wants one. */
  readonly token?: string
  /** Longest wait for an answer to begin, in ms. @default 300 000 */
  readonly timeoutMs?: number
  /** @default the global one, which keeps connections open */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Parameters of a call; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** How one call differs. */
export type CallOptions = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: NonNullable<RequestInit['body']>
  readonly signal?: AbortSignal | undefined
  /** Statuses beside 2xx that are not errors. */
  readonly allow?: readonly number[]
}

/** Calls one gateway, until it is closed. */
export type Connection = {
  /** @throws GatewayError anything but success, and `unreachable` */
  call(path: string, query: Query, options?: CallOptions): Promise<Response>
  readonly signal: AbortSignal
  /** Ends what is on its way; later calls fail. */
  close(): void
}

export const createConnection = (address: GatewayAddress): Connection => {
  const { host: name, port: number, secure = false, token, timeoutMs = 300_000, ...given } = address ?? {}
  const host = requireText(name, 'host of the gateway', 'a name or an address')
  const port = requirePort(number, 'port of the gateway')
  const base = `${secure ? 'https' : 'http'}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
  const request = given.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init))
  const closing = new AbortController()
  return {
    signal: closing.signal,
    close: () => closing.abort(new GatewayError('closed', 'The client is closed')),
    call: async (path, query, { method = 'GET', headers = {}, body, signal, allow = [] } = {}) => {
      closing.signal.throwIfAborted()
      const parameters = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
      const waiting = new AbortController()
      const timer = setTimeout(() => waiting.abort(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs)
      const init: RequestInit & { duplex?: 'half' } = {
        method,
        // Lengths and ranges are those of the stored bytes.
        headers: {
          'accept-encoding': 'identity',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        signal: AbortSignal.any([closing.signal, waiting.signal, ...(signal ? [signal] : [])]),
        redirect: 'error',
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      }
      try {
        const response = await request(`${base}${path}?${parameters.toString()}`, init)
        if (response.ok || allow.includes(response.status)) return response
        throw await toGatewayError(response)
      } catch (cause) {
        if (cause instanceof GatewayError) throw cause
        signal?.throwIfAborted()
        const reason =
          cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : String(cause)
        throw new GatewayError('unreachable', `${base} cannot be reached: ${reason}`, { cause })
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
