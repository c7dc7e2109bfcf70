import { SluiceError, toProblem } from '../errors.ts'
import { createFixedResponse, type FixedResponse } from '../http/answers/fixed-response.ts'
import type { Api } from '../spool/apis.ts'
import type { Rejection } from '../spool/batch.ts'
import { intakeHeaders, refusalHeaders } from './doors/intake-headers.ts'
import { type Report, schemaMismatch } from './submit/submission.ts'

/** Nearly every answer to GET is this one. */
const acceptedBodiless = createFixedResponse(202, intakeHeaders)

const jsonHeaders = { ...intakeHeaders, 'content-type': 'application/json' } as const

/** Nearly every answer to POST is one of these, by the number of events. */
const acceptedWhole = new Map<number, FixedResponse>()
/** Batches mostly have the same few sizes. */
const maxKeptAnswers = 1_000

/** The 503 of a request that was refused unseen; the same as others, but ready. */
export const tooBusy: Response = createFixedResponse(
  503,
  { ...refusalHeaders, 'content-type': 'application/problem+json', 'retry-after': '1' },
  JSON.stringify(toProblem(new SluiceError('overloaded', 'Too many requests are waiting; retry later'))),
)

/**
 * The 202, with a `Warning` (RFC 7234 §5.5) where something was refused, was changed or does not fit, or is less safe than
 * `collector.ack` says. Its body, JSON for POST and none for GET, has the lists of these.
 */
export const toAccepted = (report: Report, api: Api): Response => {
  const { accepted, rejected, mismatched = 0, loneSurrogates = 0, likelySeconds = 0, durability } = report
  const isBodiless = api === 'GET_API' || api === 'GET_Base64_API'
  if (rejected + mismatched + loneSurrogates + likelySeconds === 0 && durability === undefined)
    return isBodiless ? acceptedBodiless : toAcceptedWhole(accepted)
  const warning = `199 sluice "${accepted} accepted, ${rejected} rejected${describeLoneSurrogates(loneSurrogates)}${describeSeconds(likelySeconds)}${describeMismatches(report)}${durability ? ', kept on one machine alone' : ''}"`
  if (isBodiless) return new Response(null, { status: 202, headers: { ...intakeHeaders, warning } })
  return new Response(toBody(report), { status: 202, headers: { ...jsonHeaders, warning } })
}

const toAcceptedWhole = (accepted: number): Response => {
  const known = acceptedWhole.get(accepted)
  if (known !== undefined) return known
  const made = createFixedResponse(202, jsonHeaders, toBody({ accepted, rejected: 0, errors: [] }))
  if (acceptedWhole.size < maxKeptAnswers) acceptedWhole.set(accepted, made)
  return made
}

/**
 * The 422 of a request that wanted all or nothing kept to be an error (`Prefer: handling=strict`, RFC 7240), and of
 * which nothing was.
 */
export const toNothingAccepted = ({ rejected, errors }: Report): SluiceError => {
  const events = rejected === 1 ? 'The only event was' : `All ${rejected} events were`
  const first = errors[0] ? `: ${errors[0].detail}` : ''
  return new SluiceError('nothing-accepted', `${events} refused${first}`, {
    headers: { 'preference-applied': 'handling=strict' },
    members: { accepted: 0, rejected, errors },
  })
}

/**
 * The 400 of a request with events that were refused, to a sender that would take any other answer for success. The others
 * were kept: it says how many.
 */
export const toPartlyRefused = ({ accepted, rejected, errors }: Report): SluiceError => {
  const first = errors[0] ? `: ${errors[0].detail}` : ''
  const message = `${rejected} of ${accepted + rejected} events were refused, and the others kept${first}`
  return new SluiceError('bad-event', message, { members: { accepted, rejected, errors } })
}

/** A refusal with the headers of an intake answer; everything else passes as it is, and what has its answer has them. */
export const withIntakeHeaders = (error: unknown): unknown => {
  if (!(error instanceof SluiceError) || error.response !== undefined) return error
  const headers = { ...error.headers, ...refusalHeaders }
  return new SluiceError(error.code, error.message, {
    about: error.about,
    cause: error.cause ?? error,
    headers,
    members: error.members,
  })
}

/** The mismatches apart from the errors, among which they are kept. */
const toBody = (report: BodyReport): string => {
  // What is undefined is not written.
  const { accepted, rejected, errors, mismatched = 0, durability } = report
  if (mismatched === 0) return JSON.stringify({ accepted, rejected, errors, durability })
  const isKept = toIsKept(report)
  const mismatches = errors.filter(isKept).map(({ index, detail }) => ({ index, detail }))
  return JSON.stringify({ accepted, rejected, errors: errors.filter(error => !isKept(error)), mismatches, durability })
}

type BodyReport = Pick<Report, 'accepted' | 'rejected' | 'errors' | 'mismatched' | 'keptIndexes' | 'durability'>

/** Whether an error is that of an event which was kept all the same. */
const toIsKept =
  ({ keptIndexes }: Pick<Report, 'keptIndexes'>) =>
  ({ index, code }: Rejection): boolean =>
    code === schemaMismatch && (keptIndexes?.includes(index) ?? true)

const describeLoneSurrogates = (count: number): string => {
  if (count === 0) return ''
  return count === 1 ? ', a lone surrogate became U+FFFD' : `, ${count} lone surrogates became U+FFFD`
}

const describeSeconds = (count: number): string =>
  count === 0 ? '' : `, eventDate of ${count} looks like seconds and was read as milliseconds, before 1973`

/** How many do not fit, and the first of them. */
const describeMismatches = (report: Report): string => {
  const { errors, mismatched = 0 } = report
  if (mismatched === 0) return ''
  const first = errors.find(toIsKept(report))
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
