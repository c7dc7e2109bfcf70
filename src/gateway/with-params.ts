import type { Call } from '../http/call/call.ts'

/** The same call with other parameters, or for another operation; a view, because the call of the edge must not be copied. */
export const withParams = <P>(call: Call<unknown>, operationId: string, params: P): Call<P> => ({
  operationId,
  params,
  method: call.method,
  target: call.target,
  peer: call.peer,
  secure: call.secure,
  caller: call.caller,
  headers: call.headers,
  get signal() {
    return call.signal
  },
  header: name => call.header(name),
  bytes: maxBytes => call.bytes(maxBytes),
  stream: () => call.stream(),
})
