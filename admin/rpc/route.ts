import type { Registry } from '../../src/beans/registry.ts'
import type { Access } from '../access.ts'
import { createBudget } from '../budget.ts'
import type { AdminCall } from '../call.ts'
import { readJsonText } from '../json-body.ts'
import type { Product } from '../product.ts'
import { createRpcServer } from './server.ts'

/** What the route is made of. */
export type RpcRouteOptions = {
  readonly registry: Registry
  readonly access: Access
  readonly product: Product
  readonly now: () => number
  readonly onUnexpected: (error: unknown, method: string) => void
}

/** Answers `POST /rpc`. Errors of calls are in the answer, with 200; 204 when there is nothing to say. */
export const createRpcRoute = (options: RpcRouteOptions): ((call: AdminCall) => Promise<Response>) => {
  const answer = createRpcServer(options.onUnexpected)
  return async call => {
    const { onUnexpected: _, ...parts } = options
    const answered = await answer(await readJsonText(call), { ...parts, caller: call.caller, spend: createBudget() })
    return answered === null
      ? new Response(null, { status: 204 })
      : Response.json(answered, { headers: { 'cache-control': 'no-store' } })
  }
}
