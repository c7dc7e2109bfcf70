import { createAdmin } from '../../admin/admin.ts'
import { createAudit } from '../../admin/audit.ts'
import { type FileSystemView, fileSystemBeans } from '../../admin/catalog/file-system.ts'
import { gatewayBean } from '../../admin/catalog/gateway.ts'
import { historyBean } from '../../admin/catalog/history.ts'
import { createRealtimeOff, createRealtimeTypeSource, realtimeBeans } from '../../admin/catalog/realtime.ts'
import { serverBeans } from '../../admin/catalog/server.ts'
import { createConsole } from '../../admin/console/console.ts'
import { collectorMetrics } from '../../admin/metrics/collector.ts'
import { gatewayMetrics } from '../../admin/metrics/gateway.ts'
import { healthMetrics } from '../../admin/metrics/health.ts'
import { processMetrics } from '../../admin/metrics/process.ts'
import { createRuntimeProbe } from '../../admin/runtime.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { BeanError } from '../beans/bean-error.ts'
import { createGatewayFigures } from '../beans/gateway-figures.ts'
import { createHistory } from '../beans/history.ts'
import { createMeter, type Meter, tickMs } from '../beans/meter.ts'
import { createRegistry } from '../beans/registry.ts'
import { createTypeActivity } from '../collector/type-activity.ts'
import { toPrintable } from '../config/print.ts'
import { type Settings, settingKeys } from '../config/table.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { toAllowedHosts } from '../http/hosts.ts'
import { hideInText } from '../log/hide-secrets.ts'
import type { Fetch, Listener } from './app-type.ts'
import type { CollectorPart } from './collector.ts'
import { toCollectorBeans, toCollectorSources } from './collector-beans.ts'
import type { GatewayPart } from './gateway.ts'
import { toHistoryColumns } from './history-columns.ts'
import type { Reload, Reloaded } from './reload.ts'
import type { Shared } from './shared.ts'

/** What is watched and steered, and who may. */
export type ManagementOptions = Shared & {
  /** The services that run in this process. */
  readonly collector: CollectorPart | undefined
  readonly gateway: GatewayPart | undefined
  /** What listens; empty before the start. */
  readonly listeners: () => readonly Listener[]
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
  const { settings, logger, auth, collector, fileSystem, fallback, now = Date.now, everyTick = onTimer } = options
  const figures = options.gateway?.figures ?? createGatewayFigures()
  const vendor = settings['admin.vendor']
  const realtime =
    collector?.realtime ?? createRealtimeOff(settings['realtime.events'], settings['realtime.queue-size'])
  const product = { version: packageJson.version, node: process.versions.node, vendor, startedAt: now() }
  const audit = createAudit(entry => logger.info(entry, 'management'))
  const runtime = createRuntimeProbe()
  const { meter, tick } = createMeters()
  const runtimeFigures = () => runtime.figures()
  const health = () => collector?.collector.health('').items ?? []
  const history = createHistory({
    columns: toHistoryColumns({ collector, gateway: options.gateway?.figures, runtime: runtimeFigures }),
    now,
  })
  const activity =
    collector && createTypeActivity({ counters: collector.collector.counters, now, nowMs: () => performance.now() })
  const outputDirectory = settings['collector.event-output-directory']
  const registry = createRegistry()
  const beans = [
    ...(collector && activity ? toCollectorBeans(vendor, collector, { meter, activity, outputDirectory }) : []),
    ...realtimeBeans(vendor, realtime),
    ...fileSystemBeans(vendor, toFileSystemViews(settings, fileSystem), () => performance.now()),
    gatewayBean(vendor, figures),
    historyBean(vendor, history),
    ...serverBeans({
      ...product,
      audit,
      health,
      runtime: runtimeFigures,
      versions: toVersions(),
      pid: process.pid,
      settings: () => Object.fromEntries(settingKeys.map(key => [key, toPrintable(settings, key)])),
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
        ...(collector
          ? collectorMetrics(collector.collector.counters, () => collector.spool.stats(), realtime.types)
          : []),
        ...gatewayMetrics(figures),
        ...healthMetrics(health, { server: settings['server.tls.cert'], admin: settings['admin.tls.cert'] }),
        ...processMetrics(runtimeFigures, product),
      ],
      auth,
      logger,
      source: options.live.follow(toSourceRules),
      routes: createConsole({ auth }),
      fallback,
    }),
    close: () => {
      stopTicks()
      runtime.close()
    },
  }
}

const toSourceRules = (settings: Settings) => ({
  allowedHosts: toAllowedHosts(settings['admin.allowed-hosts'], settings['admin.host']),
  allowedOrigins: settings['admin.allowed-origins'].map(origin => origin.toLowerCase()),
})

const onTimer = (tick: () => void): (() => void) => {
  const timer = setInterval(tick, tickMs)
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
const toFileSystemViews = (settings: Settings, fileSystem: FileSystem): readonly FileSystemView[] => [
  { path: '/', url: fileSystem.url, probe: () => fileSystem.probe() },
  ...settings.mounts.map(({ path, url }) => ({
    path,
    url: hideInText(url),
    probe: async () => void (await fileSystem.getFileStatus(path)),
  })),
]

const toVersions = (): Readonly<Record<string, string>> => {
  const { node, v8, uv, openssl, zlib, zstd } = process.versions
  const known = Object.entries({ node, v8, uv, openssl, zlib, zstd })
  return Object.fromEntries(known.filter((one): one is [string, string] => one[1] !== undefined))
}
