import type { Call } from '../src/http/call/call.ts'
import type { Role } from '../src/http/roles.ts'
import type { Caller } from './audited.ts'
import type { RequestTurns } from './turns.ts'

/** A call of the management listener whose source is checked and whose caller is known, and the turns that it works in. */
export type AdminCall = Pick<Call, 'method' | 'target' | 'header' | 'peer' | 'secure' | 'ticket' | 'bytes'> & {
  readonly caller: Caller
  readonly turns: RequestTurns
}

/** A route of the management listener: where it is, and who may call it. */
export type AdminRouteRow = {
  /** Exact, or with everything below it when it ends in `/*`. */
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
  /**
   * A token needs one of these, where tokens are required; the handler may ask for a certain one. Empty: for any caller
   * from an allowed host and origin; the handler looks at the caller itself, who has no role without a token.
   */
  readonly roles: readonly Role[]
  /** What a token needs beside one of them. */
  readonly also?: Role
}

/** All routes of the management listener. What it has beside them comes from the contract: health, probes, docs. */
export const adminRoutes = {
  rpc: { path: '/rpc', methods: ['POST'], roles: ['view', 'operate'] },
  jolokia: { path: '/jolokia', methods: ['GET', 'POST'], roles: ['view', 'operate'] },
  jolokiaBelow: { path: '/jolokia/*', methods: ['GET', 'POST'], roles: ['view', 'operate'] },
  metrics: { path: '/metrics', methods: ['GET'], roles: ['view'] },
  live: { path: '/live', methods: ['GET'], roles: ['view'], also: 'read' },
  quarantine: { path: '/quarantine/*', methods: ['GET'], roles: ['view'], also: 'read' },
  console: { path: '/', methods: ['GET'], roles: [] },
  session: { path: '/console/session', methods: ['GET', 'POST'], roles: [] },
  logout: { path: '/console/logout', methods: ['POST'], roles: [] },
  consoleFiles: { path: '/console/*', methods: ['GET'], roles: [] },
} as const satisfies Readonly<Record<string, AdminRouteRow>>

/** A route with what answers it. */
export type AdminRoute = AdminRouteRow & {
  /** May throw a `SluiceError`. */
  readonly handle: (call: AdminCall) => Response | Promise<Response>
}
