// node-only: listens
import { type ClientAddress, createClientAddress } from '../collector/client-address.ts'
import { type ScribeServer, toScribeUrl } from '../collector/scribe/server.ts'
import type { ScribePlace } from '../collector/scribe/settings.ts'
import type { LiveSettings } from '../config/live-settings.ts'
import type { FixedSettings } from '../config/table.ts'
import { afterThreads } from '../edges/after-threads.ts'
import { createEdgeThreads, type EdgeThreads, type EdgeThreadsOptions } from '../edges/edge-threads.ts'
import { type AccessLog, openAccessLog } from '../http/access/access-log.ts'
import { toCombinedLine, toJsonLine } from '../http/access/lines.ts'
import type { LaneRoutes } from '../http/call/base-call.ts'
import { createConnectionBudget, readMaxOpenFiles } from '../http/edge/connection-budget.ts'
import { createEdge, type Edge, type EdgeOptions } from '../http/edge/node.ts'
import { createSharedCounts } from '../http/edge/shared-counts.ts'
import { type Certificate, openCertificate } from '../http/edge/tls.ts'
import { defaultEdgeLimits } from '../http/limits.ts'
import type { Logger } from '../log/log.ts'
import type { App, AppOptions, AppParts, Listener } from './app-type.ts'
import type { CollectorService } from './collector.ts'
import { type EdgeStateSources, watchEdgeState } from './edge-state.ts'
import type { Shared } from './shared.ts'

export type ListenersOptions = Pick<Shared, 'settings' | 'live' | 'logger' | 'auth' | 'registrar'> &
  Pick<App, 'fetch' | 'gatewayFetch' | 'adminFetch'> & {
    readonly lane: LaneRoutes | undefined
    /** That take the connections of collector and gateway; 0: this one does. */
    readonly edgeThreads: number
    readonly startEdgeThread: AppParts['startEdgeThread']
    readonly watchCode: AppParts['watchCode']
    readonly onBroken: AppOptions['onBroken']
    readonly collector: CollectorService | undefined
  }

/** Sockets that listen. */
export type OpenListeners = {
  readonly opened: readonly Listener[]
  /** Those that take connections of collector and gateway, where there are some. */
  readonly threads: Pick<EdgeThreads, 'figures'> | undefined
  /** Continues in new files of the same names, after the old ones were moved away. */
  reopenLogs(): void
  close(): Promise<void>
}

/**
 * Opens one socket after the other, that of the management last.
 * @throws ListenError, Error for a certificate that cannot be used; nothing stays open then
 */
export const openListeners = async (options: ListenersOptions): Promise<OpenListeners> => {
  const { settings, live, logger, fetch, lane, gatewayFetch, adminFetch, collector, edgeThreads } = options
  const edges: Edge[] = []
  const certificates: Certificate[] = []
  const shared = { maxOpenFiles: readMaxOpenFiles(), counts: createSharedCounts(edgeThreads) }
  const budget = createConnectionBudget(shared.maxOpenFiles, logger, shared.counts)
  const accessLog = openLog(settings, live, logger)
  const limits = { ...defaultEdgeLimits, drainDelayMs: settings['server.drain-delay-seconds'] * 1_000 }
  const usual = { hstsSeconds: settings['tls.hsts-seconds'], logger, limits, budget, onAccess: accessLog?.record }
  const close = async (): Promise<void> => {
    await Promise.all(edges.map(edge => edge.close()))
    for (const certificate of certificates) certificate.close()
    await accessLog?.close()
  }
  const onDrain = (): void => collector?.startDraining()
  const listen = async (edge: ListenerOptions): Promise<void> =>
    void edges.push(await createEdge({ ...usual, onDrain, ...edge }))
  const openTls = async (cert: string | undefined, key: string | undefined): Promise<Certificate | undefined> => {
    if (cert === undefined || key === undefined) return undefined
    const certificate = await openCertificate({ cert, key }, logger)
    certificates.push(certificate)
    return certificate
  }
  try {
    const tls = await openTls(settings['server.tls.cert'], settings['server.tls.key'])
    const threads =
      edgeThreads > 0
        ? steer(
            { ...usual, ...shared, name: 'server', count: edgeThreads, ...toThreadParts(options) },
            { ...options, certificate: tls },
          )
        : undefined
    const server = { name: 'server', host: settings['server.host'], port: settings['server.port'], fetch, tls }
    await listen({ ...server, ...(threads ? behind(threads, onDrain) : { lane }) })
    if (gatewayFetch) {
      const { 'gateway.host': host = '127.0.0.1', 'gateway.port': port = 0 } = settings
      await listen({ name: 'gateway', host, port, fetch: gatewayFetch, tls })
    }
    if (collector?.scribe) {
      const scribe = threads?.scribe ? toScribe(threads.scribe) : await collector.scribe.open(budget)
      edges.push({ name: 'scribe', ...scribe })
    }
    await listen({
      name: 'admin',
      host: settings['admin.host'],
      port: settings['admin.port'],
      fetch: threads ? afterThreads(adminFetch, threads) : adminFetch,
      tls: await openTls(settings['admin.tls.cert'], settings['admin.tls.key']),
    })
    return { opened: edges.map(toListener), threads, reopenLogs: () => accessLog?.reopen(), close }
  } catch (error) {
    await close()
    throw error
  }
}

const toThreadParts = ({ startEdgeThread: startThread, watchCode, onBroken: onLost }: ListenersOptions) => ({
  startThread,
  watchCode,
  onLost,
})

/** Threads that receive all changes. */
const steer = (
  options: Omit<EdgeThreadsOptions, 'state' | 'desk' | 'scribe'>,
  { collector, ...sources }: Omit<EdgeStateSources, 'filters'> & Pick<ListenersOptions, 'collector'>,
): EdgeThreads => {
  const state = watchEdgeState({ ...sources, filters: collector?.filters })
  const { desk, scribe } = collector ?? {}
  const threads = createEdgeThreads({ ...options, desk, scribe: scribe?.place, state: state.current })
  state.onChange(changes => threads.set(changes))
  return threads
}

type ListenerOptions = Omit<EdgeOptions, 'logger'>

/** Threads take its connections, and drain with it. */
const behind = (threads: EdgeThreads, onDrain: () => void): Pick<EdgeOptions, 'front' | 'onDrain'> => ({
  front: threads.front,
  onDrain: () => {
    onDrain()
    threads.startDraining()
  },
})

/** The Scribe port of threads. It is closed with the other one: each thread closes both. */
const toScribe = ({ host, port }: ScribePlace): ScribeServer => ({
  host,
  port,
  url: toScribeUrl(host, port),
  close: async () => {},
})

const openLog = (settings: FixedSettings, live: LiveSettings, logger: Logger): AccessLog | undefined => {
  const { 'log.access': format, 'log.access-file': path } = settings
  if (format === 'off') return undefined
  const address = live.of(now =>
    createClientAddress([...now['collector.trusted-proxies'], ...now['auth.trusted-proxies']]),
  )
  const addressOf: ClientAddress = (peer, forwardedFor) => address()(peer, forwardedFor)
  const toLine = format === 'json' ? toJsonLine : toCombinedLine
  return openAccessLog({ toLine, path, addressOf, logger })
}

const toListener = ({ name, host, port, url }: Edge): Listener => ({ name: name as Listener['name'], host, port, url })
