import { markReplay } from '../collector/refused/replay.ts'
import type { Report } from '../collector/submit/submission.ts'
import { isPathOf } from '../contract/path-template.ts'
import type { BoundOperation } from '../contract/service.ts'
import { OutcomeUnknown, SluiceError } from '../errors.ts'
import { toAwaitable } from '../http/call/answer.ts'
import type { BaseCall } from '../http/call/base-call.ts'
import { apis } from '../spool/apis.ts'
import type { ReplayOutcome } from './refused-answers.ts'
import { eventIdsOf, type RefusedRecord, replayKeyOf, whyNotReplayable } from './refused-record.ts'

/**
 * Sends refused events in again.
 * @param operations of the collector, which do not ask who calls @param onMistake hears of what the server did wrong
 */
export const createReplayer =
  (operations: readonly BoundOperation[], onMistake: (error: unknown, id: string) => void) =>
  async (record: RefusedRecord): Promise<ReplayOutcome> => {
    const { id } = record
    try {
      return { id, accepted: 0, ...(await send(operations, record)) }
    } catch (error) {
      onMistake(error, id)
      return { id, accepted: 0, outcome: 'errored', detail: 'The server made a mistake with it; its log says more' }
    }
  }

type Became = Pick<ReplayOutcome, 'outcome' | 'detail'> & Partial<Pick<ReplayOutcome, 'accepted'>>

/** @throws unknown a mistake of the server */
const send = async (operations: readonly BoundOperation[], record: RefusedRecord): Promise<Became> => {
  const { method, target } = record
  const why = whyNotReplayable(record)
  if (why !== undefined) return { outcome: 'not-replayable', detail: why }
  const [path = ''] = target.split('?', 1)
  const bound = operations.find(({ operation }) => operation.method === method && isPathOf(operation.path, path))
  if (bound === undefined) return { outcome: 'refused', detail: `Nothing takes events at ${path}` }
  let told: { readonly report: Report; readonly isRepeated: boolean } | undefined
  const call = toCall(record)
  markReplay(call, {
    api: apis.find(api => api === record.api),
    receivedAt: record.when,
    key: replayKeyOf(record),
    fingerprint: record.fingerprint,
    dates: record.dates,
    eventIds: eventIdsOf(record),
    sender: record.sender,
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
  if (told === undefined) return toFailure(problem)
  return told.isRepeated ? { outcome: 'before', detail: describeRest(told.report) } : toBecame(told.report)
}

/** Of what the sender would hear, events that a filter drops, and those that were in already, count as accepted. */
const toBecame = (report: Report): Became => {
  const { rejected, filtered = 0, duplicates = 0, errors } = report
  const accepted = report.accepted - filtered - duplicates
  const detail = describeRest(report)
  if (accepted > 0) return { outcome: 'accepted', accepted, detail }
  if (duplicates > 0) return { outcome: 'duplicate', detail }
  if (rejected > 0) return { outcome: 'refused', detail: errors[0]?.detail ?? '' }
  return { outcome: 'filtered', detail: 'A filter of the collector drops it' }
}

const describeRest = ({ accepted, rejected, errors }: Report): string =>
  rejected === 0 ? '' : `${rejected} of ${accepted + rejected} events are refused again: ${errors[0]?.detail}`

const toFailure = (problem: unknown): Became => {
  if (problem instanceof OutcomeUnknown)
    return { outcome: 'failed', detail: 'The disk failed, and it may be in or not; try again' }
  if (!(problem instanceof SluiceError)) throw new Error('A replay failed', { cause: problem })
  const { code, status, message: detail } = problem
  if (code === 'key-reused') return { outcome: 'superseded', detail }
  return { outcome: status < 429 ? 'refused' : 'failed', detail }
}

/** The original call, except for its caller. */
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
