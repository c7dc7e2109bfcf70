// node-only: listens
import { type ClientAddress, createClientAddress } from '../collector/client-address.ts'
import type { LiveSettings } from '../config/live-settings.ts'
import type { FixedSettings } from '../config/table.ts'
import { type AccessLog, openAccessLog } from '../http/access/access-log.ts'
import { toCombinedLine, toJsonLine } from '../http/access/lines.ts'
import type { LaneRoutes } from '../http/call/base-call.ts'
import { createConnectionBudget, readMaxOpenFiles } from '../http/edge/connection-budget.ts'
import { createEdge, type Edge, type EdgeOptions } from '../http/edge/node.ts'
import type { Logger } from '../log/log.ts'
import type { App, Listener } from './app-type.ts'
import type { CollectorService } from './collector.ts'
import type { Shared } from './shared.ts'

export type ListenersOptions = Pick<Shared, 'settings' | 'live' | 'logger'> &
  Pick<App, 'fetch' | 'gatewayFetch' | 'adminFetch'> & {
    readonly lane: LaneRoutes | undefined
    readonly collector: CollectorService | undefined
  }

/** Sockets that listen. */
export type OpenListeners = {
  readonly opened: readonly Listener[]
  /** Goes on in new files of the same names, after somebody has moved the old ones away. */
  reopenLogs(): void
  close(): Promise<void>
}

/**
 * Opens one socket after the other, that of the management last.
 * @throws ListenError, Error for a certificate that cannot be used; nothing stays open then
 */
export const openListeners = async (options: ListenersOptions): Promise<OpenListeners> => {
  const { settings, live, logger, fetch, lane, gatewayFetch, adminFetch, collector } = options
  const edges: Edge[] = []
  const budget = createConnectionBudget(readMaxOpenFiles(), logger)
  const accessLog = openLog(settings, live, logger)
  const onAccess = accessLog && { onAccess: accessLog.record }
  const close = async (): Promise<void> => {
    await Promise.all(edges.map(edge => edge.close()))
    await accessLog?.close()
  }
  const listen = async (edge: Omit<EdgeOptions, 'logger'>): Promise<void> => {
    const onDrain = (): void => collector?.startDraining()
    const limits = { drainDelayMs: settings['server.drain-delay-seconds'] * 1_000 }
    edges.push(
      await createEdge({
        ...edge,
        hstsSeconds: settings['tls.hsts-seconds'],
        logger,
        limits,
        budget,
        onDrain,
        ...onAccess,
      }),
    )
  }
  const serverTls = toTls(settings['server.tls.cert'], settings['server.tls.key'])
  const adminTls = toTls(settings['admin.tls.cert'], settings['admin.tls.key'])
  try {
    const server = { name: 'server', host: settings['server.host'], port: settings['server.port'] }
    await listen({ ...server, fetch, ...(lane ? { lane } : {}), ...serverTls })
    if (gatewayFetch) {
      const { 'gateway.host': host = '127.0.0.1', 'gateway.port': port = 0 } = settings
      await listen({ name: 'gateway', host, port, fetch: gatewayFetch, ...serverTls })
    }
    if (collector?.openScribe) edges.push({ name: 'scribe', ...(await collector.openScribe(budget)) })
    const admin = { name: 'admin', host: settings['admin.host'], port: settings['admin.port'] }
    await listen({ ...admin, fetch: adminFetch, ...adminTls })
    return { opened: edges.map(toListener), reopenLogs: () => accessLog?.reopen(), close }
  } catch (error) {
    await close()
    throw error
  }
}

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

const toTls = (cert: string | undefined, key: string | undefined): Pick<EdgeOptions, 'tls'> =>
  cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}

const toListener = ({ name, host, port, url }: Edge): Listener => ({ name: name as Listener['name'], host, port, url })
