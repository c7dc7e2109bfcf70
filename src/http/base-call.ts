import type { Call, Identity } from './call.ts'

/** A call before it is known which operation it is for: everything but the operation and its parameters. */
export type BaseCall = Omit<Call, 'operationId' | 'params' | 'caller'> & {
  /** The same call, for one operation with its validated parameters and the caller who may do it. */
  withOperation<Params>(operationId: string, params: Params, caller?: Identity): Call<Params>
}

/**
 * A short way for the few routes that are called tens of thousands of times per second: the edge asks it before a
 * `Request` is built, and answers what it returns. `undefined` sends the request the usual way. The function must
 * only look at method and target before it decides, and do itself what the usual way does: validation and checks.
 */
export type HotRoutes = (call: BaseCall) => Response | Promise<Response> | undefined
