import type { BaseCall, HotRoutes } from '../http/base-call.ts'
import type { Contract } from './contract.ts'
import type { Handlers, OperationId } from './operations.ts'
import { createRequestCheck, type OnRefusal } from './request-check.ts'

/** Answers a request, by its operation, when there is too much to do; otherwise undefined. */
export type Shed = (operationId: string) => Response | undefined

/**
 * The short way for the operations that are called most: the same checks and handlers as `bindOperations`, without a
 * `Request` or a router in between. Other methods and other spellings of the path take the usual way.
 * @param ids operations whose path the usual way answers without middleware
 * @param shed asked before anything else of a request is looked at; what it returns is the answer
 */
export const createHotRoutes = (
  contract: Contract,
  handlers: Handlers,
  ids: readonly OperationId[],
  { onRefusal, shed }: { readonly onRefusal?: OnRefusal | undefined; readonly shed?: Shed | undefined } = {},
): HotRoutes => {
  const routes = contract.operations
    .filter(({ id }) => ids.some(known => known === id))
    .map(operation => {
      const { id, method, path } = operation
      const check = createRequestCheck(operation, { onRefusal })
      // Which parameters a handler takes is vouched for by the contract's validators, here as in `bind.ts`.
      const handler = handlers[id as OperationId] as unknown as (call: unknown) => Response | Promise<Response>
      const answer = (call: BaseCall): Response | Promise<Response> =>
        shed?.(id) ??
        handler(
          call.withOperation(
            id,
            check(call.target, name => call.header(name)),
          ),
        )
      return { method, path, answer }
    })
  return call => {
    const { method, target } = call
    const query = target.indexOf('?')
    const pathLength = query < 0 ? target.length : query
    // So few are compared faster than a path is cut out and looked up.
    for (const route of routes) {
      const { path } = route
      if (path.length === pathLength && target.startsWith(path) && route.method === method) return route.answer(call)
    }
    return undefined
  }
}
