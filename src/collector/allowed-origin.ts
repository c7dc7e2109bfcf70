/**
 * CORS of the routes that take events (Fetch standard, 3.2). By itself any page may send events and see that they were taken, without
 * cookies. With `collector.allowed-origins` pages of these origins may send cookies along, as `sendBeacon` does and as
 * trackers that know a browser again need it; others see no answer.
 */
import type { Current } from '../current.ts'
import { createFixedResponse, FixedResponse } from '../http/answers/fixed-response.ts'
import type { Call } from '../http/call/call.ts'

/** `collector.allowed-origins`. */
export type AllowedOrigins = {
  readonly named: ReadonlySet<string>
  /** Whether pages of all others may send without cookies. */
  readonly isAny: boolean
}

/** Undefined where none are given: then answers are those that all pages may see. */
export const toAllowedOrigins = (origins: readonly string[]): AllowedOrigins | undefined =>
  origins.length === 0
    ? undefined
    : { named: new Set(origins.filter(origin => origin !== '*')), isAny: origins.includes('*') }

/** Makes an answer, of a preflight too, one that the page which asks may see, or none. Gives back what it gets where nothing is set. */
export type AllowOrigin = (response: Response, call: Pick<Call<unknown>, 'header'>) => Response

/** An answer that is the same again and again is kept so for as many origins as this, as long as the answer itself. */
const maxKept = 32

export const createAllowOrigin = (
  settings: Current<{ readonly allowedOrigins: AllowedOrigins | undefined }>,
): AllowOrigin => {
  let of: AllowedOrigins | undefined
  let kept = new WeakMap<FixedResponse, Map<string, FixedResponse>>()
  const toFixed = (response: FixedResponse, allowed: AllowedOrigins, origin: string): FixedResponse => {
    if (of !== allowed) {
      of = allowed
      kept = new WeakMap()
    }
    // All that are not named get the same.
    const key = allowed.named.has(origin) ? origin : ''
    const byOrigin = kept.get(response) ?? new Map<string, FixedResponse>()
    const known = byOrigin.get(key)
    if (known !== undefined) return known
    const headers = new Headers(response.headers)
    allow(headers, allowed, origin)
    const made = createFixedResponse(response.code, Object.fromEntries(headers), response.content)
    if (byOrigin.size < maxKept) kept.set(response, byOrigin.set(key, made))
    return made
  }
  return (response, call) => {
    const { allowedOrigins } = settings()
    // The network error of the Fetch standard is not an answer.
    if (allowedOrigins === undefined || response.type === 'error') return response
    const origin = call.header('origin') ?? ''
    if (response instanceof FixedResponse) return toFixed(response, allowedOrigins, origin)
    allow(response.headers, allowedOrigins, origin)
    return response
  }
}

/** Changes the headers of an answer that any page might see. */
const allow = (headers: Headers, { named, isAny }: AllowedOrigins, origin: string): void => {
  if (!/\borigin\b/i.test(headers.get('vary') ?? '')) headers.append('vary', 'Origin')
  if (named.has(origin)) {
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-allow-credentials', 'true')
  } else if (!isAny) {
    const cors = Array.from(headers.keys()).filter(name => name.startsWith('access-control-'))
    for (const name of cors) headers.delete(name)
  }
}
