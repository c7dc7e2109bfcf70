import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from '../../src/contract/types.gen.ts'
import { requireText } from '../required.ts'
import { parseExactJson } from './exact-json.ts'

export type SluiceClientOptions = {
  /** For example `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  /** Bearer token, where the server wants one. */
  readonly token?: string
  /** Sends the requests; an application's own `fetch` serves for calls in memory. @default the global one */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** A client with one method for each HTTP method, typed by path: `client.GET('/1', { params: { query: { v } } })`. */
export type SluiceClient = Client<paths>

/**
 * Creates a client of every operation in `openapi.yaml`, for Node, Deno, Bun and browsers.
 *
 * A call resolves to `{ data, response }`, or `{ error, response }` with the problem that the server told. JSON bodies
 * are objects, all others bytes, sent as they are: give a `content-type` header with them. In answers an integer beyond
 * 2^53 is a `bigint`, and what is not JSON comes as text, unless `parseAs` says otherwise (`stream` for downloads).
 */
export const createSluiceClient = ({ baseUrl, token, fetch }: SluiceClientOptions): SluiceClient => {
  const client = createClient<paths>({
    baseUrl:
      baseUrl === '' ? baseUrl : requireText(baseUrl, 'baseUrl of the client', 'one such as http://127.0.0.1:8080'),
    ...(fetch === undefined ? {} : { fetch }),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    bodySerializer: (body: unknown) =>
      body instanceof Uint8Array || body instanceof Blob || body instanceof FormData || typeof body === 'string'
        ? body
        : JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? toRawJson(value) : value)),
  })
  client.use(exactAnswers)
  return client
}

const exactAnswers: Middleware = {
  onResponse: async ({ response, options }) => {
    if (options.parseAs !== 'json' || !response.ok || response.body === null) return undefined
    return toExactResponse(await response.text(), response)
  },
}

/** The answer again, once read: its `json()` keeps integers, and is the text itself where the type is not JSON. */
const toExactResponse = (text: string, { status, statusText, headers }: Response): Response => {
  const exact = new Headers(headers)
  // The length makes openapi-fetch call json(), or skip an empty body; without it, it would parse by itself.
  exact.set('content-length', String(text.length))
  exact.delete('transfer-encoding')
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '')
  const json = async (): Promise<unknown> => (isJson ? parseExactJson(text) : text)
  return Object.defineProperty(new Response(text, { status, statusText, headers: exact }), 'json', { value: json })
}

/** A bigint as a JSON number; TypeScript does not know `JSON.rawJSON` yet. */
const toRawJson = (value: bigint): unknown => {
  const { rawJSON }: { rawJSON?: (text: string) => unknown } = JSON as object
  if (rawJSON === undefined) throw new TypeError('This runtime cannot write a bigint as a JSON number')
  return rawJSON(String(value))
}
