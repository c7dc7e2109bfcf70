import type { Context, Hono, MiddlewareHandler } from 'hono'
import { SluiceError, toResponse } from '../errors.ts'
import type { Call, Handler } from '../http/call.ts'
import { FixedResponse } from '../http/fixed-response.ts'
import type { Contract, Operation } from './contract.ts'
import type { Shed } from './hot.ts'
import type { Handlers } from './operations.ts'
import { toTarget } from './query.ts'
import { createRequestCheck, defaultMaxUrlChars, type OnRefusal, toUriTooLong } from './request-check.ts'

/** Makes what a handler sees of a request whose parameters are checked; the edge knows how bodies are read cheaply. */
export type ToCall = <Params>(context: Context, operationId: string, params: Params) => Call<Params>

/** Makes a response of an error for those who can show it better than as problem details; `undefined` leaves it. */
export type RenderError = (error: unknown, context: Context) => Response | Promise<Response> | undefined

export type BindOptions = {
  /** Path and query, in characters; beyond it 414 `uri-too-long`. @default 8192 */
  readonly maxUrlChars?: number
  /** Which operations this listener has; to it, the others do not exist. @default all */
  readonly includes?: (operation: Operation) => boolean
  /**
   * What runs before the operations of a path and sees every method, `OPTIONS` included: CORS, tokens, host checks.
   * Asked once for each path. What it throws becomes a response like any other error. @default nothing
   */
  readonly middleware?: (operations: readonly Operation[]) => readonly MiddlewareHandler[]
  /** Reads a request header by its lower-case name, where the edge has a cheaper way than `Headers`. */
  readonly readHeader?: (context: Context, name: string) => string | undefined
  /** Asked before anything else of a request is looked at; what it returns is the answer. */
  readonly shed?: Shed | undefined
  /** Hears of requests that their handler never sees. */
  readonly onRefusal?: OnRefusal | undefined
  readonly renderError?: RenderError | undefined
  /** Hears of everything that was thrown, before it becomes a response; for the log. */
  readonly onError?: (error: unknown, context: Context) => void
}

/**
 * Puts every operation of the contract on the application, checked and bound to the handler of its name, and answers
 * the rest: `OPTIONS` with 204 and `Allow`, other methods with 405 and `Allow`, unknown paths with 404. A trailing slash
 * is accepted, `HEAD` runs the handler of `GET`. Every error becomes a response here, through `toResponse`.
 * @throws TypeError when operations and handlers are not the same set
 */
export const bindOperations = (
  app: Hono,
  contract: Contract,
  handlers: Handlers,
  toCall: ToCall,
  options: BindOptions = {},
): void => {
  const { maxUrlChars = defaultMaxUrlChars, includes = () => true, middleware = () => [], onError = () => {} } = options
  const readHeader = options.readHeader ?? ((context, name) => context.req.header(name))
  const handlerById = checkHandlers(contract, handlers)
  const included = contract.operations.filter(includes)
  const allowByPath = new Map<string, string>()

  for (const [path, operations] of Map.groupBy(included, operation => operation.path)) {
    const routes = [path, `${path}/`]
    for (const handler of middleware(operations)) app.on('ALL', routes, handler)
    for (const operation of operations) {
      const handler = handlerById.get(operation.id)
      if (handler !== undefined)
        app.on(operation.method, routes, createRoute(operation, handler, toCall, readHeader, options))
    }
    allowByPath.set(path, toAllow(operations))
  }

  const refuse = (error: unknown, context: Context): Response | Promise<Response> => {
    onError(error, context)
    return options.renderError?.(error, context) ?? toResponse(error)
  }
  // Returns, and does not throw, what it refuses: what is thrown here would pass by the middleware of the path.
  app.notFound(context => {
    const { path, method, url } = context.req
    const target = toTarget(url)
    if (target.length > maxUrlChars) return refuse(toUriTooLong(target, maxUrlChars), context)
    const allow = allowByPath.get(path) ?? allowByPath.get(path.replace(/\/$/, ''))
    if (allow === undefined) return refuse(new SluiceError('not-found', 'There is nothing at this path'), context)
    const headers = { allow }
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers })
    return refuse(
      new SluiceError('method-not-allowed', `${path} has no ${method}; it has ${allow}`, { headers }),
      context,
    )
  })
  app.onError(refuse)
}

type AnyHandler = Handler<Readonly<Record<string, unknown>>>

/** The one place where a handler loses the type of its parameters: from here on the contract's validators vouch. */
const checkHandlers = (contract: Contract, handlers: Handlers): ReadonlyMap<string, AnyHandler> => {
  const byId = new Map(Object.entries(handlers as unknown as Readonly<Record<string, AnyHandler>>))
  const ids = new Set(contract.operations.map(({ id }) => id))
  const missing = [...ids].filter(id => !byId.has(id))
  const surplus = [...byId.keys()].filter(id => !ids.has(id))
  if (missing.length > 0) throw new TypeError(`Operations without a handler: ${missing.join(', ')}`)
  if (surplus.length > 0) throw new TypeError(`Handlers without an operation: ${surplus.join(', ')}`)
  return byId
}

const createRoute = (
  operation: Operation,
  handler: AnyHandler,
  toCall: ToCall,
  readHeader: (context: Context, name: string) => string | undefined,
  options: BindOptions,
): ((context: Context) => Response | Promise<Response>) => {
  const check = createRequestCheck(operation, options)
  const answer = (context: Context): Response | Promise<Response> =>
    options.shed?.(operation.id) ??
    handler(
      toCall(
        context,
        operation.id,
        check(context.req.url, name => readHeader(context, name)),
      ),
    )
  return context => {
    const given = answer(context)
    if (context.req.method === 'HEAD') return withoutBody(given)
    return given instanceof Promise ? given.then(toReadable) : toReadable(given)
  }
}

/** Nobody on this way knows where a {@link FixedResponse} keeps its body. */
const toReadable = (answer: Response): Response => (answer instanceof FixedResponse ? answer.toResponse() : answer)

/** The body is cancelled, so that what feeds it stops. */
const withoutBody = async (answer: Response | Promise<Response>): Promise<Response> => {
  const { body, status, headers } = await answer
  await body?.cancel()
  return new Response(null, { status, headers })
}

const toAllow = (operations: readonly Operation[]): string =>
  [...operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
