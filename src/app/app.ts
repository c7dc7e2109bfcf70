// node-only: listens
import { Hono } from 'hono'
import { createAdmin } from '../../admin/admin.ts'
import { createConsole } from '../../admin/console/console.ts'
import { getLivez } from '../collector/health.ts'
import { bindOperations } from '../contract/bind.ts'
import { createDocsHandlers } from '../contract/docs.ts'
import { createHotRoutes } from '../contract/hot.ts'
import { loadAdminContract, loadContract } from '../contract/load.ts'
import type { Handlers, OperationId } from '../contract/operations.ts'
import { toRequestPath } from '../contract/request-path.ts'
import { OutcomeUnknown, SluiceError } from '../errors.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { createMountTable } from '../filesystem/mounts.ts'
import { createNameSpace } from '../filesystem/name-space.ts'
import { createAuth } from '../http/auth.ts'
import { toAllowedHosts } from '../http/hosts.ts'
import { createEdge, type Edge, type EdgeOptions } from '../http/node.ts'
import { toCall } from '../http/to-call.ts'
import { createHttpRegistrar } from '../rows/http-registrar.ts'
import { noRegistrar, type Registrar } from '../rows/registrar.ts'
import type { Disk } from '../spool/disk/disk.ts'
import type { SpoolOptions } from '../spool/spool-options.ts'
import type { App, AppOptions, Fetch, Listener } from './app-type.ts'
import { type CollectorPart, createCollectorPart } from './collector.ts'
import { createGatewayPart, type GatewayPart } from './gateway.ts'
import { createAdminPart } from './management.ts'

/** What a test puts in place of the real parts. */
export type AppParts = Pick<SpoolOptions, 'now' | 'random' | 'heartbeat'> & {
  readonly fileSystem?: FileSystem
  /** Under the spool, which then runs in this thread alone. */
  readonly disk?: Disk
}

const collectorOperations: readonly OperationId[] = ['getEventV1', 'getEventV2', 'postEvent', 'getHealth']
const gatewayOperations = [
  'browse',
  'readJson',
  'readText',
  'readBinary',
  'viewObject',
  'uploadFile',
  'deletePath',
  'openRoot',
  'submitForm',
  'getLogin',
  'postLogin',
  'postLogout',
  'getPageStyle',
  'getPageScript',
] as const satisfies readonly OperationId[]
/** On every listener. */
const commonOperations: readonly OperationId[] = ['getLiveness', 'getReadiness', 'getContract', 'getDocs']

/**
 * Puts the server together: the one place that sees all its parts. The spool is open and recovered when this resolves;
 * `start` opens the listeners.
 * @throws SpoolLocked, FileSystemError, Error when a part cannot be opened; nothing stays open then
 */
export const createApp = async ({ settings, logger, ...parts }: AppOptions & AppParts): Promise<App> => {
  const contract = loadContract()
  const services = new Set(settings.services)
  const auth = await createAuth({ path: settings['auth.tokens'], logger })
  const fileSystem = parts.fileSystem ? createMountTable(parts.fileSystem, []) : await createNameSpace(settings)
  const registrar = createRegistrar({ settings, logger })
  const shared = { settings, logger, fileSystem, auth, registrar }
  const gateway = services.has('gateway') ? await createGatewayPart(shared) : undefined
  const collector = services.has('collector') ? await createCollectorPart({ ...parts, ...shared }) : undefined

  const handlers: Handlers = {
    ...createDocsHandlers(contract),
    ...(gateway?.handlers ?? withoutGateway),
    ...(collector?.handlers ?? withoutCollector),
  }
  const listenerFetch = (operations: readonly OperationId[], own: Partial<Handlers> = {}): Fetch => {
    const app = new Hono({ getPath: toRequestPath })
    const included = new Set<string>([...operations, ...commonOperations])
    bindOperations(app, contract, { ...handlers, ...own }, toCall, {
      includes: ({ id }) => included.has(id),
      middleware: operations => [
        ...(collector?.middleware(operations) ?? []),
        ...(gateway?.middleware(operations) ?? []),
      ],
      shed: collector?.shed,
      onRefusal: collector?.onRefusal,
      renderError: gateway?.renderError,
      onError: (error, context) => {
        if (!(error instanceof SluiceError || error instanceof OutcomeUnknown))
          logger.error({ err: error, path: context.req.path }, 'a request failed')
      },
    })
    return (request, env) => app.fetch(request, env as object)
  }
  const gatewayHasOwnListener = settings['gateway.port'] !== undefined && services.has('gateway')
  const ofServer = [
    ...(collector ? collectorOperations : []),
    ...(services.has('gateway') && !gatewayHasOwnListener ? gatewayOperations : []),
  ]
  const fetch = listenerFetch(ofServer)
  const gatewayFetch = gatewayHasOwnListener ? listenerFetch(gatewayOperations) : undefined
  const admin = createAdminPart({
    settings,
    logger,
    fileSystem,
    gateway: gateway?.figures,
    realtime: collector?.realtime,
    collector: collector && {
      ...collector.collector,
      spool: collector.spool,
      health: () => collector.collector.health('').items,
    },
    now: parts.now,
  })
  if (collector) admin.registry.registerSource(collector.schemaBeans)
  const adminFetch = createAdmin({
    ...admin,
    auth,
    logger,
    allowedHosts: toAllowedHosts(settings['admin.allowed-hosts'], settings['admin.host']),
    allowedOrigins: settings['admin.allowed-origins'].map(origin => origin.toLowerCase()),
    routes: createConsole({ auth }),
    fallback: listenerFetch(collector ? ['getHealth'] : [], createDocsHandlers(loadAdminContract())),
  })
  const hot = collector
    ? { hot: createHotRoutes(contract, handlers, ['getEventV1', 'getEventV2', 'postEvent'], collector) }
    : {}
  const edges: Edge[] = []

  const closeParts = async (): Promise<void> => {
    await collector?.close()
    registrar.close()
    admin.close()
    auth.close()
    await fileSystem.close()
  }
  const listen = async (edge: Omit<EdgeOptions, 'logger'>): Promise<void> => {
    edges.push(
      await createEdge({
        ...edge,
        hstsSeconds: settings['tls.hsts-seconds'],
        logger,
        onDrain: () => collector?.startDraining(),
      }),
    )
  }
  return {
    fetch,
    adminFetch,
    ...(gatewayFetch ? { gatewayFetch } : {}),
    start: async () => {
      try {
        const server = { name: 'server', host: settings['server.host'], port: settings['server.port'] }
        await listen({ ...server, fetch, ...hot, ...tlsOf(settings['server.tls.cert'], settings['server.tls.key']) })
        if (gatewayFetch) {
          await listen({
            name: 'gateway',
            host: settings['gateway.host'] ?? '127.0.0.1',
            port: settings['gateway.port'] ?? 0,
            fetch: gatewayFetch,
            ...tlsOf(settings['server.tls.cert'], settings['server.tls.key']),
          })
        }
        if (collector?.openScribe) edges.push({ name: 'scribe', ...(await collector.openScribe()) })
        const admin = { name: 'admin', host: settings['admin.host'], port: settings['admin.port'] }
        await listen({ ...admin, fetch: adminFetch, ...tlsOf(settings['admin.tls.cert'], settings['admin.tls.key']) })
        // With a collector its spool asks, and says it.
        if (!collector)
          void fileSystem.probe().catch(error => logger.warn({ err: error }, 'the file system does not answer'))
        return edges.map(toListener)
      } catch (error) {
        await Promise.all(edges.map(edge => edge.close()))
        await closeParts()
        throw error
      }
    },
    close: async () => {
      collector?.startDraining()
      await Promise.all(edges.map(edge => edge.close()))
      await closeParts()
    },
  }
}

/** One for all parts: what one of them learns of an event type, the others know as well. */
const createRegistrar = ({ settings, logger }: AppOptions): Registrar => {
  const url = settings['registrar.url']
  const refreshMs = settings['registrar.refresh-seconds'] * 1_000
  return url === undefined ? noRegistrar : createHttpRegistrar({ url, refreshMs, log: logger })
}

const tlsOf = (cert: string | undefined, key: string | undefined): Pick<EdgeOptions, 'tls'> =>
  cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}

const toListener = ({ name, host, port, url }: Edge): Listener => ({ name: name as Listener['name'], host, port, url })

/** Handlers that answer with an error. */
const refuseAll = <Id extends OperationId>(ids: readonly Id[], message: string): Pick<Handlers, Id> => {
  const refuse = (): never => {
    throw new SluiceError('not-found', message)
  }
  return Object.fromEntries(ids.map(id => [id, refuse])) as unknown as Pick<Handlers, Id>
}

const withoutCollector: CollectorPart['handlers'] = {
  ...refuseAll(collectorOperations, 'The collector does not run in this process'),
  getLiveness: getLivez,
  getReadiness: getLivez,
}

const withoutGateway: GatewayPart['handlers'] = refuseAll(gatewayOperations, 'The gateway does not run in this process')
