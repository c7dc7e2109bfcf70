// node-only: worker threads
import { type MessagePort, Worker } from 'node:worker_threads'
import type { OnAccess } from '../http/access/access.ts'
import type { Logger } from '../log/log.ts'
import { siblingModule } from '../runtime/module-url.ts'
import { startTimeout } from '../runtime/timers.ts'
import type { EdgeNews, EdgeStart, EdgeState, EdgeWord } from './edge-wire.ts'

/** An edge thread, as the main thread has it. */
export type EdgeWorker = {
  /** Resolves when it takes connections. Rejects, with the code of the system where it has one, when it cannot. */
  readonly listening: Promise<void>
  /** Resolves when it is not there any more, with why. */
  readonly ended: Promise<string>
  set(changes: Partial<EdgeState>): void
  /** Resolves when all that was set holds there, or it has ended. */
  inForce(): Promise<void>
  /** Lets it end once its connections have. */
  drain(): void
  end(): void
}

export type EdgeWorkerOptions = {
  readonly start: EdgeStart
  readonly logger: Logger
  readonly onAccess?: OnAccess | undefined
  /** A thread that does not take over new state for so long is ended. @default {@link defaultMaxSilenceMs} */
  readonly maxSilenceMs?: number | undefined
  /** Starts a thread. @default the module beside this one */
  readonly startThread?: ((start: EdgeStart) => Worker) | undefined
}

type Pending = {
  readonly number: number
  timer: NodeJS.Timeout | undefined
  readonly inForce: PromiseWithResolvers<void>
}

const defaultMaxSilenceMs = 10_000

/** The main thread hears a thread between two of them: where it took no turn itself, only one is missed. */
const looks = 10

/** Starts one. */
export const startEdgeWorker = (options: EdgeWorkerOptions): EdgeWorker => {
  const { start, logger, onAccess, maxSilenceMs = defaultMaxSilenceMs, startThread = startModule } = options
  const worker = startThread(start)
  const listening = Promise.withResolvers<void>()
  // Who starts it at the start of the server waits for it; the one that replaces another hears of its end.
  listening.promise.catch(() => {})
  const ended = Promise.withResolvers<string>()
  /** What is not in force yet, oldest first. */
  const pending: Pending[] = []
  let lastNumber = 0
  let reason: string | undefined

  const say = (word: EdgeWord): void => worker.postMessage(word)
  const end = (why: string): void => {
    reason ??= why
    void worker.terminate()
  }
  const watch = (one: Pending, left = looks): void => {
    const look = (): void => (left === 1 ? end(`it took no turn for ${maxSilenceMs} ms`) : watch(one, left - 1))
    one.timer = startTimeout(look, maxSilenceMs / looks).unref()
  }
  const settle = (number: number): void => {
    while (pending[0] && pending[0].number <= number) {
      clearTimeout(pending[0].timer)
      pending.shift()?.inForce.resolve()
    }
  }
  const hear: { readonly [Kind in EdgeNews['kind']]: (news: EdgeNews & { readonly kind: Kind }) => void } = {
    listening: () => listening.resolve(),
    failed: ({ message, code }) => {
      listening.reject(Object.assign(new Error(message), { code }))
      end(message)
    },
    'in-force': ({ number }) => settle(number),
    accesses: ({ accesses }) => {
      for (const access of accesses) onAccess?.(access)
    },
    log: ({ level, fields, message }) => logger[level](fields, message),
    drained: () => end('drained'),
  }
  worker.on('message', (news: EdgeNews) => (hear[news.kind] as (news: EdgeNews) => void)(news))
  worker.on('error', error => {
    reason ??= error.message
  })
  worker.on('exit', code => {
    const why = reason ?? `it ended with code ${code}`
    listening.reject(new Error(why))
    ended.resolve(why)
    settle(Number.POSITIVE_INFINITY)
  })
  return {
    listening: listening.promise,
    ended: ended.promise,
    set: changes => {
      const number = ++lastNumber
      const one: Pending = { number, timer: undefined, inForce: Promise.withResolvers() }
      pending.push(one)
      watch(one)
      say({ kind: 'state', number, changes })
    },
    inForce: async () => await pending.at(-1)?.inForce.promise,
    drain: () => say({ kind: 'drain' }),
    end: () => end('closed'),
  }
}

const startModule = (workerData: EdgeStart): Worker =>
  new Worker(siblingModule(import.meta.url, 'edge-thread'), {
    name: 'edge',
    workerData,
    transferList: toTransferred(workerData),
  })

/** What a thread gets for itself. */
export const toTransferred = ({ events }: EdgeStart): [MessagePort] | [] => (events ? [events.port] : [])
