import type { Context } from 'hono'
import { toTrashMinutes } from '../config/trash.ts'
import type { Guard, Service } from '../contract/service.ts'
import { openDelegationTokens } from '../delegation/delegation-tokens.ts'
import { createNodeDisk } from '../disk/node-disk.ts'
import { SluiceError } from '../errors.ts'
import type { EventDirectory } from '../gateway/context.ts'
import type { GatewayFigures } from '../gateway/figures.ts'
import { createGateway } from '../gateway/gateway.ts'
import { toIcebergError } from '../gateway/iceberg/iceberg-error.ts'
import { createFrames, toProof } from '../gateway/pages/frame/frames.ts'
import { createPages } from '../gateway/pages/pages.ts'
import { createTrashEmptier } from '../gateway/trash/trash-emptier.ts'
import { createWebHdfsAuthorize, createWebHdfsIdentify } from '../gateway/webhdfs/authorize.ts'
import { createTicketOptions } from '../gateway/webhdfs/options.ts'
import { toRemoteException } from '../gateway/webhdfs/remote-exception.ts'
import { isInMemory, toBaseCall } from '../http/call/to-call.ts'
import { checkSource, toAllowedHosts } from '../http/origin/hosts.ts'
import { hideLogs } from '../spool/replica/log-directory.ts'
import type { ReadsService } from './reads.ts'
import type { Shared } from './shared.ts'
import { createTicketStep } from './ticket-step.ts'
import { createTraceStep } from './trace-step.ts'

/** The gateway with its pages, as the composition root uses it. */
export type GatewayService = Service & { readonly figures: GatewayFigures; close(): Promise<void> }

/** Operations that any page may lead to or load: they neither read nor change anything. */
const openOperations: readonly string[] = ['getPageStyle', 'getPageScript']

/**
 * Puts the gateway and its pages over a file system.
 * @param eventsOf what a collector in this process knows of a directory
 * @throws Error naming a module of `io.…serializations` that cannot be used, or a file about a delegation token
 */
export const createGatewayService = async (
  shared: Shared,
  { reads, figures }: Pick<ReadsService, 'reads' | 'figures'>,
  eventsOf: (path: string) => EventDirectory | undefined,
): Promise<GatewayService> => {
  const { settings, live, logger, auth } = shared
  const fileSystem = hideLogs(shared.fileSystem, settings['collector.event-output-directory'])
  const delegationTokens = await openDelegationTokens({
    disk: createNodeDisk({ directory: settings['data.dir'], isPrivate: true }),
    logger,
  })
  const gateway = createGateway({
    reads,
    fileSystem,
    figures,
    logger,
    maxReads: live.of(now => now['gateway.max-reads']),
    clusterOf: fileSystem.mountOf,
    mountPoints: fileSystem.mountPoints,
    // No other route has the parameter in which a token may come there.
    identify: createWebHdfsIdentify(auth, delegationTokens),
    delegationTokens,
    eventsOf,
    nameOf: principal => auth.identityOf(principal)?.name,
  })
  const frames = createFrames({ fileSystem, proof: toProof(settings) })
  const trashMinutes = toTrashMinutes(settings)
  const trash = trashMinutes > 0 ? { mountOf: fileSystem.mountOf } : undefined
  const pages = createPages({ frames, auth, write: gateway.handlers, trash })
  const emptier = trash && createTrashEmptier({ fileSystem, logger, intervalMs: trashMinutes * 60_000 })
  const { authorize } = auth
  const guard: Guard = {
    authorize,
    onRefusal: gateway.refuse,
    checkSource: createSourceCheck(shared),
    around: createTraceStep(createTicketStep(auth)),
    // A caller under a foreign name learns nothing of the clusters.
    renderError: (error, context) =>
      error instanceof SluiceError && error.code === 'forbidden-host'
        ? undefined
        : pages.toErrorResponse(error, toBaseCall(context)),
  }
  const answerOptions = createTicketOptions(auth)
  const webHdfsGuard: Guard = {
    ...guard,
    authorize: createWebHdfsAuthorize(auth, delegationTokens),
    answerOptions: answerOptions && ((context, headers) => answerOptions(toBaseCall(context), headers)),
    renderError: (error, { req }) => toRemoteException(error, req.method),
  }
  const icebergGuard: Guard = { ...guard, renderError: (error, { req }) => toIcebergError(error, req.path) }
  const guards: Readonly<Record<string, Guard>> = { webhdfs: webHdfsGuard, iceberg: icebergGuard }
  return {
    tags: ['files', 'pages', 'webhdfs', 'iceberg'],
    handlers: { ...gateway.handlers, ...pages.handlers },
    guardOf: ({ id, tag }) => guards[tag] ?? (openOperations.includes(id) ? { authorize } : guard),
    renderMissing: (error, context) => pages.toMissingResponse(error, toBaseCall(context)),
    figures,
    close: async () => {
      emptier?.close()
      await delegationTokens.close()
    },
  }
}

/** Refuses what pages of other sites send, on every route of the gateway, with or without tokens. */
const createSourceCheck = ({ settings, live }: Shared): ((context: Context) => void) => {
  const own = settings['gateway.port'] !== undefined
  const bound = own ? (settings['gateway.host'] ?? '127.0.0.1') : settings['server.host']
  const hosts = live.of(now => toAllowedHosts(now['server.allowed-hosts'], bound))
  return context => {
    const call = toBaseCall(context)
    const allowedHosts = isInMemory(context) ? ['*'] : hosts()
    checkSource(call, { allowedHosts, secure: call.secure })
  }
}
