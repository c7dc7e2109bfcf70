import type { Current } from '../current.ts'
import { SluiceError } from '../errors.ts'
import { isRefusedCaller } from '../http/auth/auth.ts'
import type { Admission } from '../http/body/admission.ts'
import type { Call, Identity } from '../http/call/call.ts'
import { Deferred, type Waiter } from '../runtime/deferred.ts'
import type { Api } from '../spool/apis.ts'
import type { BodyFormat } from '../spool/batch.ts'
import { toAccepted, toNothingAccepted, toPartlyRefused, withIntakeHeaders } from './answers.ts'
import type { ApiCounters, CollectorCounters } from './counters.ts'
import type { InspectEvent } from './parsers/inspection.ts'
import { admitToQuota, isMistake, sentBytesOf } from './quota/call-quota.ts'
import type { Quota, QuotaShare } from './quota/quota.ts'
import type { TellRefusal } from './refused/refusal-log.ts'
import { replayOf } from './refused/replay.ts'
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
  readonly quota: Quota
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
    taking.admit()
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
  /** What the request takes of its sender's quota; undefined without one. */
  #share: QuotaShare | undefined

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

  /** Before anything of it is read. @throws SluiceError `rate-limited` */
  admit(): void {
    this.#share = this.#admit(this.#call.caller)
  }

  /** A replay is the operator's, and in no sender's quota. */
  #admit(caller: Identity | undefined): QuotaShare | undefined {
    return replayOf(this.#call) ? undefined : admitToQuota(this.#intake, this.#call, caller)
  }

  /** @throws SluiceError `rate-limited`, where only the body says whose events these are, or how much it is */
  #charge({ caller, parsed: { events, rejections } }: Submission): void {
    const count = events.length + rejections.count
    try {
      if (caller !== undefined && caller !== this.#call.caller) this.#become(caller, count)
      if (this.#share) this.#share = this.#intake.quota.settle(this.#share, count, sentBytesOf(this.#call))
    } catch (error) {
      this.#count.record(toRefusalKind(error), count)
      this.#share = undefined
      throw error
    }
  }

  /** The request is in the quota of this sender, and no more in that of its address. */
  #become(caller: Identity, events: number): void {
    const before = this.#share
    let share: QuotaShare | undefined
    try {
      share = this.#admit(caller)
    } catch (error) {
      // The address made the server read all of it.
      throw before ? this.#intake.quota.payRefused(before, events, sentBytesOf(this.#call), error) : error
    }
    this.#pay(0)
    this.#share = share
  }

  /** Once. @param events none of what costs nothing, its bytes neither */
  #pay(events: number): void {
    if (this.#share) this.#intake.quota.pay(this.#share, events, events && sentBytesOf(this.#call))
    this.#share = undefined
  }

  submit(submission: Submission): void {
    const { submit, submitOnce } = this.#intake
    const { idempotent } = submission
    this.#submission = submission
    try {
      this.#charge(submission)
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
        this.#answer(outcome, isReplay)
      },
      failed: error => this.failed(error),
    })
  }

  unread(error: unknown): void {
    if (!isRefusedCaller(error)) countUnread(this.#count, error)
    // A request that cannot be read was parsed as well; a lack of space is not its sender's fault.
    this.#pay(isMistake(error) ? 1 : 0)
    this.failed(error)
  }

  done(report: Report): void {
    this.#answer(report, false)
  }

  #answer(report: Report, isRepeated: boolean): void {
    const submission = this.#submission
    if (submission === undefined) {
      this.failed(new TypeError('A request was kept that was not submitted'))
      return
    }
    replayOf(this.#call)?.tell(report, isRepeated)
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
    // A request refused for lack of space costs nothing.
    if (error instanceof SluiceError && error.status >= 500) this.#pay(0)
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
    return { api: this.#api, call: this.#call, submission: this.#submission }
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
  if (isMistake(error)) count.record('malformed')
  else {
    count.record(toRefusalKind(error))
    count.record('unread')
  }
}
