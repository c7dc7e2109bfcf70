import { createAdmin } from '../../admin/admin.ts'
import { createAudit } from '../../admin/audit.ts'
import { type FileSystemView, fileSystemBeans } from '../../admin/catalog/file-system.ts'
import { gatewayBean } from '../../admin/catalog/gateway.ts'
import { historyBean } from '../../admin/catalog/history.ts'
import { createRealtimeOff, createRealtimeTypeSource, realtimeBeans } from '../../admin/catalog/realtime.ts'
import { serverBeans } from '../../admin/catalog/server.ts'
import { threadsBean } from '../../admin/catalog/threads.ts'
import { createConsole } from '../../admin/console/console.ts'
import { collectorMetrics } from '../../admin/metrics/collector.ts'
import { compactionMetrics } from '../../admin/metrics/compaction.ts'
import { gatewayMetrics } from '../../admin/metrics/gateway.ts'
import { healthMetrics } from '../../admin/metrics/health.ts'
import type { MetricFamily } from '../../admin/metrics/metric.ts'
import { processMetrics } from '../../admin/metrics/process.ts'
import { replicaMetrics } from '../../admin/metrics/replica.ts'
import { threadMetrics } from '../../admin/metrics/threads.ts'
import { createRuntimeProbe } from '../../admin/runtime.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { BeanError } from '../beans/bean-error.ts'
import { createRegistry } from '../beans/registry.ts'
import type { ThreadFigures } from '../collector/problems/thread-problems.ts'
import { createTypeActivity } from '../collector/type-activity.ts'
import type { HourlyCompaction } from '../compaction/hourly/hourly-compaction.ts'
import { clustersOf } from '../config/clusters.ts'
import { toPrintables } from '../config/print.ts'
import type { FixedSettings, Settings } from '../config/table.ts'
import { createHistory } from '../figures/history.ts'
import { createMeter, type Meter, tickMs } from '../figures/meter.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import { createGatewayFigures } from '../gateway/figures.ts'
import { toAllowedHosts } from '../http/origin/hosts.ts'
import { hideInText } from '../log/hide-secrets.ts'
import { startInterval } from '../runtime/timers.ts'
import type { Fetch, Listener } from './app-type.ts'
import type { CollectorService } from './collector.ts'
import { toCollectorBeans, toCollectorSources } from './collector-beans.ts'
import type { GatewayService } from './gateway.ts'
import { toHistoryColumns } from './history-columns.ts'
import type { Reload, Reloaded } from './reload.ts'
import type { Shared } from './shared.ts'

/** What is watched and steered, and who may. */
export type ManagementOptions = Shared & {
  /** The services that run in this process. */
  readonly collector: CollectorService | undefined
  readonly gateway: GatewayService | undefined
  /** Merges the files of the collector's tables. */
  readonly compaction: HourlyCompaction | undefined
  /** What listens; empty before the start. */
  readonly listeners: () => readonly Listener[]
  /** Threads that take connections, where there are some and they were started. */
  readonly threads: () => ThreadFigures | undefined
  /** Answers what is not a route of the management. */
  readonly fallback: Fetch
  /** @default Date.now */
  readonly now?: (() => number) | undefined
  /** @default a timer of `tickMs` */
  readonly everyTick?: ((tick: () => void) => () => void) | undefined
}

/** The management listener's answers, and the clock of its rates. */
export type Management = { readonly fetch: Fetch; close(): void }

/** Makes a bean of every part that runs, and one timer that keeps their rates. */
export const createManagement = (options: ManagementOptions): Management => {
  const { settings, live, logger, auth, collector, fileSystem, fallback, now = Date.now, everyTick = onTimer } = options
  const figures = options.gateway?.figures ?? createGatewayFigures()
  const vendor = settings['admin.vendor']
  const realtime =
    collector?.realtime ?? createRealtimeOff(live.current['realtime.events'], settings['realtime.queue-size'])
  const product = { version: packageJson.version, node: process.versions.node, vendor, startedAt: now() }
  const audit = createAudit(entry => logger.info(entry, 'management'))
  const runtime = createRuntimeProbe()
  const { meter, tick } = createMeters()
  const runtimeFigures = () => runtime.figures()
  // Without a collector nothing but the settings can be wrong.
  const health = () => collector?.collector.health('').items ?? toSettingsItems(options.reload.problem())
  const problems = () => collector?.collector.problems() ?? []
  const history = createHistory({
    columns: toHistoryColumns({ collector, gateway: options.gateway?.figures, runtime: runtimeFigures }),
    now,
  })
  const activity =
    collector && createTypeActivity({ counters: collector.collector.counters, now, nowMs: () => performance.now() })
  const { compaction } = options
  const registry = createRegistry()
  const beans = [
    ...(collector && activity ? toCollectorBeans(vendor, collector, { meter, activity, settings, compaction }) : []),
    ...realtimeBeans(vendor, realtime),
    ...fileSystemBeans(vendor, toFileSystemViews(settings, fileSystem), () => performance.now()),
    gatewayBean(vendor, figures),
    historyBean(vendor, history),
    threadsBean(vendor, options.threads),
    ...serverBeans({
      ...product,
      audit,
      health,
      problems,
      runtime: runtimeFigures,
      versions: toVersions(),
      pid: process.pid,
      settings: () => toPrintables(live.current),
      pending: () => options.reload.pending(),
      reload: () => reloadOrFail(options.reload),
      listeners: () => Object.fromEntries(options.listeners().map(({ name, url }) => [name, url])),
    }),
  ]
  for (const bean of beans) registry.register(bean)
  registry.registerSource(createRealtimeTypeSource(vendor, realtime))
  for (const source of collector ? toCollectorSources(vendor, collector) : []) registry.registerSource(source)

  const stopTicks = everyTick(() => {
    tick()
    runtime.tick()
    history.tick()
    activity?.tick()
    // So that they know when they began.
    problems()
  })
  return {
    fetch: createAdmin({
      registry,
      audit,
      product,
      live: collector?.collector.live,
      openSetAside: collector?.spool.quarantine.open,
      now,
      metrics: [
        ...toCollectorMetrics(collector, realtime.types, compaction),
        ...gatewayMetrics(figures),
        ...healthMetrics(health, { server: settings['server.tls.cert'], admin: settings['admin.tls.cert'] }),
        ...threadMetrics(options.threads),
        ...processMetrics(runtimeFigures, product),
      ],
      auth,
      logger,
      source: live.of(toSourceRules),
      routes: createConsole({ auth }),
      fallback,
    }),
    close: () => {
      stopTicks()
      runtime.close()
    },
  }
}

const toSettingsItems = (problem: string) =>
  problem === '' ? [] : [{ type: 'SettingsFileHealthCheck', code: 'WARN', message: problem }]

const toCollectorMetrics = (
  collector: CollectorService | undefined,
  types: Parameters<typeof collectorMetrics>[2],
  compaction: HourlyCompaction | undefined,
): readonly MetricFamily[] =>
  collector === undefined
    ? []
    : [
        ...collectorMetrics(
          collector.collector.counters,
          () => collector.spool.stats(),
          types,
          () => collector.spool.schemas.misfits(),
        ),
        ...replicaMetrics(() => collector.spool.stats().replica),
        ...(compaction ? compactionMetrics(compaction.figures) : []),
      ]

const toSourceRules = (settings: Settings) => ({
  allowedHosts: toAllowedHosts(settings['admin.allowed-hosts'], settings['admin.host']),
  allowedOrigins: settings['admin.allowed-origins'].map(origin => origin.toLowerCase()),
})

const onTimer = (tick: () => void): (() => void) => {
  const timer = startInterval(tick, tickMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Makes meters, and moves all of them on. */
const createMeters = () => {
  const meters: Meter[] = []
  return {
    meter: (count: () => number, eventType: string): Meter => {
      const made = createMeter({ count, eventType, nowMs: () => performance.now() })
      meters.push(made)
      return made
    },
    tick: () => {
      for (const one of meters) one.tick()
    },
  }
}

/** What is wrong with the settings is nothing that the server did wrong. */
const reloadOrFail = (settings: Reload): Reloaded => {
  try {
    return settings.reload()
  } catch (error) {
    throw new BeanError('failed', error instanceof Error ? error.message : String(error))
  }
}

/** The default file system, and the ones that are mounted, each asked by its own place. */
const toFileSystemViews = (settings: FixedSettings, fileSystem: MountTable): readonly FileSystemView[] => [
  { path: '/', url: fileSystem.url, way: () => fileSystem.wayOf('/'), probe: () => fileSystem.probe() },
  ...clustersOf(settings)
    .slice(1)
    .map(({ path, url }) => ({
      path,
      url: hideInText(url),
      way: () => fileSystem.wayOf(path),
      probe: async () => void (await fileSystem.getFileStatus(path)),
    })),
]

const toVersions = (): Readonly<Record<string, string>> => {
  const { node, v8, uv, openssl, zlib, zstd } = process.versions
  const known = Object.entries({ node, v8, uv, openssl, zlib, zstd })
  return Object.fromEntries(known.filter((one): one is [string, string] => one[1] !== undefined))
}
