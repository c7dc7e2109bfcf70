// node-only: runs in a worker thread
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createScribeServer } from '../collector/scribe/server.ts'
import { toCallLimits } from '../collector/scribe/settings.ts'
import { createWatched, type Watched } from '../current.ts'
import { createConnectionBudget } from '../http/edge/connection-budget.ts'
import { createOuterEdge } from '../http/edge/node.ts'
import type { KeyPair } from '../http/edge/tls.ts'
import type { Logger } from '../log/log.ts'
import { createSendingLogger } from '../log/log-line.ts'
import { reportTimerFailures } from '../runtime/timers.ts'
import { type AccessTeller, createAccessTeller } from './access-teller.ts'
import { createEdgeDoor } from './edge-door.ts'
import type { EdgeNews, EdgeStart, EdgeWord } from './edge-wire.ts'
import { type ReceivedState, receiveState } from './received-state.ts'
import { createTunnelEntrance } from './tunnel/tunnel-entrance.ts'

/** An edge thread: takes connections of a listener, and gives what is nothing for it to the main thread. */
const serveEdge = (port: MessagePort, start: EdgeStart): void => {
  const tell = (news: EdgeNews): void => port.postMessage(news)
  const logger = createSendingLogger(line => tell({ kind: 'log', ...line }))
  reportTimerFailures(error => logger.error({ err: error }, 'a timer failed'))
  const { state, set } = receiveState(start.state)
  const opening = open(start, state, logger, tell)
  port.on('message', (word: EdgeWord) => {
    if (word.kind === 'state') {
      set(word.changes)
      tell({ kind: 'in-force', number: word.number })
    } else if (word.kind === 'probe') tell({ kind: 'present' })
    else void drain(opening, tell)
  })
  opening.then(
    () => tell({ kind: 'listening' }),
    (error: Error) => {
      const { message, code } = (error.cause ?? error) as NodeJS.ErrnoException
      tell({ kind: 'failed', message, code })
    },
  )
}

/** Opens the listener, and the Scribe port where there is one. */
const open = async (
  start: EdgeStart,
  state: ReceivedState,
  logger: Logger,
  tell: (news: EdgeNews) => void,
): Promise<readonly Closable[]> => {
  const budget = createConnectionBudget(start.maxOpenFiles, logger, start.counts, start.row)
  const taking = start.events && (await createEdgeDoor(start.events, state))
  const accesses = start.accessesTaken && createTeller(start.accessesTaken, logger, tell)
  const shared = { isShared: true, budget, logger }
  const edge = await createOuterEdge({
    ...shared,
    name: start.name,
    host: start.host,
    port: start.port,
    tls: toTls(state),
    hstsSeconds: start.hstsSeconds,
    lane: taking?.routes ?? (() => undefined),
    limits: start.limits,
    handOver: createTunnelEntrance(start.tunnels, start.limits),
    onAccess: accesses?.tell,
  })
  // Lines come from its connections: it is the last to be closed.
  const http = { close: () => edge.close().then(() => accesses?.close()) }
  if (!taking || !start.scribe) return [http]
  const { door: collector, live } = taking
  const { startedAt, scribe } = start
  const callLimits = live.of(toCallLimits)
  return [http, await createScribeServer({ ...shared, ...scribe, startedAt, collector, callLimits })]
}

type Closable = { close(): Promise<void> }

const drain = async (opening: Promise<readonly Closable[]>, tell: (news: EdgeNews) => void): Promise<void> => {
  const opened = await opening.catch(() => [])
  await Promise.all(opened.map(one => one.close()))
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

const createTeller = (taken: Int32Array, logger: Logger, tell: (news: EdgeNews) => void): AccessTeller =>
  createAccessTeller({ taken, logger, send: accesses => tell({ kind: 'accesses', accesses }) })

if (parentPort) serveEdge(parentPort, workerData as EdgeStart)
