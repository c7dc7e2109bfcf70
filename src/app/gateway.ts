import { resolve } from 'node:path'
import type { Context } from 'hono'
import { createGatewayFigures, type GatewayFigures } from '../beans/gateway-figures.ts'
import type { Settings } from '../config/table.ts'
import type { Guard, Service } from '../contract/service.ts'
import { SluiceError } from '../errors.ts'
import { createGateway } from '../gateway/gateway.ts'
import { createMarkMemory } from '../gateway/mark-memory.ts'
import { createPages } from '../gateway/pages/pages.ts'
import { checkSource, toAllowedHosts } from '../http/hosts.ts'
import { isInMemory, toBaseCall } from '../http/to-call.ts'
import { createOpenRows } from '../rows/create-open-rows.ts'
import { loadRowSerializers, loadSerializations } from '../rows/load-serializers.ts'
import type { Shared } from './shared.ts'

/** The gateway with its pages, as the composition root uses it. */
export type GatewayPart = Service & { readonly figures: GatewayFigures }

/** Operations that any page may lead to or load: they neither read nor change anything. */
const openOperations: readonly string[] = ['getPageStyle', 'getPageScript']

/**
 * Puts the gateway and its pages over a file system.
 * @throws Error naming a module of `io.…serializations` that cannot be used
 */
export const createGatewayPart = async ({
  settings,
  logger,
  fileSystem,
  auth,
  registrar,
}: Shared): Promise<GatewayPart> => {
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
    figures,
    logger,
    maxReads: settings['gateway.max-reads'],
    clusterOf: fileSystem.mountOf,
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
  })
  const { authorize } = auth
  const guard: Guard = {
    authorize,
    onRefusal: gateway.refuse,
    checkSource: createSourceCheck(settings),
    // Whoever came under a foreign name is told nothing of the clusters.
    renderError: (error, context) =>
      error instanceof SluiceError && error.code === 'forbidden-host'
        ? undefined
        : pages.toErrorResponse(error, toBaseCall(context)),
  }
  return {
    tags: ['files', 'pages'],
    handlers: { ...gateway.handlers, ...pages.handlers, browse: gateway.toBrowse(pages.handlers.browse) },
    guardOf: ({ id }) => (openOperations.includes(id) ? { authorize } : guard),
    figures,
  }
}

/** Refuses what pages of other sites send, on every route of the gateway, with or without tokens. */
const createSourceCheck = (settings: Settings): ((context: Context) => void) => {
  const own = settings['gateway.port'] !== undefined
  const bound = own ? (settings['gateway.host'] ?? '127.0.0.1') : settings['server.host']
  const allowedHosts = toAllowedHosts(settings['server.allowed-hosts'], bound)
  return context => {
    const call = toBaseCall(context)
    checkSource(call, { allowedHosts: isInMemory(context) ? ['*'] : allowedHosts, secure: call.secure })
  }
}
