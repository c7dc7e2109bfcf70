import { type Audit, createAudit } from '../../admin/audit.ts'
import { type FileSystemView, fileSystemBeans } from '../../admin/catalog/file-system.ts'
import { gatewayBean } from '../../admin/catalog/gateway.ts'
import { createRealtimeTypeSource, type RealtimeView, realtimeBeans } from '../../admin/catalog/realtime.ts'
import { createRealtimeOff } from '../../admin/catalog/realtime-off.ts'
import { type HealthFigure, serverBeans } from '../../admin/catalog/server.ts'
import { collectorMetrics } from '../../admin/metrics/collector.ts'
import { gatewayMetrics } from '../../admin/metrics/gateway.ts'
import type { MetricFamily } from '../../admin/metrics/metric.ts'
import { processMetrics } from '../../admin/metrics/process.ts'
import { createRuntimeProbe } from '../../admin/runtime.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { createGatewayFigures, type GatewayFigures } from '../beans/gateway-figures.ts'
import { createMeter, type Meter, tickMs } from '../beans/meter.ts'
import { createRegistry, type Registry } from '../beans/registry.ts'
import { toPrintable } from '../config/print.ts'
import { type Settings, settingKeys } from '../config/table.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { hideInText } from '../log/hide-secrets.ts'
import type { Logger } from '../log/log.ts'
import { type CollectorParts, toCollectorBeans, toEventTypeSource } from './collector-beans.ts'

/** What is watched and steered. */
export type AdminPartOptions = {
  readonly settings: Settings
  readonly logger: Logger
  /** The collector, where it runs in this process. */
  readonly collector?: (CollectorParts & { readonly health: () => readonly HealthFigure[] }) | undefined
  /** @default nothing is forwarded */
  readonly realtime?: RealtimeView | undefined
  /** @default the gateway counts nothing */
  readonly gateway?: GatewayFigures | undefined
  /** The one name space, mounts included. */
  readonly fileSystem: FileSystem
  /** @default Date.now */
  readonly now?: (() => number) | undefined
}

/** Everything that the management listener shows, whatever protocol asks. */
export type AdminPart = {
  readonly registry: Registry
  readonly audit: Audit
  readonly metrics: readonly MetricFamily[]
  readonly product: {
    readonly version: string
    readonly node: string
    readonly vendor: string
    readonly startedAt: number
  }
  /** ms since the epoch. */
  readonly now: () => number
  close(): void
}

/** Makes a bean of every part that runs, and one timer that keeps their rates. */
export const createAdminPart = (options: AdminPartOptions): AdminPart => {
  const { settings, logger, collector, fileSystem, now = Date.now, gateway = createGatewayFigures() } = options
  const vendor = settings['admin.vendor']
  const realtime = options.realtime ?? createRealtimeOff(settings['realtime.events'], settings['realtime.queue-size'])
  const product = { version: packageJson.version, node: process.versions.node, vendor, startedAt: now() }
  const nowMs = (): number => performance.now()
  const registry = createRegistry()
  const audit = createAudit(entry => logger.info(entry, 'management'))
  const runtime = createRuntimeProbe()
  const meters: Meter[] = []
  const meter = (count: () => number, eventType: string): Meter => {
    const made = createMeter({ count, eventType, nowMs })
    meters.push(made)
    return made
  }

  const beans = [
    ...(collector ? toCollectorBeans(vendor, collector, meter) : []),
    ...realtimeBeans(vendor, realtime),
    ...fileSystemBeans(vendor, toFileSystemViews(settings, fileSystem), nowMs),
    gatewayBean(vendor, gateway),
    ...serverBeans({
      ...product,
      audit,
      health: collector?.health ?? (() => []),
      runtime: () => runtime.figures(),
      versions: toVersions(),
      pid: process.pid,
      settings: () => Object.fromEntries(settingKeys.map(key => [key, toPrintable(settings, key)])),
    }),
  ]
  for (const bean of beans) registry.register(bean)
  registry.registerSource(createRealtimeTypeSource(vendor, realtime))
  if (collector) registry.registerSource(toEventTypeSource(vendor, collector.counters))

  const timer = setInterval(() => {
    for (const one of meters) one.tick()
    runtime.tick()
  }, tickMs)
  timer.unref()
  return {
    registry,
    audit,
    product,
    now,
    metrics: [
      ...(collector ? collectorMetrics(collector.counters, () => collector.spool.stats(), realtime.types) : []),
      ...gatewayMetrics(gateway),
      ...processMetrics(() => runtime.figures(), product),
    ],
    close: () => {
      clearInterval(timer)
      runtime.close()
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
