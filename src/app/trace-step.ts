import type { MiddlewareHandler } from 'hono'
import { toBaseCall } from '../http/call/to-call.ts'
import { inTraceOf } from '../tracing/current-trace.ts'

/**
 * Serves a request within the trace that its caller names: what is asked of a cluster for it, and what is logged, says
 * so.
 * @param within the next step; undefined without one
 */
export const createTraceStep =
  (within: MiddlewareHandler | undefined): MiddlewareHandler =>
  (context, next) =>
    inTraceOf(toBaseCall(context), () => (within ? within(context, next) : next()))
