// node-only: runs in a worker thread
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createWatched, type Watched } from '../current.ts'
import type { Access, OnAccess } from '../http/access/access.ts'
import { createConnectionBudget } from '../http/edge/connection-budget.ts'
import { createOuterEdge, type Edge } from '../http/edge/node.ts'
import type { KeyPair } from '../http/edge/tls.ts'
import { createSendingLogger } from '../log/log-line.ts'
import { reportTimerFailures } from '../runtime/timers.ts'
import type { EdgeNews, EdgeStart, EdgeWord } from './edge-wire.ts'
import { type ReceivedState, receiveState } from './received-state.ts'
import { createTunnelEntrance } from './tunnel-entrance.ts'

/** An edge thread: takes connections of a listener, and gives what is nothing for it to the main thread. */
const serveEdge = (port: MessagePort, start: EdgeStart): void => {
  const tell = (news: EdgeNews): void => port.postMessage(news)
  const logger = createSendingLogger(line => tell({ kind: 'log', ...line }))
  reportTimerFailures(error => logger.error({ err: error }, 'a timer failed'))
  const { state, set } = receiveState(start.state)
  const opening = createOuterEdge({
    name: start.name,
    host: start.host,
    port: start.port,
    isShared: true,
    tls: toTls(state),
    hstsSeconds: start.hstsSeconds,
    lane: () => undefined,
    limits: start.limits,
    budget: createConnectionBudget(start.maxOpenFiles, logger, start.counts, start.row),
    handOver: createTunnelEntrance(start.tunnels, start.limits),
    logger,
    ...(start.tellsAccesses ? { onAccess: createAccessTeller(tell) } : {}),
  })
  port.on('message', (word: EdgeWord) => {
    if (word.kind === 'state') {
      set(word.changes)
      tell({ kind: 'in-force', number: word.number })
    } else void drain(opening, tell)
  })
  opening.then(
    () => tell({ kind: 'listening' }),
    (error: Error) => {
      const { message, code } = (error.cause ?? error) as NodeJS.ErrnoException
      tell({ kind: 'failed', message, code })
    },
  )
}

const drain = async (opening: Promise<Edge>, tell: (news: EdgeNews) => void): Promise<void> => {
  const edge = await opening.catch(() => undefined)
  await edge?.close()
  tell({ kind: 'drained' })
}

/** Undefined without TLS, which does not change. */
const toTls = ({ certificate }: ReceivedState): Watched<KeyPair> | undefined => {
  const first = certificate.current()
  if (first === undefined) return undefined
  const pair = createWatched(first)
  certificate.onChange(next => next && pair.set(next))
  return pair
}

/** What ends in one turn goes in one message. */
const createAccessTeller = (tell: (news: EdgeNews) => void): OnAccess => {
  let accesses: Access[] = []
  return access => {
    if (accesses.push(access) > 1) return
    setImmediate(() => {
      tell({ kind: 'accesses', accesses })
      accesses = []
    })
  }
}

if (parentPort) serveEdge(parentPort, workerData as EdgeStart)
