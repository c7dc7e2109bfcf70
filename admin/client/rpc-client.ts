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

/** Makes a client; it holds nothing that needs closing. @throws TypeError for a URL that is none */
export const createRpcClient = (options: RpcClientOptions): RpcClient => {
  const post = createPost(options)
  const call = async (method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const outcome = toOutcome(await post(toMessage({ method, ...(params ? { params } : {}) }, 0)))
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
      const answers = await post(calls.map(toMessage))
      if (!Array.isArray(answers)) throw refusalOf(answers)
      const byId = new Map(answers.map(answer => [isObject(answer) ? answer['id'] : undefined, answer]))
      return calls.map((_, id) => toOutcome(byId.get(id)))
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
      throw new RpcHttpError(response.status, undefined, 'The answer is no JSON: is this the management listener?', {
        cause: error,
      })
    }
  }
}

const toMessage = ({ method, params }: RpcCall, id: number): unknown => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

const toOutcome = (answer: unknown): RpcOutcome => {
  if (isObject(answer) && Object.hasOwn(answer, 'result')) return { result: answer['result'] }
  return { error: refusalOf(answer) }
}

const refusalOf = (answer: unknown): RpcError => {
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : {}
  const { code, message, data } = error
  const isKnown = typeof code === 'number' && typeof message === 'string'
  return isKnown ? new RpcError(code, message, data) : new RpcError(-32603, 'The answer is no JSON-RPC response')
}

const toHttpError = (status: number, text: string): RpcHttpError => {
  let problem: unknown
  try {
    problem = JSON.parse(text)
  } catch {
    // Something else than Sluice answers with something else than problem details.
  }
  const { code, detail, title } = isObject(problem) ? problem : {}
  const message = [detail, title].find(one => typeof one === 'string') ?? `The server answered HTTP ${status}`
  return new RpcHttpError(status, typeof code === 'string' ? code : undefined, String(message))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
