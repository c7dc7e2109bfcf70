import {
  createJSONRPCErrorResponse,
  createJSONRPCRequest,
  isJSONRPCResponse,
  JSONRPCClient,
  JSONRPCErrorCode,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from 'json-rpc-2.0'
import { isRecord } from '../../src/is-record.ts'
import { RpcError, RpcHttpError, RpcUnreachable } from './errors.ts'
import type { Attributes, BeanPage, ListParams, ReadResult, RpcCall, RpcOutcome, VersionInfo } from './types.ts'

/** Where the management listener is, and how to reach it. */
export type RpcClientOptions = {
  /** The listener, such as `http://127.0.0.1:8081`; `/rpc` is added. */
  readonly url: string
  /** Bearer token with the role `view` or `operate`. */
  readonly token?: string | undefined
  /** @default the global one */
  readonly fetch?: (request: Request) => Promise<Response> | Response
  /** Longest time for one answer. @default 30 000 */
  readonly timeoutMs?: number | undefined
}

/**
 * The management plane, method by method. Every call throws `RpcError` when the server says no, `RpcHttpError` when
 * it refuses the request as a whole, and `RpcUnreachable` when it does not answer.
 */
export type RpcClient = {
  version(): Promise<VersionInfo>
  /** One page of beans with what they offer. */
  list(params?: ListParams): Promise<BeanPage>
  /** Names that match a pattern, such as `*:type=BodyResource,*`. */
  search(pattern: string): Promise<readonly string[]>
  /** One attribute: its value. */
  read(mbean: string, attribute: string): Promise<ReadResult<unknown>>
  /** Several attributes, or all: by name. A pattern is read with {@link RpcClient.readMany}. */
  read(mbean: string, attributes?: readonly string[]): Promise<ReadResult<Attributes>>
  /** Attributes of all beans that match a pattern: by bean, then by attribute. */
  readMany(
    pattern: string,
    attributes?: string | readonly string[],
  ): Promise<ReadResult<Readonly<Record<string, Attributes>>>>
  /** Sets an attribute, and gives the old value. */
  write(mbean: string, attribute: string, value: unknown): Promise<unknown>
  /** Runs an operation, and gives what it returned. */
  exec(mbean: string, operation: string, args?: readonly unknown[]): Promise<unknown>
  /** Any method. */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Several calls in one request, at most 100; an outcome for each, in their order. */
  batch(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]>
}

const defaultTimeoutMs = 30_000

/** Why an exchange failed; the library passes on only messages. */
type Exchange = { failure?: unknown }

/** Makes a client; it holds nothing that needs closing. @throws TypeError for an invalid URL */
export const createRpcClient = (options: RpcClientOptions): RpcClient => {
  const post = createPost(options)
  let lastId = 0
  const toRequest = ({ method, params }: RpcCall): JSONRPCRequest => createJSONRPCRequest(++lastId, method, params)
  const client = new JSONRPCClient<Exchange>(async (message: JSONRPCRequest | JSONRPCRequest[], exchange) => {
    try {
      const answer = await post(message)
      // The library's own check trips over null.
      const responses = [answer].flat().filter(one => isRecord(one) && isJSONRPCResponse(one))
      // The server has no word on any call, but on the request as a whole.
      if (!responses.some(({ id }) => id !== null)) throw refusalOf(answer)
      client.receive(responses)
      // A call without an answer would wait endlessly; the library has forgotten those that were answered.
      client.receive([message].flat().map(({ id = null }) => createJSONRPCErrorResponse(id, internalError, noResponse)))
    } catch (error) {
      exchange.failure = error
      throw error
    }
  })
  const ask = async <T>(request: (exchange: Exchange) => PromiseLike<T>): Promise<T> => {
    const exchange: Exchange = {}
    const answer = await request(exchange)
    if ('failure' in exchange) throw exchange.failure
    return answer
  }
  const call = async (method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const request = toRequest({ method, ...(params ? { params } : {}) })
    const outcome = toOutcome(await ask(exchange => client.requestAdvanced(request, exchange)))
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
  // The shapes of answers are the word of the server, which `rpc.discover` gives in full.
  const typed = <T>(answer: Promise<unknown>): Promise<T> => answer as Promise<T>
  const read = (mbean: string, attribute?: string | readonly string[]): Promise<unknown> =>
    call('read', { mbean, ...(attribute === undefined ? {} : { attribute }) })
  return {
    version: () => typed(call('version')),
    list: (params = {}) => typed(call('list', params)),
    search: pattern => typed(call('search', { pattern })),
    read: (mbean: string, attribute?: string | readonly string[]) =>
      typed<ReadResult<Attributes>>(read(mbean, attribute)),
    readMany: (pattern, attribute) => typed(read(pattern, attribute)),
    write: (mbean, attribute, value) => call('write', { mbean, attribute, value }),
    exec: (mbean, operation, args = []) => call('exec', { mbean, operation, arguments: args }),
    call,
    batch: async calls => {
      if (calls.length === 0) return []
      const responses = await ask(exchange => client.requestAdvanced(calls.map(toRequest), exchange))
      return responses.map(toOutcome)
    },
  }
}

const createPost = (options: RpcClientOptions): ((message: unknown) => Promise<unknown>) => {
  const url = new URL(`${options.url.replace(/\/+$/, '')}/rpc`)
  const send = options.fetch ?? ((request: Request) => fetch(request))
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
  }
  return async message => {
    const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
    const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(message), signal })
    let response: Response
    let text: string
    try {
      response = await send(request)
      text = await response.text()
    } catch (error) {
      throw new RpcUnreachable(url.origin, error)
    }
    if (!response.ok) throw toHttpError(response.status, text)
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new RpcHttpError(response.status, undefined, 'The answer is not JSON: is this the management listener?', {
        cause: error,
      })
    }
  }
}

const toOutcome = (response: JSONRPCResponse): RpcOutcome =>
  Object.hasOwn(response, 'result') ? { result: response.result } : { error: refusalOf(response) }

const refusalOf = (answer: unknown): RpcError => {
  const error = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : {}
  const { code, message, data } = error
  const isKnown = typeof code === 'number' && typeof message === 'string'
  return isKnown ? new RpcError(code, message, data) : new RpcError(internalError, noResponse)
}

const internalError = JSONRPCErrorCode.InternalError
const noResponse = 'The answer is not a JSON-RPC response'

const toHttpError = (status: number, text: string): RpcHttpError => {
  let problem: unknown
  try {
    problem = JSON.parse(text)
  } catch {
    // Something else than Sluice answers with something else than problem details.
  }
  const { code, detail, title } = isRecord(problem) ? problem : {}
  const message = [detail, title].find(one => typeof one === 'string') ?? `The server answered HTTP ${status}`
  return new RpcHttpError(status, typeof code === 'string' ? code : undefined, String(message))
}
