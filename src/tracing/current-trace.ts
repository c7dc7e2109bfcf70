// node:async_hooks
/**
 * The trace of the request that is being served, known wherever something is done for it, without being handed from call
 * to call. Requests without one enter nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { formatTraceparent, type TraceContext, type TraceHeaders, traceOf } from './trace-context.ts'

const storage = new AsyncLocalStorage<TraceContext | undefined>()

/** Undefined outside of requests, and in those that belong to none. */
export const currentTrace = (): TraceContext | undefined => storage.getStore()

/** Calls within the trace that a request names by its headers; where it names none, just calls. */
export const inTraceOf = <T>(request: TraceHeaders, call: () => T): T => {
  const trace = traceOf(request)
  return trace === undefined ? call() : storage.run(trace, call)
}

/** Calls outside of any trace: for what outlives the request that began it. */
export const outsideTraces = <T>(call: () => T): T =>
  currentTrace() === undefined ? call() : storage.run(undefined, call)

/** A function to be called later, by other code, within the current trace. */
export const keepTrace = <T>(call: () => T): (() => T) => {
  const trace = currentTrace()
  return trace === undefined ? call : () => storage.run(trace, call)
}

/**
 * The headers of a call that is made for the current request; none without a trace. The parent is the caller's own
 * part: a new one, which is not recorded, would lead nowhere.
 */
export const toTraceHeaders = (): Readonly<Record<string, string>> => {
  const trace = currentTrace()
  if (trace === undefined) return {}
  return { traceparent: formatTraceparent(trace), ...(trace.state === undefined ? {} : { tracestate: trace.state }) }
}
