import type { Current } from '../../current.ts'
import { FormatError, OutcomeUnknown, SluiceError } from '../../errors.ts'
import {
  applicationError,
  encodeException,
  encodeMessage,
  type MessageHeader,
  messageType,
  type OpenMessage,
} from '../../formats/thrift/message.ts'
import { thriftType } from '../../formats/thrift/types.ts'
import type { Claim } from '../../http/body/admission.ts'
import type { Logger } from '../../log/log.ts'
import type { Api } from '../../spool/apis.ts'
import type { Collector } from '../collector.ts'
import { type Clock, countUnread } from '../intake.ts'
import { toSent } from '../live/recent.ts'
import type { Parsed } from '../parsed.ts'
import type { QuotaShare } from '../quota/quota.ts'
import { misfitsOf } from '../refused/misfits.ts'
import type { Refusal } from '../refused/refusal-log.ts'
import { toEventPieces } from '../refused/refused-pieces.ts'
import type { RefusedRequest } from '../refused/refused-request.ts'
import type { Report, Submission } from '../submit/submission.ts'
import { runAtOnce, runInTurns } from '../work-turns.ts'
import { createFb303, oneWayMethods, type WriteResult } from './fb303.ts'
import { type LogCall, type LogLimits, longBytes, readLogCall, resultCode } from './log-call.ts'

/** Who sent a call, and how long its message is. */
export type ScribeSender = { readonly peer: string; readonly bytes: number }

/** A message; undefined for a one-way call. */
type Answer = Uint8Array | undefined

/** What answers calls, whatever carries them. */
export type ScribeService = {
  /**
   * Answers one call with a message; undefined if the caller expects no answer. `Log` is answered when its events are
   * as safe as `collector.ack` says, with TRY_LATER only when nothing of it was kept.
   * @throws OutcomeUnknown when it is unknown whether it was kept: then no answer is true
   */
  answer(message: OpenMessage, claim: Claim, from: ScribeSender): Promise<Answer>
  /** The same for a call of which only the header was read. */
  refuse(header: MessageHeader, error: SluiceError | FormatError): Uint8Array | undefined
  /** Counts a call of which not even a header was read. */
  countUnreadable(error: SluiceError | FormatError): void
}

export type ScribeServiceOptions = {
  readonly collector: Pick<Collector, 'submit' | 'counters' | 'longWork' | 'tellRefusal' | 'quota'>
  readonly clock: Clock
  readonly logger: Logger
  readonly callLimits: Current<LogLimits>
  /** When the server was started, in ms since the epoch. */
  readonly startedAt: number
}

/** The Scribe API over the collector. */
export const createScribeService = (options: ScribeServiceOptions): ScribeService => {
  const { collector, clock, logger, callLimits, startedAt } = options
  const count = collector.counters.SCRIBE_API
  const fb303 = createFb303(() => toFb303Counts(count), startedAt)

  const refuse = (header: MessageHeader, error: SluiceError | FormatError): Uint8Array | undefined => {
    if (header.name !== logMethod) return toException(header, error)
    count.record('requests')
    count.record('failures')
    countUnread(count, asSluiceError(error))
    return isPassing(error) ? reply(header, toResult(resultCode.tryLater)) : toException(header, error)
  }

  const log = async ({ header, reader }: OpenMessage, claim: Claim, from: ScribeSender): Promise<Answer> => {
    let call: LogCall
    let share: QuotaShare | undefined
    const { peer, bytes } = from
    const receivedAt = clock.now()
    try {
      share = collector.quota.admit(undefined, () => peer, bytes)
      const steps = readLogCall(reader, receivedAt, callLimits())
      call = reader.left > longBytes ? await collector.longWork(turns => runInTurns(steps, turns)) : runAtOnce(steps)
    } catch (error) {
      if (!isKnown(error)) throw error
      const { code, message: detail } = asSluiceError(error)
      if (share) payUnread(collector, share, error, bytes)
      if (!isPassing(error)) await collector.tellRefusal({ api, peer, code, detail, events: 1 }, undefined)
      return refuse(header, error)
    }
    count.record('requests')
    let charged: QuotaShare | undefined
    try {
      charged = share && charge(collector, share, call.entries, bytes)
      const submission = { api, receivedAt, parsed: call.parsed, claim, peer }
      const report = await collector.submit(submission)
      if (report.rejected > 0) await collector.tellRefusal(toRefusal(submission, report), toSent(call.parsed.body))
      // A client that hears OK forgets what it has sent. An entry without a message is nothing to keep.
      if (call.parsed.events.length === 0 && call.isOverLimits) throw nothingKept(call.parsed.rejections)
      return reply(header, toResult(resultCode.ok))
    } catch (error) {
      count.record('failures')
      if (!isKnown(error) || !isPassing(error)) throw error
      if (charged) collector.quota.pay(charged, 0, 0)
      return reply(header, toResult(resultCode.tryLater))
    }
  }

  const dispatch = async (message: OpenMessage, claim: Claim, from: ScribeSender): Promise<Uint8Array | undefined> => {
    const { header, reader } = message
    if (header.type !== messageType.call && header.type !== messageType.oneway) {
      const text = `Expected a call, found a message of type ${header.type}`
      return encodeException(header, applicationError.invalidMessageType, text)
    }
    if (header.name === logMethod) {
      const startedAt = clock.monotonicMs()
      try {
        return await log(message, claim, from)
      } finally {
        count.recordTime(clock.monotonicMs() - startedAt)
      }
    }
    const write = fb303.call(header.name, reader)
    if (write) return reply(header, write)
    return encodeException(header, applicationError.unknownMethod, `Invalid method name: '${header.name}'`)
  }

  return {
    answer: async (message, claim, from) => {
      try {
        return withoutOneWay(message.header, await dispatch(message, claim, from))
      } catch (error) {
        if (error instanceof OutcomeUnknown) throw error
        if (!isKnown(error)) logger.error({ err: error, method: message.header.name }, 'a Scribe call failed')
        return withoutOneWay(message.header, toException(message.header, error))
      }
    },
    refuse: (header, error) => withoutOneWay(header, refuse(header, error)),
    countUnreadable: error => {
      count.record('requests')
      count.record('failures')
      countUnread(count, asSluiceError(error))
    },
  }
}

/** A call refused for lack of space costs nothing. */
const payUnread = (
  { quota }: Pick<Collector, 'quota'>,
  share: QuotaShare,
  error: SluiceError | FormatError,
  bytes: number,
): void => (isPassing(error) ? quota.pay(share, 0, 0) : quota.pay(share, 1, bytes))

type Counts = Pick<Collector['counters']['SCRIBE_API'], 'received' | 'accepted' | 'rejected' | 'requests'>

const toFb303Counts = ({ received, accepted, rejected, requests: calls }: Counts) => ({
  received,
  accepted,
  rejected,
  calls,
})

/** @throws SluiceError `rate-limited`; the call was read all the same */
const charge = (
  { quota, counters }: Pick<Collector, 'quota' | 'counters'>,
  share: QuotaShare,
  entries: number,
  bytes: number,
): QuotaShare => {
  try {
    return quota.settle(share, entries, bytes)
  } catch (error) {
    counters.SCRIBE_API.record('throttled', entries)
    throw error
  }
}

const nothingKept = ({ count, errors }: Parsed['rejections']): SluiceError =>
  new SluiceError('bad-event', `None of ${count} entries can be kept: ${errors[0]?.detail ?? ''}`)

const logMethod = 'Log'

const isKnown = (error: unknown): error is SluiceError | FormatError =>
  error instanceof SluiceError || error instanceof FormatError

/** Whether the same call may succeed later. */
const isPassing = (error: SluiceError | FormatError): boolean =>
  error instanceof SluiceError && (error.status === 503 || error.code === 'rate-limited')

const asSluiceError = (error: SluiceError | FormatError): SluiceError =>
  error instanceof SluiceError ? error : new SluiceError('bad-event', error.message, { cause: error })

const reply = (header: MessageHeader, write: WriteResult): Uint8Array =>
  encodeMessage({ ...header, type: messageType.reply }, write)

const toResult =
  (code: number): WriteResult =>
  writer => {
    writer.fieldHeader(thriftType.i32, 0)
    writer.i32(code)
  }

/** What a client may know of a thrown value: unknown ones show nothing. */
const toException = (header: MessageHeader, error: unknown): Uint8Array => {
  if (!isKnown(error)) return encodeException(header, applicationError.internalError, 'Internal error')
  const isOurs = error instanceof SluiceError && (error.status >= 500 || error.code === 'not-found')
  const type = isOurs ? applicationError.internalError : applicationError.protocolError
  return encodeException(header, type, error.message)
}

const withoutOneWay = (header: MessageHeader, answer: Answer): Answer =>
  header.type === messageType.oneway || oneWayMethods.has(header.name) ? undefined : answer

const api: Api = 'SCRIBE_API'

const toRefusal = (submission: Submission & { peer: string }, report: Report): Refusal => {
  const { code = '', detail = '' } = report.errors[0] ?? {}
  const request = toRefusedEntries(submission, report)
  return { api, peer: submission.peer, code, detail, events: report.rejected, request }
}

/** What is stored of entries that are refused: their messages, or the records that were made of them. */
const toRefusedEntries = (submission: Submission, report: Report): RefusedRequest => {
  const { receivedAt, parsed } = submission
  const body = { events: parsed.rejections.sent }
  const pieces = toEventPieces({ body, misfits: misfitsOf(submission) }, report)
  return { receivedAt, method: 'Log', target: '', headers: {}, pieces }
}
