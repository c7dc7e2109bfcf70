import { join } from 'node:path'
import { type Collector, createCollector } from '../collector/collector.ts'
import type { Filters } from '../collector/filters.ts'
import type { ThreadFigures } from '../collector/problems/thread-problems.ts'
import { createScribeServer, type ScribeServer, type ScribeServerOptions } from '../collector/scribe/server.ts'
import { type ScribePlace, toCallLimits, toScribePlace } from '../collector/scribe/settings.ts'
import { type FilterSettings, filterNames } from '../collector/settings.ts'
import type { HourlyCompaction } from '../compaction/hourly/hourly-compaction.ts'
import type { PrepareChange } from '../config/live-settings.ts'
import type { Settings } from '../config/table.ts'
import type { Handlers } from '../contract/operations.ts'
import type { Service } from '../contract/service.ts'
import { type Current, createWatched, type Watched } from '../current.ts'
import type { Disk } from '../disk/disk.ts'
import { createDoorServices, toDoorParts } from '../edges/door-service.ts'
import { createEventDesk, type EventDesk } from '../edges/event-desk.ts'
import { FileSystemError, withSetting } from '../filesystem/filesystem.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import type { EventDirectory } from '../gateway/context.ts'
import type { Reads } from '../gateway/reads.ts'
import type { ConnectionBudget } from '../http/edge/connection-budget.ts'
import type { Realtime } from '../realtime/realtime.ts'
import { parseEventWhere } from '../rows/where/event-where.ts'
import { withCopiesOfLog } from '../spool/replica/committed-copies.ts'
import { withLogs } from '../spool/replica/log-directory.ts'
import { createReplica, type Replica } from '../spool/replica/replica.ts'
import type { OfOthers } from '../spool/replica/replica-status.ts'
import type { ReplicatedSettings } from '../spool/replica/replicated-settings.ts'
import type { Spool } from '../spool/spool.ts'
import type { SpoolOptions } from '../spool/spool-options.ts'
import type { SpoolSettings } from '../spool/spool-settings.ts'
import { type BesideSpool, startBesideSpool } from '../spool/takeover/beside-spool.ts'
import type { NotedPlaces } from '../spool/takeover/noted-place.ts'
import { settleCopy } from '../spool/takeover/settle-copy.ts'
import { toSpoolSettings } from '../spool/to-spool-settings.ts'
import type { AppOptions, AppParts } from './app-type.ts'
import { createEventDirectory } from './event-directory.ts'
import { openCollectorSpool, refuseUnsafeOutput, toCheckedOutput } from './open-collector-spool.ts'
import { createRealtimeService, toFieldNames } from './realtime.ts'
import { createRefusedService, type RefusedService } from './refused.ts'
import type { Shared } from './shared.ts'

export type CollectorServiceOptions = Shared &
  Pick<AppOptions, 'onBroken'> &
  Omit<AppParts, 'fileSystem' | 'acceptTicket'> & {
    /** What looks into files, where refused events are. */
    readonly reads: Reads
    /** That take events; 0: this one does. */
    readonly edgeThreads: number
    /** What they are, when they are started. */
    readonly threads: () => ThreadFigures | undefined
    /** Merges the files of its tables. */
    readonly compaction: Pick<HourlyCompaction, 'problem'> | undefined
  }

/** The collector with its spool, as the composition root uses it. */
export type CollectorService = Service & {
  readonly collector: Collector
  /** Routes of senders of other makes. */
  readonly doors: Service
  readonly spool: Spool
  /** Refused events, found and sent in again. */
  readonly refused: RefusedService
  /** Their patterns, as they are now. */
  readonly filters: Watched<FilterSettings>
  /** What is known of a directory with event files. */
  readonly eventsOf: (path: string) => EventDirectory | undefined
  /** Absent where no broker is configured. */
  readonly realtime: Realtime | undefined
  /** Health and readiness, which every listener serves. */
  readonly status: Pick<Handlers, 'getHealth' | 'getReadiness'>
  /** Where threads hand over events that they have taken. */
  readonly desk: EventDesk
  /** The Scribe port; absent where it is switched off. */
  readonly scribe?: { readonly place: ScribePlace; open(budget: ConnectionBudget): Promise<ScribeServer> }
  startDraining(): void
  close(): Promise<void>
}

/** Opens the spool and puts the collector on it. */
export const createCollectorService = async (given: CollectorServiceOptions): Promise<CollectorService> => {
  const ofSpool = given.live.of(toSpoolSettings)
  const options = { ...given, fileSystem: toOutput(given, ofSpool) }
  const { settings, live, logger, fileSystem, auth, registrar, disk, bucketBounds, now = Date.now } = options
  const { urlOf } = fileSystem
  await refuseUnsafeOutput(fileSystem, toCheckedOutput(settings), logger)
  let beside: BesideSpool | undefined
  let wasFenced = false
  const replica = createCopy(options, ofSpool, () => beside && { ...beside.status(), wasFenced })
  const spoolOptions = { ...pick(options), fileSystem, urlOf, settings: ofSpool, log: logger, replica }
  const directory = settings['collector.diskspool.path'] || join(settings['data.dir'], '.diskpool')
  const realtime = createRealtimeService(live.current, logger, registrar)
  const fieldsOf = (name: string) => registrar.fields(name)
  const sealThreads = settings['collector.seal-threads']
  const settle = async (local: Disk): Promise<void> => {
    wasFenced = (await settleWith(options)(local)) !== undefined
  }
  const ofSpoolOnly = { directory, disk, bucketBounds, fieldsOf, sealThreads, prepare: settle }
  const opened = openCollectorSpool({ ...spoolOptions, ...ofSpoolOnly })
  const spool = await opened.catch(async error => {
    await realtime?.close()
    throw error instanceof FileSystemError ? withSetting(error, 'collector.diskspool.path') : error
  })
  if (!disk) {
    const { onBroken: _, ...ofOthers } = { ...spoolOptions, fieldsOf, sealThreads }
    beside = await startBesideSpool({ directory, spool, replica, places: toPlaces(fileSystem), options: ofOthers })
  }
  const clock = { now, monotonicMs: () => performance.now() }
  const collector = createCollector({
    ...toDoorParts(live, registrar, auth),
    spool,
    edgeThreads: options.edgeThreads,
    onFilters: () => filters.set(listPatterns(collector.filters)),
    clock,
    logger,
    realtime: realtime?.health,
    forward: realtime?.offer,
    fieldNames: toFieldNames(registrar),
    parseWhere: parseEventWhere,
    tokenProblem: () => auth.problem(),
    settingsProblem: () => options.reload.problem(),
    schemaProblem: registrar.problem,
    compactionProblem: options.compaction?.problem,
    threads: options.threads,
    setAside: () => beside?.forPerson ?? [],
    fileSystem: () => ({
      configuration: describeFileSystem(live.current, fileSystem),
      problem: fileSystem.problemOf(settings['collector.event-output-directory']),
    }),
  })
  const filters = createWatched(listPatterns(collector.filters))
  live.onChange((next, changed) => prepareFilters(collector.filters, next, changed))
  if (realtime) live.onChange((next, changed) => prepareTypes(realtime, next, changed))
  const { events, doors } = createDoorServices(collector, live, auth)
  return {
    ...events,
    collector,
    doors,
    spool,
    refused: createRefusedService({ ...options, collector, spool }),
    filters,
    desk: createEventDesk({ spool, collector, forward: realtime?.offer }),
    eventsOf: createEventDirectory({ settings: spoolOptions.settings, spool, now }),
    realtime,
    status: { getHealth: collector.handlers.getHealth, getReadiness: collector.handlers.getReadyz },
    ...(settings['collector.scribe.enabled']
      ? {
          scribe: {
            place: toScribePlace(settings),
            open: budget => openScribe(options, { collector, clock, logger, budget }),
          },
        }
      : {}),
    startDraining: () => collector.startDraining(),
    close: async () => {
      await (beside ?? spool).close()
      await realtime?.close()
    },
  }
}

const toOutput = ({ fileSystem, settings }: CollectorServiceOptions, ofSpool: Current<SpoolSettings>): MountTable => {
  const output = withLogs(fileSystem, () => ofSpool().replicated.gatherMs)
  return settings['collector.ack'] === 'replicated' ? withCopiesOfLog(output, () => ofSpool().replicated.min) : output
}

/** Of the log, in the events' file system; absent unless a 202 depends on it. */
const createCopy = (
  { settings, fileSystem, logger, onBroken, now = Date.now }: CollectorServiceOptions,
  ofSpool: Current<SpoolSettings>,
  others: () => OfOthers | undefined,
): Replica | undefined => {
  if (settings['collector.ack'] !== 'replicated') return undefined
  const outputDirectory = settings['collector.event-output-directory']
  // The next process finds that its log is another collector's, and begins a new one.
  const onFenced = (): void => onBroken?.()
  const replicated = (): ReplicatedSettings => ofSpool().replicated
  return createReplica({ fileSystem, outputDirectory, settings: replicated, log: logger, now, others, onFenced })
}

const toPlaces = (fileSystem: MountTable): NotedPlaces => {
  const { urlOf, mountPoints } = fileSystem
  return { fileSystem, urlOf, mountPoints }
}

/** Before the spool is read: one whose log another collector has is set aside. */
const settleWith =
  ({ settings, fileSystem, logger }: CollectorServiceOptions) =>
  (disk: Disk): Promise<string | undefined> => {
    const isReplicated = settings['collector.ack'] === 'replicated'
    const outputDirectory = isReplicated ? settings['collector.event-output-directory'] : undefined
    return settleCopy(disk, { ...toPlaces(fileSystem), outputDirectory }, logger)
  }

const openScribe = (
  { settings, live }: CollectorServiceOptions,
  parts: Pick<ScribeServerOptions, 'collector' | 'clock' | 'logger' | 'budget'>,
): Promise<ScribeServer> =>
  createScribeServer({ ...parts, ...toScribePlace(settings), callLimits: live.of(toCallLimits) })

/** Patterns that were added or removed by a bean stay until the setting of that filter changes. */
const prepareFilters: Prepare<Filters> = (filters, next, changed) => {
  const holds = filterNames.map(name => {
    const key = `collector.filters.${name}` as const
    const patterns = changed.has(key) ? next[key] : filters[name].list()
    return filters[name].prepare(patterns)
  })
  return () => {
    for (const hold of holds) hold()
  }
}

const listPatterns = (filters: Filters): FilterSettings => ({
  host: filters.host.list(),
  ip: filters.ip.list(),
  useragent: filters.useragent.list(),
  path: filters.path.list(),
  'event-type': filters['event-type'].list(),
})

/** The same for the event types that are forwarded. */
const prepareTypes: Prepare<Realtime> = (realtime, next, changed) =>
  changed.has('realtime.events') ? realtime.prepareTypes(next['realtime.events']) : () => {}

type Prepare<Part> = (part: Part, ...change: Parameters<PrepareChange>) => () => void

/** Only what is there: an absent option has its default. */
const pick = ({
  now,
  random,
  heartbeat,
  onBroken,
}: CollectorServiceOptions): Pick<SpoolOptions, 'now' | 'random' | 'heartbeat' | 'onBroken'> => ({
  ...(now ? { now } : {}),
  ...(random ? { random } : {}),
  ...(heartbeat ? { heartbeat } : {}),
  onBroken,
})

const toWay = (way: string): readonly string[] => (way === '' ? [] : [`spoken to by ${way}`])

/** The file system configuration as text, as the health report has always shown it; without secrets. */
const describeFileSystem = (settings: Settings, { url, wayOf }: MountTable): string =>
  [
    `fs.default.name: ${url}`,
    ...toWay(wayOf(settings['collector.event-output-directory'])),
    `event output directory: ${settings['collector.event-output-directory']}`,
    `format: ${settings['collector.output.format']}`,
    `compression: ${settings['collector.output.compression']}`,
  ].join(', ')
