import { createAdmin } from '../../admin/admin.ts'
import { createAudit } from '../../admin/audit.ts'
import { type FileSystemView, fileSystemBeans } from '../../admin/catalog/file-system.ts'
import { gatewayBean } from '../../admin/catalog/gateway.ts'
import { createRealtimeOff, createRealtimeTypeSource, realtimeBeans } from '../../admin/catalog/realtime.ts'
import { serverBeans } from '../../admin/catalog/server.ts'
import { createConsole } from '../../admin/console/console.ts'
import { collectorMetrics } from '../../admin/metrics/collector.ts'
import { gatewayMetrics } from '../../admin/metrics/gateway.ts'
import { processMetrics } from '../../admin/metrics/process.ts'
import { createRuntimeProbe } from '../../admin/runtime.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { createGatewayFigures } from '../beans/gateway-figures.ts'
import { createMeter, type Meter, tickMs } from '../beans/meter.ts'
import { createRegistry } from '../beans/registry.ts'
import { toPrintable } from '../config/print.ts'
import { type Settings, settingKeys } from '../config/table.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { toAllowedHosts } from '../http/hosts.ts'
import { hideInText } from '../log/hide-secrets.ts'
import type { Fetch } from './app-type.ts'
import type { CollectorPart } from './collector.ts'
import { toCollectorBeans, toCollectorSources } from './collector-beans.ts'
import type { GatewayPart } from './gateway.ts'
import type { Shared } from './shared.ts'

/** What is watched and steered, and who may. */
export type ManagementOptions = Shared & {
  /** The services that run in this process. */
  readonly collector: CollectorPart | undefined
  readonly gateway: GatewayPart | undefined
  /** Answers what is no route of the management. */
  readonly fallback: Fetch
  /** @default Date.now */
  readonly now?: (() => number) | undefined
}

/** The management listener's answers, and the clock of its rates. */
export type Management = { readonly fetch: Fetch; close(): void }

/** Makes a bean of every part that runs, and one timer that keeps their rates. */
export const createManagement = (options: ManagementOptions): Management => {
  const { settings, logger, auth, collector, fileSystem, fallback, now = Date.now } = options
  const figures = options.gateway?.figures ?? createGatewayFigures()
  const vendor = settings['admin.vendor']
  const realtime =
    collector?.realtime ?? createRealtimeOff(settings['realtime.events'], settings['realtime.queue-size'])
  const product = { version: packageJson.version, node: process.versions.node, vendor, startedAt: now() }
  const audit = createAudit(entry => logger.info(entry, 'management'))
  const runtime = createRuntimeProbe()
  const { meter, tick } = createMeters()
  const registry = createRegistry()
  const beans = [
    ...(collector ? toCollectorBeans(vendor, collector, meter) : []),
    ...realtimeBeans(vendor, realtime),
    ...fileSystemBeans(vendor, toFileSystemViews(settings, fileSystem), () => performance.now()),
    gatewayBean(vendor, figures),
    ...serverBeans({
      ...product,
      audit,
      health: () => collector?.collector.health('').items ?? [],
      runtime: () => runtime.figures(),
      versions: toVersions(),
      pid: process.pid,
      settings: () => Object.fromEntries(settingKeys.map(key => [key, toPrintable(settings, key)])),
    }),
  ]
  for (const bean of beans) registry.register(bean)
  registry.registerSource(createRealtimeTypeSource(vendor, realtime))
  for (const source of collector ? toCollectorSources(vendor, collector) : []) registry.registerSource(source)

  const timer = setInterval(() => {
    tick()
    runtime.tick()
  }, tickMs)
  timer.unref()
  return {
    fetch: createAdmin({
      registry,
      audit,
      product,
      now,
      metrics: [
        ...(collector
          ? collectorMetrics(collector.collector.counters, () => collector.spool.stats(), realtime.types)
          : []),
        ...gatewayMetrics(figures),
        ...processMetrics(() => runtime.figures(), product),
      ],
      auth,
      logger,
      allowedHosts: toAllowedHosts(settings['admin.allowed-hosts'], settings['admin.host']),
      allowedOrigins: settings['admin.allowed-origins'].map(origin => origin.toLowerCase()),
      routes: createConsole({ auth }),
      fallback,
    }),
    close: () => {
      clearInterval(timer)
      runtime.close()
    },
  }
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
