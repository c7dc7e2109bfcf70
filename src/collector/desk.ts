import type { Current } from '../current.ts'
import type { Handler } from '../http/call/call.ts'
import { type Logger, silentLogger } from '../log/log.ts'
import type { Spool } from '../spool/spool.ts'
import type { CollectorFigures } from './counters.ts'
import { createFilters, type Filters } from './filters.ts'
import {
  createGetHealth,
  createGetReadyz,
  type FileSystemStatus,
  getLivez,
  type HealthParams,
  type HealthParts,
  type HealthReport,
  toHealthReport,
  toReportProblems,
} from './health.ts'
import type { Clock } from './intake.ts'
import { createLive, type Live, type LiveOptions } from './live/live.ts'
import { createSinceMemory, type Problem } from './problems.ts'
import { createSlowedSenders, type SlowedSenders } from './quota/slowed-senders.ts'
import { createRefusalLog, type TellRefusal } from './refused/refusal-log.ts'
import { createRefusedKeeper, type RefusedFigures } from './refused/refused-keeper.ts'
import type { CollectorSettings } from './settings.ts'

/** The dependencies of the desk. */
export type DeskOptions = Partial<
  Pick<
    HealthParts,
    'realtime' | 'tokenProblem' | 'settingsProblem' | 'schemaProblem' | 'compactionProblem' | 'threads' | 'setAside'
  >
> &
  Pick<LiveOptions, 'fieldNames' | 'parseWhere'> & {
    readonly spool: Spool
    readonly settings: Current<CollectorSettings>
    readonly clock: Clock
    /** The outcomes of all requests. */
    readonly figures: CollectorFigures
    /** For the health report. @default nothing known, nothing wrong */
    readonly fileSystem?: () => FileSystemStatus
    /** Called when a filter has changed. @default not called */
    readonly onFilters?: (() => void) | undefined
    /** Logs refused events, few in a second. @default none are logged */
    readonly logger?: Pick<Logger, 'warn'>
  }

/** Where the collector is watched and steered: filters, live events, health. */
export type Desk = {
  readonly handlers: {
    readonly getHealth: Handler<HealthParams>
    readonly getLivez: () => Response
    readonly getReadyz: () => Response
  }
  readonly filters: Filters
  /** Events as they arrive, and the newest refused ones. */
  readonly live: Live
  /** What of refused events is stored, and how many are counted alone. */
  readonly refused: RefusedFigures
  /** Senders over the quota. */
  readonly slowed: SlowedSenders
  /** Logs what is refused, shows it to those who look, and stores it. */
  readonly tellRefusal: TellRefusal
  /** @param origin scheme and authority, such as `http://127.0.0.1:8080` */
  health(origin: string): HealthReport
  /** What is wrong now, since when, what it means, and what to do; worst first. */
  problems(): readonly Problem[]
  /** From now on `/readyz` says 503; requests are accepted for as long as the spool accepts them. */
  startDraining(): void
}

/** @throws SluiceError `bad-parameter` for a filter */
export const createDesk = (options: DeskOptions): Desk => {
  const { spool, settings, clock, figures, fieldNames, parseWhere } = options
  const now = (): number => clock.now()
  const nowMs = (): number => clock.monotonicMs()
  const slowed = createSlowedSenders(now)
  const live = createLive({ now, nowMs, fieldNames, parseWhere, slowed: () => slowed.current() })
  const logRefusal = createRefusalLog(options.logger ?? silentLogger, nowMs)
  const refusedKeeper = createRefusedKeeper({ spool, settings, now })
  const withSince = createSinceMemory(now)
  let isDraining = false
  const parts: HealthParts = {
    spool,
    counters: figures,
    now,
    realtime: options.realtime,
    fileSystem: options.fileSystem ?? (() => ({ configuration: '', problem: '' })),
    tokenProblem: options.tokenProblem,
    settingsProblem: options.settingsProblem,
    schemaProblem: options.schemaProblem,
    compactionProblem: options.compactionProblem,
    threads: options.threads,
    setAside: options.setAside,
    isDraining: () => isDraining,
  }
  return {
    handlers: { getHealth: createGetHealth(parts), getLivez, getReadyz: createGetReadyz(parts) },
    filters: createFilters(settings().filters, options.onFilters),
    live,
    refused: refusedKeeper.figures,
    slowed,
    tellRefusal(refusal, sent) {
      logRefusal(refusal)
      const { traceId: _, request: __, ...refused } = refusal
      live.reject(refused, sent)
      return refusedKeeper.keep(refusal)
    },
    health: origin => toHealthReport(parts, origin),
    problems: () => withSince(toReportProblems(parts, toHealthReport(parts, '').items)),
    startDraining() {
      isDraining = true
      // Open live views would hold up the end.
      live.close()
    },
  }
}
