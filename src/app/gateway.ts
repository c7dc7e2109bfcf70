import { resolve } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import { createGatewayFigures, type GatewayFigures } from '../beans/gateway-figures.ts'
import type { Settings } from '../config/table.ts'
import type { RenderError } from '../contract/bind.ts'
import type { Operation } from '../contract/contract.ts'
import type { OperationId } from '../contract/operations.ts'
import { SluiceError } from '../errors.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { createMarkMemory } from '../gateway/mark-memory.ts'
import { createPages, type Pages } from '../gateway/pages/pages.ts'
import type { Auth } from '../http/auth.ts'
import { checkSource, toAllowedHosts } from '../http/hosts.ts'
import { readHeader, toCall } from '../http/to-call.ts'
import type { Logger } from '../log/log.ts'
import { createOpenRows } from '../rows/create-open-rows.ts'
import { loadRowSerializers, loadSerializations } from '../rows/load-serializers.ts'
import type { Registrar } from '../rows/registrar.ts'

export type GatewayPartOptions = {
  readonly settings: Settings
  readonly logger: Logger
  readonly fileSystem: MountTable
  readonly auth: Auth
  readonly registrar: Registrar
}

/** The gateway with its pages, as the composition root uses it. */
export type GatewayPart = {
  readonly handlers: Gateway['handlers'] & Pages['handlers']
  readonly figures: GatewayFigures
  /** Refuses what pages of other sites send, on every route of the gateway, with or without tokens. */
  readonly middleware: (operations: readonly Operation[]) => readonly MiddlewareHandler[]
  /** An error as a page, where a browser asked one of the gateway's routes; nothing otherwise. */
  readonly renderError: RenderError
}

/** Where people come by browser: elsewhere errors are for programs. */
const pagePaths = /^\/(?:login|logout|rest\/1\.0(?:\/(?:hdfs|json|text|binary|viewer))?)?\/?$/

/** Operations that any page may lead to or load: they neither read nor change anything. */
const openOperations: readonly OperationId[] = ['getPageStyle', 'getPageScript']

/**
 * Puts the gateway and its pages over a file system.
 * @throws Error naming a module of `io.…serializations` that cannot be used
 */
export const createGatewayPart = async (options: GatewayPartOptions): Promise<GatewayPart> => {
  const { settings, logger, fileSystem, auth, registrar } = options
  const figures = createGatewayFigures()
  const from = { directory: resolve('.') }
  const serializers = await loadRowSerializers(settings['io.row.serializations'], from)
  const openRows = createOpenRows({
    serializations: await loadSerializations(settings['io.serializations'], from),
    limits: { maxValues: settings['gateway.max-values-per-row'], maxBytes: settings['gateway.max-row-bytes'] },
  })
  const marks = createMarkMemory()
  const gateway = createGateway({
    marks,
    fileSystem,
    openRowFile: over => (status, more) => openRows({ fileSystem: over, status, registrar, serializers, ...more }),
    auth,
    figures,
    logger,
    maxReads: settings['gateway.max-reads'],
    clusterOf: fileSystem.mountOf,
    toErrorPage: (error, call) => pages.toErrorResponse(error, call),
  })
  const pages = createPages({
    marks,
    fileSystem,
    openRows: more => openRows({ fileSystem, registrar, serializers, ...more }),
    auth,
    write: gateway.handlers,
    clusterOf: fileSystem.urlOf,
    healthOf: path => {
      const message = fileSystem.problemOf(path)
      return message === '' ? { code: 'OK', message: 'It answers' } : { code: 'WARN', message }
    },
    onError: error => logger.error({ err: error }, 'a page could not be made'),
  })
  return {
    handlers: { ...gateway.handlers, ...pages.handlers, browse: gateway.toBrowse(pages.handlers.browse) },
    figures,
    middleware: createSourceCheck(settings),
    renderError: (error, context) => {
      // Whoever came under a foreign name is told nothing of the clusters.
      if (error instanceof SluiceError && error.code === 'forbidden-host') return undefined
      return pagePaths.test(context.req.path) ? pages.toErrorResponse(error, toCall(context, 'browse', {})) : undefined
    },
  }
}

/** The check sees every method of a path, before parameters are looked at. */
const createSourceCheck = (settings: Settings): GatewayPart['middleware'] => {
  const own = settings['gateway.port'] !== undefined
  const bound = own ? (settings['gateway.host'] ?? '127.0.0.1') : settings['server.host']
  const allowedHosts = toAllowedHosts(settings['server.allowed-hosts'], bound)
  const check: MiddlewareHandler = async (context, next) => {
    const { url, method } = context.req
    const { host, protocol } = new URL(url)
    // A call without a socket has no Host header, and no browser behind it.
    const isInMemory = readHeader(context, 'host') === undefined && !isNodeEnv(context.env)
    const header = (name: string): string | undefined =>
      readHeader(context, name) ?? (isInMemory && name === 'host' ? host : undefined)
    const rules = { allowedHosts: isInMemory ? ['*'] : allowedHosts, secure: protocol === 'https:' }
    checkSource({ method, header }, rules)
    await next()
  }
  return operations =>
    operations.some(({ id, tag }) => isGateway(tag) && !openOperations.some(open => open === id)) ? [check] : []
}

const isGateway = (tag: string): boolean => tag === 'files' || tag === 'pages'

const isNodeEnv = (env: unknown): boolean => typeof env === 'object' && env !== null && 'incoming' in env
