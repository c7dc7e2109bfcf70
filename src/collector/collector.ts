import { isRefusedCaller } from '../http/auth.ts'
import type { Call, Handler } from '../http/call.ts'
import { type Logger, silentLogger } from '../log/log.ts'
import type { Api, Batch } from '../spool/batch.ts'
import type { Spool } from '../spool/spool.ts'
import { type Admission, createAdmission } from './admission.ts'
import type { RequestContext } from './annotations.ts'
import { tooBusy, withIntakeHeaders } from './answers.ts'
import { toBodyKind } from './body-kind.ts'
import { type ClientAddress, createClientAddress } from './client-address.ts'
import { type CollectorCounters, countRefused, createCounters } from './counters.ts'
import { createFilters, type Filters } from './filters.ts'
import { createGetEvent, type GetEventParams } from './get-event.ts'
import {
  createGetHealth,
  createGetReadyz,
  type FileSystemStatus,
  getLivez,
  type HealthItem,
  type HealthParams,
  type HealthParts,
  type HealthReport,
  toHealthReport,
} from './health.ts'
import { type Clock, countUnread, type Intake, tellRefused } from './intake.ts'
import { createLive, type Live, type LiveOptions } from './live/live.ts'
import { createPostEvent, type PostEventParams } from './post-event.ts'
import { createRefusalLog, type TellRefusal } from './refusal-log.ts'
import { type CollectorSettings, defaultCollectorSettings } from './settings.ts'
import { createSubmit, type Submit } from './submit.ts'
import { createTurn } from './turn.ts'
import { toInspect, type Validator } from './validation.ts'
import { createLongWork, type LongWork } from './work-turns.ts'

/** What the collector is made of. */
export type CollectorOptions = {
  readonly spool: Spool
  /** @default the settings table's */
  readonly settings?: CollectorSettings
  /** @default the system's clocks */
  readonly clock?: Clock
  /** For the health report. @default nothing known, nothing wrong */
  readonly fileSystem?: () => FileSystemStatus
  /** What is wrong with the file of tokens; empty while nothing is. */
  readonly tokenProblem?: () => string
  /** The realtime subsystem's part of the health report. @default switched off */
  readonly realtime?: (() => Omit<HealthItem, 'type'>) | undefined
  /** Takes batches that were kept, to forward some of their events; never waits or throws. @default nothing is forwarded */
  readonly forward?: ((batch: Batch, context?: Pick<RequestContext, 'traceparent'>) => void) | undefined
  /** Compares events with their schemas. @default nothing is compared */
  readonly validate?: Validator | undefined
  /** Hears of events that are refused, few in a second. @default nobody does */
  readonly logger?: Pick<Logger, 'warn'>
  /** Names of a Thrift type's fields by their ids, for whoever looks. @default they appear under their ids */
  readonly fieldNames?: LiveOptions['fieldNames']
  /** Reads what somebody looks for in live events. */
  readonly parseWhere?: LiveOptions['parseWhere']
  /** Whether events that do not fit are refused instead of kept and named in the `Warning`. @default false */
  readonly refusesMismatches?: () => boolean
}

/** Routes by the operation they belong to. */
export type CollectorHandlers = {
  readonly getEventV1: Handler<GetEventParams>
  readonly getEventV2: Handler<GetEventParams>
  readonly postEvent: Handler<PostEventParams>
  readonly getHealth: Handler<HealthParams>
  readonly getLivez: () => Response
  readonly getReadyz: () => Response
}

/** Intake of events over HTTP, and the part of it that other transports share. */
export type Collector = {
  readonly handlers: CollectorHandlers
  readonly counters: CollectorCounters
  readonly filters: Filters
  /** Bytes and events in flight; other transports admit their requests here too. */
  readonly admission: Admission
  /** Keeps events that another transport (Scribe) has read; admit first, release afterwards. */
  readonly submit: Submit
  readonly tellRefusal: TellRefusal
  /** Events as they come, and the newest refused ones. */
  readonly live: Live
  /** Runs what takes long, one piece of work after the other, in turns of the event loop. */
  readonly longWork: LongWork
  /**
   * Counts a request that was refused before its handler saw it, under the API of its operation; as an event that could
   * not be read too, but not where its caller was refused. `HEAD` is not a request for an event.
   * @returns the error with the headers of an intake answer
   */
  readonly refuse: (error: unknown, call: Call<unknown>) => unknown
  /**
   * The answer to a request of which nothing has been looked at, when more has arrived than can be answered in time:
   * counted, and quick to make. Undefined while there is time.
   */
  readonly shed: (operationId: string) => Response | undefined
  /** @param origin scheme and authority, such as `http://127.0.0.1:8080` */
  health(origin: string): HealthReport
  /** From now on `/readyz` says 503; requests are taken for as long as the spool takes them. */
  startDraining(): void
}

/**
 * Wires the collector; it holds no resources of its own.
 * @throws SluiceError `bad-parameter` for a filter, RangeError for a trusted proxy that cannot be read
 */
export const createCollector = (options: CollectorOptions): Collector => {
  const { spool, settings = defaultCollectorSettings, clock = systemClock } = options
  const counters = createCounters()
  const filters = createFilters(settings.filters)
  const { forward, validate, refusesMismatches } = options
  const live = createLive({
    now: () => clock.now(),
    nowMs: () => clock.monotonicMs(),
    fieldNames: options.fieldNames,
    parseWhere: options.parseWhere,
  })
  const submit = createSubmit({ spool, counters, filters, forward, live, validate, refusesMismatches })
  const logRefusal = createRefusalLog(options.logger ?? silentLogger, () => clock.monotonicMs())
  const tellRefusal: TellRefusal = (refusal, sent) => {
    logRefusal(refusal)
    const { traceId: _, ...refused } = refusal
    live.reject(refused, sent)
  }
  const turn = createTurn(() => clock.monotonicMs())
  let isDraining = false
  const intake: Intake = {
    settings,
    spool,
    clock,
    admission: createAdmission(settings),
    counters,
    clientAddress: followProxies(settings),
    submit,
    longWork: createLongWork(() => clock.monotonicMs()),
    tellRefusal,
    inspect: validate && toInspect(validate),
  }
  const health: HealthParts = {
    spool,
    counters,
    now: () => clock.now(),
    realtime: options.realtime,
    fileSystem: options.fileSystem ?? (() => ({ configuration: '', problem: '' })),
    tokenProblem: options.tokenProblem,
    isDraining: () => isDraining,
  }
  return {
    handlers: {
      getEventV1: createGetEvent(1, intake),
      getEventV2: createGetEvent(2, intake),
      postEvent: createPostEvent(intake),
      getHealth: createGetHealth(health),
      getLivez,
      getReadyz: createGetReadyz(health),
    },
    counters,
    filters,
    admission: intake.admission,
    submit,
    longWork: intake.longWork,
    tellRefusal,
    live,
    refuse(error, call) {
      if (call.method === 'HEAD') return withIntakeHeaders(error)
      const isCaller = isRefusedCaller(error)
      // The type of the body has passed before its caller was looked at.
      const posted = isCaller ? toBodyKind(call.header('content-type'), false).api : 'POST_Json_API'
      const api = apiOf[call.operationId] ?? posted
      const count = counters[api]
      count.requests++
      count.failures++
      if (!isCaller) countUnread(count, error)
      tellRefused(intake, api, call, error)
      return withIntakeHeaders(error)
    },
    shed(operationId) {
      if (!turn.isOverdue()) return undefined
      const count = counters[apiOf[operationId] ?? 'POST_Json_API']
      count.requests++
      count.failures++
      countRefused(count, 'lost', 1)
      count.unread++
      return tooBusy
    },
    health: origin => toHealthReport(health, origin),
    startDraining() {
      isDraining = true
      // Whoever looks would hold the end up.
      live.close()
    },
  }
}

/** The list becomes another one when the setting changes. */
const followProxies = (settings: CollectorSettings): ClientAddress => {
  let proxies = settings.trustedProxies
  let toAddress = createClientAddress(proxies)
  return (peer, forwardedFor) => {
    if (settings.trustedProxies !== proxies) {
      proxies = settings.trustedProxies
      toAddress = createClientAddress(proxies)
    }
    return toAddress(peer, forwardedFor)
  }
}

const systemClock: Clock = { now: Date.now, monotonicMs: () => performance.now() }

/** A body whose type says nothing counts as JSON, which most are. */
const apiOf: Readonly<Record<string, Api>> = { getEventV1: 'GET_API', getEventV2: 'GET_Base64_API' }
