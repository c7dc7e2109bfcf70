import { SluiceError } from '../errors.ts'
import { createFixedResponse } from '../http/fixed-response.ts'
import type { Outcome } from '../spool/batch.ts'

/**
 * On every answer of an intake route, refusals included: nothing between client and server may keep it or answer
 * itself, and a page of any origin may see that its event was taken. There is nothing else to see, and cookies do not
 * count here.
 */
export const intakeHeaders = {
  'cache-control': 'private, no-cache, no-store, no-transform, proxy-revalidate',
  'access-control-allow-origin': '*',
} as const

/** Headers that a page's script may set on intake routes. */
const allowedHeaders = 'authorization, content-type, content-encoding, idempotency-key'

/** How long a browser may remember a preflight, in seconds: a day, more than some of them allow. */
const preflightMaxAge = '86400'

/** Nearly every answer is this one. */
const acceptedWhole = createFixedResponse(202, intakeHeaders)

/** The 202: empty, or with a `Warning` (RFC 7234 §5.5) and the list of what was refused. */
export const toAccepted = ({ accepted, rejected, errors }: Outcome): Response => {
  if (rejected === 0) return acceptedWhole
  return new Response(JSON.stringify({ accepted, rejected, errors }), {
    status: 202,
    headers: {
      ...intakeHeaders,
      'content-type': 'application/json',
      warning: `199 sluice "${accepted} accepted, ${rejected} rejected"`,
    },
  })
}

/** A refusal with the headers of an intake answer; everything else passes as it is. */
export const withIntakeHeaders = (error: unknown): unknown => {
  if (!(error instanceof SluiceError)) return error
  const headers = { ...error.headers, ...intakeHeaders }
  return new SluiceError(error.code, error.message, { cause: error.cause ?? error, headers })
}

/**
 * Answers `OPTIONS` of an intake route, a browser's preflight in particular.
 * @param methods without `OPTIONS`, joined by `, `
 */
export const toPreflight = (methods: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...intakeHeaders,
      allow: `${methods}, OPTIONS`,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': preflightMaxAge,
    },
  })
