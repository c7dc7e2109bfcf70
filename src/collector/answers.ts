import { SluiceError } from '../errors.ts'
import type { Outcome } from '../spool/batch.ts'

/** On every answer of an intake route: nothing between client and server may keep or answer it. */
const cacheControl = 'private, no-cache, no-store, no-transform, proxy-revalidate'

const plainHeaders = { 'cache-control': cacheControl }
/** Any page may send and see that it was taken; there is nothing else to see, and no cookie counts here. */
const browserHeaders = { ...plainHeaders, 'access-control-allow-origin': '*' }

/** Headers that a browser's script may set on the routes open to it. */
const allowedHeaders = 'authorization, content-type, content-encoding, idempotency-key'

/** How long a browser may remember a preflight, in seconds: a day, which is what browsers cap it at or above. */
const preflightMaxAge = '86400'

/** The 202: empty, or with a `Warning` (RFC 7234 §5.5) and the list of what was refused. */
export const toAccepted = (outcome: Outcome, isBrowserRoute: boolean): Response => {
  const headers = intakeHeaders(isBrowserRoute)
  if (outcome.rejected === 0) return new Response(null, { status: 202, headers })
  const { accepted, rejected, errors } = outcome
  return new Response(JSON.stringify({ accepted, rejected, errors }), {
    status: 202,
    headers: {
      ...headers,
      'content-type': 'application/json',
      warning: `199 sluice "${accepted} accepted, ${rejected} rejected"`,
    },
  })
}

/** A refusal with the headers of an intake answer; everything else passes as it is. */
export const withIntakeHeaders = (error: unknown, isBrowserRoute: boolean): unknown => {
  if (!(error instanceof SluiceError)) return error
  const headers = { ...error.headers, ...intakeHeaders(isBrowserRoute) }
  return new SluiceError(error.code, error.message, { cause: error.cause ?? error, headers })
}

/** Answers `OPTIONS`; a route that is not for browsers names its methods only. */
export const toPreflight = (methods: string, isBrowserRoute: boolean): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...intakeHeaders(isBrowserRoute),
      allow: `${methods}, OPTIONS`,
      ...(isBrowserRoute
        ? {
            'access-control-allow-methods': methods,
            'access-control-allow-headers': allowedHeaders,
            'access-control-max-age': preflightMaxAge,
          }
        : {}),
    },
  })

const intakeHeaders = (isBrowserRoute: boolean): Readonly<Record<string, string>> =>
  isBrowserRoute ? browserHeaders : plainHeaders
