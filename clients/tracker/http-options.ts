import { requireUrl } from '../required.ts'

/** How to reach a collector over HTTP. */
export type HttpOptions = {
  /** Base of its addresses, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Bearer token, where the server wants one. */
  readonly token?: string
  /** Longest time of one request, its connection included. @default 30 000 */
  readonly requestTimeoutMs?: number
  /** Sends the requests. @default the global one, which keeps connections open */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

const defaultTimeoutMs = 30_000

/** One request within the time; a redirect is an answer, because following it would turn a POST into a GET. */
export const createRequest = (options: HttpOptions) => {
  const { url, token, requestTimeoutMs = defaultTimeoutMs, fetch } = options ?? {}
  const base = requireUrl(url, 'url of the sender').replace(/\/+$/, '')
  const headersOfAll = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const call = fetch ?? ((target: string, init: RequestInit) => globalThis.fetch(target, init))
  return (
    path: string,
    {
      headers = {},
      signal,
      ...init
    }: {
      method?: string
      headers?: Record<string, string>
      body?: NonNullable<RequestInit['body']>
      signal: AbortSignal
    },
  ): Promise<Response> =>
    call(`${base}${path}`, {
      ...init,
      headers: { ...headersOfAll, ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    })
}

/** What a failed `fetch` says: its message is often only "fetch failed", with the reason behind it. */
export const toError = (thrown: unknown, doing: string): Error => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return new Error(`${doing}: ${error.message}${cause}`, { cause: error })
}
