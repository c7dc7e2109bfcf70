import { isIP } from 'node:net'
import type { Current } from '../../current.ts'
import { SluiceError } from '../../errors.ts'
import { isRefusedCaller } from '../../http/auth/auth.ts'
import type { Call } from '../../http/call/call.ts'
import { forwardedFor } from '../../http/origin/header-text.ts'
import type { Api } from '../../spool/apis.ts'
import { toLogFields, traceOf } from '../../tracing/trace-context.ts'
import type { Sent } from '../live/feed.ts'
import { toSent } from '../live/recent.ts'
import type { CollectorSettings } from '../settings.ts'
import { toSender } from '../submit/event-ids.ts'
import type { Report, Submission, SubmittedReplay } from '../submit/submission.ts'
import { maskTarget } from './mask-keys.ts'
import { misfitsOf } from './misfits.ts'
import type { Refusal, TellRefusal } from './refusal-log.ts'
import { toPieces } from './refused-pieces.ts'
import type { RefusedPiece, RefusedRequest } from './refused-request.ts'
import { toRefusedRow } from './refused-row.ts'
import { type Replay, replayOf } from './replay.ts'
import { sentBodyOf } from './sent-bodies.ts'
import { isOfContent, toRefusedRequest } from './to-refused-request.ts'

/** What telling of refusals takes. */
export type TellParts = {
  readonly settings: Current<Pick<CollectorSettings, 'clientAddress' | 'knowsCallers'>>
  readonly clock: { now(): number }
  readonly tellRefusal: TellRefusal
}

/** A request with events that are refused. */
export type RefusedCall = {
  readonly api: Api
  readonly call: Call<unknown>
  /** Undefined where it could not be read. */
  readonly submission?: Submission | undefined
  /** Undefined where it was refused as a whole. */
  readonly report?: Report | undefined
}

/**
 * Reports a request that is answered with an error. A refusal for overload is counted, and not a mistake of its sender.
 * @returns as {@link TellRefusal}
 */
export const tellRefused = (parts: TellParts, refused: RefusedCall, error: unknown): Promise<void> | void => {
  if (!(error instanceof SluiceError) || error.status >= 500 || error.code === 'rate-limited') return undefined
  const { code, message: detail } = error
  const isStored = isOfContent(error) && (refused.call.method === 'GET' || sentOf(refused) !== undefined)
  return tell(parts, refused, { code, detail, isStored, isShown: !isRefusedCaller(error) })
}

/** Reports a request that is accepted in part. @returns as {@link TellRefusal} */
export const tellPartlyRefused = (
  parts: TellParts,
  refused: RefusedCall & { report: Report },
): Promise<void> | void => {
  const { code = '', detail = '' } = refused.report.errors[0] ?? {}
  return tell(parts, refused, { code, detail, isStored: true, isShown: true })
}

type Reason = { readonly code: string; readonly detail: string }

type Why = Reason & { readonly isStored: boolean; readonly isShown: boolean }

const tell = (parts: TellParts, refused: RefusedCall, { isStored, isShown, ...why }: Why): Promise<void> | void => {
  const { api, call, report } = refused
  const isKept = isStored && isOfSender(parts, refused) && replayOf(call) === undefined
  const refusal: Refusal = {
    api,
    peer: toClient(parts, call),
    ...why,
    events: report?.rejected ?? 1,
    ...(isKept ? { request: toRequest(parts, refused, why) } : {}),
    ...toLogFields(traceOf(call)),
  }
  return parts.tellRefusal(refusal, isShown ? shownOf(refused) : undefined)
}

const shownOf = (refused: RefusedCall): Sent | undefined =>
  refused.call.method === 'POST' ? sentOf(refused) : toSent(maskTarget(refused.call.operationId, refused.call))

/**
 * A replay as it is submitted. If nothing of it is accepted, it stays in its place; if a part is, the rest becomes a
 * row for each event, with the date at which all of it arrived.
 */
export const toSubmittedReplay = (parts: TellParts, call: Call<unknown>, replay: Replay): SubmittedReplay => ({
  eventIds: replay.eventIds,
  toRest: (submission, report) => {
    const { code = '', detail = '' } = report.errors[0] ?? {}
    const { api = submission.api } = replay
    const request = toRequest(parts, { api, call, submission, report }, { code, detail })
    const { pieces } = request
    if (pieces.length < report.rejected || !pieces.every(isWhole)) return undefined
    const from = { api, peer: toClient(parts, call) }
    return pieces.map(piece => toRefusedRow(from, request, piece))
  },
})

const isWhole = ({ sent }: RefusedPiece): boolean => sent !== undefined && sent.bytes.length === sent.length

/** Nothing is stored of strangers where callers have to be known. Whose events these are was looked at before they were submitted. */
const isOfSender = ({ settings }: TellParts, { call, submission }: RefusedCall): boolean =>
  !settings().knowsCallers || call.caller !== undefined || submission !== undefined

const toRequest = ({ clock }: TellParts, refused: RefusedCall, why: Reason): RefusedRequest => {
  const { call, submission, report } = refused
  const body = call.method === 'POST' ? sentBodyOf(call) : undefined
  const misfits = submission && misfitsOf(submission)
  const pieces = toPieces({ ...why, report, body, misfits: call.method === 'POST' ? misfits : undefined })
  const isKeyFree = why.code !== 'key-reused' && (report?.accepted ?? 0) === 0
  const receivedAt = replayOf(call)?.receivedAt ?? submission?.receivedAt ?? clock.now()
  return toRefusedRequest(call, receivedAt, pieces, {
    isDecoded: body?.isDecoded ?? true,
    isKeyFree,
    sender: submission ? submission.sender : toSender(call.caller, body?.key),
  })
}

/** What a request contained, as far as it was kept. */
const sentOf = ({ call, submission }: RefusedCall): Sent | undefined =>
  sentBodyOf(call)?.sent ?? (submission && (misfitsOf(submission)?.body ?? toSent(submission.parsed.body)))

/** The address of a client, as proxies report it. */
export const toClient = ({ settings }: Pick<TellParts, 'settings'>, call: Call<unknown>): string =>
  settings().clientAddress(
    call.peer,
    forwardedFor(name => call.header(name)),
  )

/**
 * The address whose quota a request counts against: the client, or the peer if a proxy names as client something other
 * than an address.
 */
export const toSenderAddress = (parts: Pick<TellParts, 'settings'>, call: Call<unknown>): string => {
  const client = toClient(parts, call)
  return isIP(client) === 0 ? call.peer : client
}
