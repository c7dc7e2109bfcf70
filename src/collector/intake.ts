import type { Current } from '../current.ts'
import { SluiceError } from '../errors.ts'
import { isRefusedCaller } from '../http/auth/auth.ts'
import type { Admission } from '../http/body/admission.ts'
import type { Call } from '../http/call/call.ts'
import { forwardedFor, toHeaderText } from '../http/origin/header-text.ts'
import { Deferred, type Waiter } from '../runtime/deferred.ts'
import type { Api } from '../spool/apis.ts'
import type { BodyFormat } from '../spool/batch.ts'
import { formatTraceparent, traceOf } from '../tracing/trace-context.ts'
import { parseReferrer, type Referrer, type RequestContext } from './annotations.ts'
import { toAccepted, toNothingAccepted, toPartlyRefused, withIntakeHeaders } from './answers.ts'
import type { ApiCounters, CollectorCounters } from './counters.ts'
import type { InspectEvent } from './parsers/inspection.ts'
import type { TellRefusal } from './refusal-log.ts'
import { type RefusedCall, tellPartlyRefused, tellRefused } from './refused/tell-refused.ts'
import type { CollectorSettings } from './settings.ts'
import type { Submitted } from './submit/idempotency.ts'
import { toRefusalKind } from './submit/keep.ts'
import type { Report, Submission } from './submit/submission.ts'
import type { Submit, SubmitOnce } from './submit/submit.ts'
import type { LongWork } from './work-turns.ts'

/** Wall clock for dates, monotonic clock for durations; both in ms. */
export type Clock = { now(): number; monotonicMs(): number }

/** What the routes share. */
export type Intake = {
  readonly settings: Current<CollectorSettings>
  /** Looks whether events are taken now. @throws SluiceError what an event would be refused with */
  readonly check: () => void | Promise<void>
  readonly clock: Clock
  readonly admission: Admission
  readonly counters: CollectorCounters
  readonly submit: Submit
  readonly submitOnce: SubmitOnce
  readonly longWork: LongWork
  readonly tellRefusal: TellRefusal
  /** Compares an event of a long body with its schema. */
  readonly inspect: ((format: BodyFormat) => InspectEvent) | undefined
}

/**
 * Runs one request: read, kept, measured, counted, and answered with the headers that intake routes have.
 * @param read whatever it throws counts as a request of which no event was read
 */
export const answerIntake = <Params>(
  intake: Intake,
  api: Api,
  call: Call<Params>,
  read: (call: Call<Params>) => Submission | Promise<Submission>,
): Deferred<Response> => {
  const taking = new Taking(intake, api, call)
  try {
    const given = read(call)
    if (!(given instanceof Promise)) taking.submit(given)
    else {
      given.then(
        submission => taking.submit(submission),
        error => taking.unread(error),
      )
    }
  } catch (error) {
    taking.unread(error)
  }
  return taking
}

/**
 * One request until it is answered. One object, and not one for each step: whatever waits for the disk is copied by each
 * collection of the heap, and with thousands of requests that is what they cost.
 */
class Taking extends Deferred<Response> implements Waiter<Report> {
  readonly #intake: Intake
  readonly #api: Api
  readonly #call: Call<unknown>
  readonly #startedAt: number
  #submission: Submission | undefined
  #isRepeated = false

  constructor(intake: Intake, api: Api, call: Call<unknown>) {
    super()
    this.#intake = intake
    this.#api = api
    this.#call = call
    this.#startedAt = intake.clock.monotonicMs()
    this.#count.record('requests')
  }

  get #count(): ApiCounters {
    return this.#intake.counters[this.#api]
  }

  submit(submission: Submission): void {
    const { submit, submitOnce } = this.#intake
    const { idempotent } = submission
    this.#submission = submission
    try {
      if (idempotent === undefined) {
        submit(submission, this)
        return
      }
    } catch (error) {
      this.failed(error)
      return
    }
    submitOnce(idempotent, submission, {
      done: ({ outcome, isReplay }: Submitted) => {
        if (isReplay) this.#count.record('replays')
        this.#isRepeated = isReplay
        this.done(outcome)
      },
      failed: error => this.failed(error),
    })
  }

  unread(error: unknown): void {
    if (!isRefusedCaller(error)) countUnread(this.#count, error)
    this.failed(error)
  }

  done(report: Report): void {
    const submission = this.#submission
    if (submission === undefined) {
      this.failed(new TypeError('A request was kept that was not submitted'))
      return
    }
    let response: Response
    try {
      response = answer(this.#call, submission, report)
    } catch (error) {
      this.#refuse(error, report)
      return
    }
    this.#end()
    const told = report.rejected > 0 ? tellPartlyRefused(this.#intake, { ...this.#refused, report }) : undefined
    if (told === undefined) this.settle(response)
    else void told.then(() => this.settle(response))
  }

  failed(error: unknown): void {
    this.#refuse(error)
  }

  /** The answer waits until what it refuses is on the disk. */
  #refuse(error: unknown, report?: Report): void {
    this.#end()
    this.#count.record('failures')
    const told = tellRefused(this.#intake, { ...this.#refused, report }, error)
    if (told === undefined) this.fail(withIntakeHeaders(error))
    else void told.then(() => this.fail(withIntakeHeaders(error)))
  }

  get #refused(): RefusedCall {
    return { api: this.#api, call: this.#call, submission: this.#submission, isRepeated: this.#isRepeated }
  }

  #end(): void {
    this.#submission?.claim.release()
    this.#count.recordTime(this.#intake.clock.monotonicMs() - this.#startedAt)
  }
}

/**
 * @throws SluiceError `nothing-accepted`, where the client wants it so: nothing was kept then, its key neither; `bad-event`: a
 *   sender that looks at the status alone has to hear that a part was refused
 */
const answer = (
  call: Call<unknown>,
  { api, isStrict = false, parsed: { answers } }: Submission,
  report: Report,
): Response => {
  const isAll = report.accepted === 0
  const isRefused = report.rejected > 0 && (answers ? isAll || answers.refused === undefined : isAll && isStrict)
  if (isRefused) throw answers ? toPartlyRefused(report) : toNothingAccepted(report)
  const answerDoor = report.rejected > 0 ? answers?.refused : answers?.accepted
  return answerDoor?.(report, call) ?? toAccepted(report, api)
}

/** Counts a request of which no event was read as one event. */
export const countUnread = (count: ApiCounters, error: unknown): void => {
  if (error instanceof SluiceError && error.status < 500) count.record('malformed')
  else {
    count.record(toRefusalKind(error))
    count.record('unread')
  }
}

/** What filters and annotations want to know of a call. */
export const toContext = (call: Call<unknown>, intake: Intake): RequestContext => new CallContext(call, intake)

/** Reads headers when somebody asks: most requests meet no filter and hold no annotation. */
class CallContext implements RequestContext {
  readonly receivedAt: number
  readonly #call: Call<unknown>
  readonly #settings: Current<CollectorSettings>

  constructor(call: Call<unknown>, { settings, clock }: Intake) {
    this.receivedAt = clock.now()
    this.#call = call
    this.#settings = settings
  }

  get clientAddress(): string {
    return this.#settings().clientAddress(
      this.#call.peer,
      forwardedFor(name => this.#call.header(name)),
    )
  }

  get userAgent(): string {
    return toHeaderText(this.#call.header('user-agent') ?? '')
  }

  get referrer(): Referrer {
    return parseReferrer(toHeaderText(this.#call.header('referer') ?? ''))
  }

  get traceparent(): string | undefined {
    const trace = traceOf(this.#call)
    return trace && formatTraceparent(trace)
  }
}
