import type { Current } from '../current.ts'
import { isRefusedCaller } from '../http/auth/auth.ts'
import { type Admission, createAdmission } from '../http/body/admission.ts'
import type { Holding } from '../http/body/holding.ts'
import type { CallAnswer } from '../http/call/answer.ts'
import type { Call } from '../http/call/call.ts'
import { toPromise } from '../runtime/deferred.ts'
import { type AllowOrigin, createAllowOrigin } from './allowed-origin.ts'
import { tooBusy, withIntakeHeaders } from './answers.ts'
import type { CollectorCounters } from './counters.ts'
import { createDoorHandlers, type DoorHandlers } from './doors/routes.ts'
import { apiOfRequest, takesEvents } from './formats/formats.ts'
import { queryFormats } from './formats/query.ts'
import { createGetEvent, type GetEventParams } from './get-event.ts'
import { answerIntake, type Clock, type Intake } from './intake.ts'
import { type AuthorizeKey, chooseByType, createPostEvent, type PostEventParams } from './post-event.ts'
import { createQuota, type Quota, type TellSlowed } from './quota/quota.ts'
import type { TellRefusal } from './refused/refusal-log.ts'
import { refuseUnread } from './refused/refuse-unread.ts'
import { tellRefused } from './refused/tell-refused.ts'
import type { CollectorSettings } from './settings.ts'
import type { Report, Submission } from './submit/submission.ts'
import { createSubmit, type SubmitParts } from './submit/submit.ts'
import { createTurn } from './turn.ts'
import { toInspect } from './validation/validator.ts'
import { createLongWork, type LongWork } from './work-turns.ts'

/** The dependencies of a door. */
export type DoorOptions = SubmitParts & {
  readonly settings: Current<CollectorSettings>
  readonly clock: Clock
  readonly tellRefusal: TellRefusal
  readonly tellSlowed: TellSlowed
  /** The debts of senders. @default of this thread alone */
  readonly quotaMemory?: SharedArrayBuffer | undefined
  /** What requests hold. @default of this thread alone */
  readonly holding?: Holding | undefined
  /** Checks the keys that bodies hold. @default no key is needed */
  readonly authorizeKey?: AuthorizeKey | undefined
}

/** Where events come in: requests are parsed, admitted, submitted, answered, and counted. */
export type Door = {
  /** Routes by the operation they belong to. */
  readonly handlers: {
    readonly getEventV1: (call: Call<GetEventParams>) => CallAnswer
    readonly getEventV2: (call: Call<GetEventParams>) => CallAnswer
    readonly postEvent: (call: Call<PostEventParams>) => CallAnswer
  }
  /** The same of senders of other makes. */
  readonly doorHandlers: DoorHandlers
  /** Those for requests of theirs whose sender was known on arrival: no key is asked for. */
  readonly replayHandlers: DoorHandlers
  readonly counters: CollectorCounters
  /** Bytes and events in flight; other transports admit their requests here too. */
  readonly admission: Admission
  /** What one sender may send; other transports look there, too. */
  readonly quota: Quota
  /**
   * Keeps events that another transport (Scribe) has read; admit first, release afterwards. Rejects with what a submission
   * may hear of (`submit.ts`).
   */
  readonly submit: (submission: Submission) => Promise<Report>
  readonly tellRefusal: TellRefusal
  /** Runs what takes long, one piece of work after the other, in turns of the event loop. */
  readonly longWork: LongWork
  /**
   * Refuses a request before its handler sees it, as its handler would, by what its content type says: counted as an
   * event that could not be read, and answered when what is kept of it is on the disk. Where its caller is refused it
   * is counted alone. `HEAD` is not a request for an event, and neither is a request that cannot carry one.
   * @throws what it was given, with the headers of an intake answer
   */
  readonly refuse: (error: unknown, call: Call<unknown>) => CallAnswer
  /** For each answer of a route that pages may call. */
  readonly allowOrigin: AllowOrigin
  /**
   * The answer to a request of which nothing has been looked at, when more has arrived than can be answered in time:
   * counted, and quick to make. Undefined while there is time.
   */
  readonly shed: (operationId: string, call: Pick<Call, 'header' | 'method'>) => Response | undefined
}

export const createDoor = (options: DoorOptions): Door => {
  const { keeper, settings, clock, counters, validate, tellRefusal, tellSlowed, holding } = options
  const nowMs = (): number => clock.monotonicMs()
  const { submit, submitOnce } = createSubmit(options)
  const admission = createAdmission(settings, holding)
  const quota = createQuota({ settings, memory: options.quotaMemory, tellSlowed })
  const longWork = createLongWork(nowMs)
  const inspect = validate && toInspect(validate)
  const check = (): void | Promise<void> => keeper.check()
  const parts = { settings, clock, admission, quota, counters, longWork, tellRefusal, inspect }
  const intake: Intake = { ...parts, submit, submitOnce, check }
  const turn = createTurn(nowMs)
  return {
    handlers: {
      getEventV1: createGetEvent(queryFormats.getEventV1, intake),
      getEventV2: createGetEvent(queryFormats.getEventV2, intake),
      postEvent: createPostEvent(intake, chooseByType),
    },
    doorHandlers: createDoorHandlers(intake, options.authorizeKey),
    replayHandlers: createDoorHandlers(intake, undefined),
    counters,
    admission,
    quota,
    submit: submission => toPromise(waiter => submit(submission, waiter)),
    tellRefusal,
    longWork,
    allowOrigin: createAllowOrigin(settings),
    refuse(error, call) {
      if (!bringsEvents(call.operationId, call)) throw withIntakeHeaders(error)
      const api = apiOfRequest(call.operationId, call)
      if (!isRefusedCaller(error)) return answerIntake(intake, api, call, () => refuseUnread(intake, call, error))
      const count = counters[api]
      count.record('requests')
      count.record('failures')
      void tellRefused(intake, { api, call }, error)
      throw withIntakeHeaders(error)
    },
    shed(operationId, call) {
      if (!turn.isOverdue()) return undefined
      if (!bringsEvents(operationId, call)) return tooBusy
      const count = counters[apiOfRequest(operationId, call)]
      count.record('requests')
      count.record('failures')
      count.record('lost')
      count.record('unread')
      return tooBusy
    },
  }
}

/** Whether a request may bring an event: what SDKs ask for their settings, and `HEAD`, are in no count of events. */
const bringsEvents = (operationId: string, { method }: Pick<Call, 'method'>): boolean =>
  method !== 'HEAD' && takesEvents(operationId)
