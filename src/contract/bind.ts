import type { Context, Hono, MiddlewareHandler } from 'hono'
import { SluiceError, toResponse } from '../errors.ts'
import { FixedResponse } from '../http/answers/fixed-response.ts'
import { toAwaitable } from '../http/call/answer.ts'
import type { FinishAnswer } from '../http/call/base-call.ts'
import { toBaseCall } from '../http/call/to-call.ts'
import type { Contract } from './contract.ts'
import { isPathOf, toRoutes, withoutParameter } from './path-template.ts'
import { toOptionsHeaders } from './preflight.ts'
import { toTarget } from './query.ts'
import { checkLength } from './request-check.ts'
import { type BoundOperation, bindService, type Guard, type Service } from './service.ts'

/**
 * Puts the operations of services on the application, checked and bound to the handlers of their names, and answers the
 * rest: `OPTIONS` with 204 and `Allow` (unless the service answers it), other methods with 405 and `Allow`, unknown paths with 404; to the application,
 * operations with other tags do not exist. A trailing slash is accepted, `HEAD` runs the handler of `GET`. Every error
 * becomes a response here, through `toResponse`.
 * @param onError hears of everything that was thrown, before it becomes a response; for the log
 * @param whereElse says of a path that is not here where it is; undefined where it is nowhere
 * @throws TypeError when the operations and handlers of a service are not the same set
 */
export const bindOperations = (
  app: Hono,
  contract: Contract,
  services: readonly Service[],
  onError: (error: unknown, context: Context) => void = () => {},
  whereElse: (path: string) => string | undefined = () => undefined,
): void => {
  const { renderMissing } = services.find(service => service.renderMissing) ?? {}
  const bound = services.flatMap(service => bindService(contract, service))
  const all = bound.map(({ operation }) => operation)
  const paths = new Map<string, { guard: Guard | undefined; headers: Readonly<Record<string, string>> }>()
  for (const [path, found] of Map.groupBy(bound, ({ operation }) => operation.path)) {
    const routes = [...toRoutes(path)]
    const guard = found[0]?.guard
    const checkSource = guard?.checkSource
    if (checkSource) {
      app.on('ALL', routes, (context, next) => {
        checkSource(context)
        return next()
      })
    }
    if (guard?.around) app.on('ALL', routes, guard.around)
    if (guard?.finish) app.on('ALL', routes, finishBy(guard.finish))
    for (const one of found) app.on(one.operation.method, routes, createRoute(one))
    const operations = all.filter(operation => operation.path === path)
    paths.set(path, { guard, headers: toOptionsHeaders(operations, all) })
  }

  const find = ({ req }: Context) => {
    for (const [path, found] of paths) if (isPathOf(path, req.path)) return { ...found, path }
    return undefined
  }
  const refuse = (error: unknown, context: Context): Response | Promise<Response> => {
    onError(error, context)
    const found = find(context)
    const own = found?.guard?.answerError?.(error, { header: name => context.req.header(name) })
    const render = found ? found.guard?.renderError : renderMissing
    return own ?? render?.(error, context) ?? toReadable(toResponse(error))
  }
  app.notFound(context => {
    const { path, method, url } = context.req
    const found = find(context)
    if (found && method === 'OPTIONS') {
      const { guard, headers } = found
      return guard?.answerOptions?.(context, headers) ?? new Response(null, { status: 204, headers })
    }
    checkLength(toTarget(url))
    if (!found) throw new SluiceError('not-found', whereElse(path) ?? 'No route has this path')
    const { allow = '' } = found.headers
    const known = withoutParameter(found.path)
    throw new SluiceError('method-not-allowed', `${known} does not allow ${method}; allowed: ${allow}`, {
      headers: { allow },
    })
  })
  app.onError(refuse)
}

const finishBy =
  (finish: FinishAnswer): MiddlewareHandler =>
  async (context, next) => {
    await next()
    const answer = finish(context.res, { header: name => context.req.header(name) })
    if (answer === context.res) return
    // Else the headers of the one before would be those of this one, too.
    context.res = undefined
    context.res = toReadable(answer)
  }

const createRoute =
  ({ answer }: BoundOperation) =>
  (context: Context): Response | Promise<Response> => {
    const given = toAwaitable(answer(toBaseCall(context)))
    if (context.req.method === 'HEAD') return withoutBody(given)
    return given instanceof Promise ? given.then(toReadable) : toReadable(given)
  }

/** On this path the place where a {@link FixedResponse} keeps its body is unknown. */
const toReadable = (answer: Response): Response => (answer instanceof FixedResponse ? answer.toResponse() : answer)

/** The body is cancelled, so that what feeds it stops. */
const withoutBody = async (answer: Response | Promise<Response>): Promise<Response> => {
  const { body, status, headers } = await answer
  await body?.cancel()
  return new Response(null, { status, headers })
}
