/** Calls at the active one of several servers, over connections that are kept. */
import { randomBytes } from 'node:crypto'
import { throwIfAborted, untilAborted } from '../../abortable.ts'
import { createFailover, type FailoverOptions } from '../../cluster/failover.ts'
import { NotProven } from '../../cluster/remote-exception.ts'
import { FileSystemError } from '../../filesystem.ts'
import type { Demand } from '../conf/demands.ts'
import { toFileSystemError } from '../errors.ts'
import { type NodeAddress, nodeName } from '../socket/exact-socket.ts'
import { RpcConnection } from './connection.ts'
import type { HadoopIdentity } from './identity.ts'

/** Says who calls; asked for each new connection. */
export type Identities = {
  of(): HadoopIdentity | Promise<HadoopIdentity>
  /** Hears why a server refused it. True where it does not know the token any more, and the next identity has another. */
  refused(identity: HadoopIdentity, error: unknown): boolean
}

export type HadoopRpcOptions = FailoverOptions & {
  readonly addresses: readonly [NodeAddress, ...NodeAddress[]]
  /** The interface of Java whose methods are called. */
  readonly protocol: string
  readonly identities: Identities
  /** What the servers are, for messages: `name node`. */
  readonly peer: string
  /** How long a server may take to answer. */
  readonly timeoutMs: number
  /** Less protection will not do. @default what the servers want */
  readonly demand?: Demand | undefined
}

/** What is called, and what about it goes into messages: `Cannot <action> "<path>"`. */
export type RpcRequest = {
  readonly methodName: string
  readonly request: Uint8Array
  /** Whether a second call with the same ids does no harm, and gives the same answer. */
  readonly repeatable: boolean
  readonly action: string
  readonly path: string
  /** @default the client's */
  readonly timeoutMs?: number | undefined
  /** @default the client's */
  readonly maxRetries?: number | undefined
  /** Ends it, and whatever attempt is under way; the next one where {@link RpcRequest.isAwaited}. */
  readonly signal?: AbortSignal | undefined
  /** Whether an active attempt is awaited, because its outcome must be known. @default false */
  readonly isAwaited?: boolean
}

export type HadoopRpc = {
  /** The response. Rejects with `FileSystemError`. */
  call(request: RpcRequest): Promise<Buffer>
  close(): void
}

/**
 * A client. A call whose answer was lost is sent again, to the next server too, with the same id: the servers' retry cache
 * knows what was done already, and answers as it did, for ten minutes (`dfs.namenode.retrycache.expirytime.millis`).
 */
export const createHadoopRpc = (options: HadoopRpcOptions): HadoopRpc => {
  const { addresses, protocol, identities, timeoutMs, demand } = options
  const clientId = randomBytes(16)
  const connections = new Map<NodeAddress, Promise<RpcConnection>>()
  const failover = createFailover(addresses, nodeName, options)
  let lastCallId = -1

  const open = async (address: NodeAddress): Promise<RpcConnection> => {
    const identity = await proven(identities)
    const connection = new RpcConnection({ address, protocol, clientId, identity, demand })
    identityOf.set(connection, identity)
    return connection
  }
  const connectionTo = async (address: NodeAddress): Promise<RpcConnection> => {
    const known = connections.get(address)
    if (known && (await known).isOpen) return await known
    if (connections.get(address) !== known) return await connectionTo(address)
    const opened = open(address)
    connections.set(address, opened)
    opened.catch(() => connections.delete(address))
    return await opened
  }

  return {
    call: ({ methodName, request, repeatable, action, path, signal, isAwaited = false, ...limits }) => {
      lastCallId = (lastCallId + 1) % 2 ** 31
      const callId = lastCallId
      const once = async (address: NodeAddress, retryCount: number, isAgain = false): Promise<Buffer> => {
        let connection: RpcConnection | undefined
        try {
          connection = await connectionTo(address)
          const call = { callId, retryCount, methodName, request, timeoutMs: limits.timeoutMs ?? timeoutMs }
          return await untilAborted(connection.call(call), isAwaited ? undefined : signal)
        } catch (cause) {
          const error = toFileSystemError(cause, `${options.peer} ${nodeName(address)}`, action, path)
          const identity = connection && identityOf.get(connection)
          if (isAgain || identity === undefined || !identities.refused(identity, error)) throw error
          return await once(address, retryCount, true)
        }
      }
      throwIfAborted(signal, path)
      const { maxRetries } = limits
      const call = { path, signal, repeatable, ...(maxRetries === undefined ? {} : { maxRetries }) }
      return failover(call, once)
    },
    close: () => {
      for (const connection of connections.values()) connection.then(one => one.close()).catch(() => {})
    },
  }
}

/** The caller; what fails here was not sent. */
const proven = async (identities: Identities): Promise<HadoopIdentity> => {
  try {
    return await identities.of()
  } catch (error) {
    // The cluster's answer about a user.
    if (error instanceof FileSystemError && error.code === 'denied') throw error
    throw new NotProven(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** With which identity a connection was opened. */
const identityOf = new WeakMap<RpcConnection, HadoopIdentity>()
