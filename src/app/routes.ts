import { type Context, Hono } from 'hono'
import { getLivez } from '../collector/health.ts'
import { bindOperations } from '../contract/bind.ts'
import type { Contract } from '../contract/contract.ts'
import { createDocsHandlers } from '../contract/docs.ts'
import { createLaneRoutes } from '../contract/lane-routes.ts'
import { loadAdminContract, loadContract } from '../contract/load.ts'
import type { Handlers } from '../contract/operations.ts'
import { toRequestPath } from '../contract/request-path.ts'
import type { Service } from '../contract/service.ts'
import { OutcomeUnknown, SluiceError } from '../errors.ts'
import type { LaneRoutes } from '../http/call/base-call.ts'
import { toLogFields, traceOf } from '../tracing/trace-context.ts'
import type { Fetch, Listener } from './app-type.ts'
import type { CollectorService } from './collector.ts'
import type { GatewayService } from './gateway.ts'
import { createServerHint, type ListenerHint, toManagementHint } from './listener-hint.ts'
import type { Shared } from './shared.ts'

export type RoutesOptions = Shared & {
  /** The services that run in this process. */
  readonly collector: CollectorService | undefined
  readonly gateway: GatewayService | undefined
  /** What listens; empty before the start. */
  readonly listeners: () => readonly Listener[]
}

/** Which operations of the contract each listener has. */
export type Routes = {
  readonly fetch: Fetch
  /** The same again for the operations that are called most. */
  readonly lane: LaneRoutes | undefined
  /** Where the gateway has a listener of its own. */
  readonly gatewayFetch?: Fetch
  /** What the management listener has beside its own routes. */
  readonly besideAdmin: Fetch
}

/** Gives each listener the services it has by the settings, and every one the routes about the server. */
export const createRoutes = ({ settings, logger, auth, collector, gateway, listeners }: RoutesOptions): Routes => {
  const contract = loadContract()
  const gatewayIsApart = gateway !== undefined && settings['gateway.port'] !== undefined
  const probes = { getLiveness: getLivez, getReadiness: collector?.status.getReadiness ?? getLivez }
  const getHealth = collector?.status.getHealth
  const toServer = (own: Contract, getHealth?: Handlers['getHealth']): Service => ({
    tags: ['server'],
    handlers: { ...probes, ...createDocsHandlers(own), getHealth },
    guardOf: () => ({ authorize: auth.authorize }),
  })
  const toFetch = (hint: ListenerHint, ...services: readonly (Service | undefined)[]): Fetch => {
    const app = new Hono({ getPath: toRequestPath })
    const present = services.filter(service => service !== undefined)
    const onError = (error: unknown, context: Context): void => {
      if (error instanceof SluiceError || error instanceof OutcomeUnknown) return
      const { req } = context
      logger.error({ err: error, path: req.path, ...toLogFields(traceOf(req)) }, 'a request failed')
    }
    bindOperations(app, contract, present, onError, hint)
    return (request, env) => app.fetch(request, env as object)
  }
  return {
    fetch: toFetch(
      toManagementHint,
      toServer(contract, getHealth),
      collector,
      collector?.doors,
      gatewayIsApart ? undefined : gateway,
    ),
    lane: collector && createLaneRoutes(contract, collector, collector.doors),
    ...(gatewayIsApart ? { gatewayFetch: toFetch(toManagementHint, toServer(contract), gateway) } : {}),
    besideAdmin: toFetch(createServerHint(contract.operations, listeners), toServer(loadAdminContract(), getHealth)),
  }
}
