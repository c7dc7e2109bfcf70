import { markReplay } from '../collector/refused/replay.ts'
import { isOfContent } from '../collector/refused/to-refused-request.ts'
import type { Report } from '../collector/submit/submission.ts'
import { isPathOf } from '../contract/path-template.ts'
import type { BoundOperation } from '../contract/service.ts'
import { OutcomeUnknown, SluiceError } from '../errors.ts'
import { toAwaitable } from '../http/call/answer.ts'
import type { BaseCall } from '../http/call/base-call.ts'
import { type RefusedRecord, replayKeyOf, whyNotReplayable } from './refused-record.ts'

/** What became of a refused event that was sent in again. */
export type ReplayOutcome = {
  readonly id: string
  /**
   * - `accepted`: it is in; `before`: it was already, by an earlier replay or because its sender sent it again;
   * - `refused`: for a reason that is there still; `superseded`: its sender has sent something else in its place;
   * - `not-replayable`, `not-found`;
   * - `failed`: the collector takes nothing now, or it was not its turn any more. Trying again does no harm.
   */
  readonly outcome: 'accepted' | 'before' | 'refused' | 'superseded' | 'not-replayable' | 'not-found' | 'failed'
  /** Events that are in by it. */
  readonly accepted: number
  /** Why not, in words. */
  readonly detail: string
}

/** Sends refused events in again. @param operations of the collector, which do not ask who calls */
export const createReplayer =
  (operations: readonly BoundOperation[]) =>
  async (record: RefusedRecord): Promise<ReplayOutcome> => {
    const { id, method, target, eventIds } = record
    const none = { id, accepted: 0 }
    const why = whyNotReplayable(record)
    if (why !== undefined) return { ...none, outcome: 'not-replayable', detail: why }
    const [path = ''] = target.split('?', 1)
    const bound = operations.find(({ operation }) => operation.method === method && isPathOf(operation.path, path))
    if (bound === undefined) return { ...none, outcome: 'refused', detail: `Nothing takes events at ${path}` }
    let told: { readonly report: Report; readonly isRepeated: boolean } | undefined
    const call = toCall(record)
    markReplay(call, {
      receivedAt: record.when,
      key: replayKeyOf(record),
      eventIds: eventIds === undefined ? undefined : Buffer.from(eventIds, 'base64'),
      tell: (report, isRepeated) => {
        told = { report, isRepeated }
      },
    })
    let problem: unknown
    try {
      await toAwaitable(bound.answer(call))
    } catch (error) {
      problem = error
    }
    return told === undefined || told.report.accepted === 0
      ? { ...none, ...toFailure(problem, told?.report) }
      : toSuccess(id, told.report, told.isRepeated)
  }

const toSuccess = (id: string, { accepted, rejected, errors }: Report, isRepeated: boolean): ReplayOutcome => ({
  id,
  outcome: isRepeated ? 'before' : 'accepted',
  accepted: isRepeated ? 0 : accepted,
  detail: rejected === 0 ? '' : `${rejected} of ${accepted + rejected} events are refused again: ${errors[0]?.detail}`,
})

const toFailure = (problem: unknown, report: Report | undefined): Pick<ReplayOutcome, 'outcome' | 'detail'> => {
  if (problem === undefined) return { outcome: 'refused', detail: report?.errors[0]?.detail ?? '' }
  if (problem instanceof OutcomeUnknown)
    return { outcome: 'failed', detail: 'The disk failed, and it may be in or not; try again' }
  if (!(problem instanceof SluiceError)) throw new Error('A replay failed', { cause: problem })
  const { code, status, message: detail } = problem
  if (code === 'key-reused') return { outcome: 'superseded', detail }
  return { outcome: isOfContent(status) || status < 429 ? 'refused' : 'failed', detail }
}

/** The call that it was, but for who called. */
const toCall = (record: RefusedRecord): BaseCall => {
  const { method, target, peer } = record
  const body = method === 'GET' ? undefined : toBody(record)
  const headers = toHeaders(record, body)
  const call: BaseCall = {
    method,
    target,
    headers,
    header: name => headers[name],
    peer,
    secure: false,
    signal: new AbortController().signal,
    whole: body,
    bytes: async () => body ?? new Uint8Array(),
    stream: () => null,
    withOperation: (operationId, params, caller) => Object.assign(call, { operationId, params, caller }),
  }
  return call
}

const toHeaders = (
  { headers, contentType, contentEncoding }: RefusedRecord,
  body: Uint8Array | undefined,
): Readonly<Record<string, string>> => ({
  ...headers,
  ...(contentType === undefined ? {} : { 'content-type': contentType }),
  ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
  ...(body === undefined ? {} : { 'content-length': String(body.length) }),
})

const toBody = ({ sent = '', sentBase64 }: RefusedRecord): Uint8Array =>
  sentBase64 === undefined ? Buffer.from(sent) : Buffer.from(sentBase64, 'base64')
