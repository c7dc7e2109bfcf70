import { SluiceError, toProblem } from '../errors.ts'
import { createFixedResponse } from '../http/fixed-response.ts'
import { type Report, schemaMismatch } from './submit.ts'

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

/** The 503 of a request that was refused unseen; the same as others, but ready. */
export const tooBusy: Response = createFixedResponse(
  503,
  { ...intakeHeaders, 'content-type': 'application/problem+json', 'retry-after': '1' },
  JSON.stringify(
    toProblem(new SluiceError('overloaded', 'More requests have arrived than are answered in time; try later')),
  ),
)

/** The 202: empty, or with a `Warning` (RFC 7234 §5.5) and the lists of what was refused and of what does not fit. */
export const toAccepted = (report: Report): Response => {
  const { accepted, rejected, errors, mismatched = 0 } = report
  if (rejected === 0 && mismatched === 0) return acceptedWhole
  const warning = `199 sluice "${accepted} accepted, ${rejected} rejected${describeMismatches(report)}"`
  if (report.isBodiless) return new Response(null, { status: 202, headers: { ...intakeHeaders, warning } })
  const body = mismatched === 0 ? { accepted, rejected, errors } : withMismatches(report)
  const headers = { ...intakeHeaders, 'content-type': 'application/json', warning }
  return new Response(JSON.stringify(body), { status: 202, headers })
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

/** The mismatches apart from the errors, among which they are kept. */
const withMismatches = ({ accepted, rejected, errors }: Report): object => ({
  accepted,
  rejected,
  errors: errors.filter(({ code }) => code !== schemaMismatch),
  mismatches: errors.flatMap(({ index, code, detail }) => (code === schemaMismatch ? [{ index, detail }] : [])),
})

/** How many do not fit, and the first of them. */
const describeMismatches = ({ errors, mismatched = 0 }: Report): string => {
  if (mismatched === 0) return ''
  const first = errors.find(({ code }) => code === schemaMismatch)
  const count = mismatched === 1 ? '1 does not fit its schema' : `${mismatched} do not fit their schemas`
  return `, ${count}${first ? `: ${toQuotable(first.detail)}` : ''}`
}

/** Within a quoted string of a header: shortened, and other characters than printable ASCII become `?`. */
const toQuotable = (text: string): string =>
  text
    .slice(0, maxQuotedLength)
    .replace(/[^ -~]/g, '?')
    .replace(/["\\]/g, '\\$&')

/** Twice as much when all of it is escaped: the contract allows a `Warning` of 1 000 characters. */
const maxQuotedLength = 400
