// node-only: worker threads
import { type MessagePort, Worker } from 'node:worker_threads'
import type { OnAccess } from '../http/access/access.ts'
import type { Logger } from '../log/log.ts'
import { siblingModule } from '../runtime/module-url.ts'
import { startInterval } from '../runtime/timers.ts'
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
  /** @param why for people */
  end(why: string): void
}

export type EdgeWorkerOptions = {
  readonly start: EdgeStart
  readonly logger: Logger
  readonly onAccess?: OnAccess | undefined
  /** A thread that answers nothing for so long is ended. @default {@link defaultMaxSilenceMs} */
  readonly maxSilenceMs?: number | undefined
  /** Starts a thread. @default the module beside this one */
  readonly startThread?: ((start: EdgeStart) => Worker) | undefined
}

type Pending = { readonly number: number; readonly inForce: PromiseWithResolvers<void> }

const defaultMaxSilenceMs = 10_000

/**
 * How often a thread is looked at within that time. The main thread hears a thread between two looks: where it took no turn
 * itself, only one is missed.
 */
const looks = 10

/** One that starts loads its code and opens its sockets first, which takes long on a busy machine. */
const looksOfStart = 6 * looks

/** Starts one. */
export const startEdgeWorker = (options: EdgeWorkerOptions): EdgeWorker => {
  const { start, logger, onAccess, maxSilenceMs = defaultMaxSilenceMs, startThread = startModule } = options
  const worker = startThread(start)
  const listening = Promise.withResolvers<void>()
  // The server's start waits for it; the one that replaces another hears of its end.
  listening.promise.catch(() => {})
  const ended = Promise.withResolvers<string>()
  /** What is not in force yet, oldest first. */
  const pending: Pending[] = []
  let lastNumber = 0
  let isProbed = false
  let silentLooks = 0
  let startingLooks: number | undefined = 0
  let reason: string | undefined

  const say = (word: EdgeWord): void => worker.postMessage(word)
  const end = (why: string): void => {
    reason ??= why
    void worker.terminate()
  }
  const set = (changes: Partial<EdgeState>): void => {
    const number = ++lastNumber
    pending.push({ number, inForce: Promise.withResolvers() })
    say({ kind: 'state', number, changes })
  }
  const settle = (number: number): void => {
    silentLooks = 0
    while (pending[0] && pending[0].number <= number) pending.shift()?.inForce.resolve()
  }
  // A probe is not a change, so nothing waits for its answer.
  const look = (): void => {
    if (startingLooks !== undefined) {
      if (++startingLooks > looksOfStart) end(`it took no connections within ${6 * maxSilenceMs} ms of its start`)
    } else if (pending.length === 0 && !isProbed) {
      isProbed = true
      say({ kind: 'probe' })
    } else if (++silentLooks > looks) end(`it took no turn for ${maxSilenceMs} ms`)
  }
  const looking = startInterval(look, maxSilenceMs / looks).unref()
  const hear: { readonly [Kind in EdgeNews['kind']]: (news: EdgeNews & { readonly kind: Kind }) => void } = {
    listening: () => {
      startingLooks = undefined
      listening.resolve()
    },
    failed: ({ message, code }) => {
      listening.reject(Object.assign(new Error(message), { code }))
      end(message)
    },
    'in-force': ({ number }) => settle(number),
    present: () => {
      silentLooks = 0
      isProbed = false
    },
    accesses: ({ accesses }) => {
      if (start.accessesTaken) Atomics.add(start.accessesTaken, 0, accesses.length)
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
    clearInterval(looking)
    const why = reason ?? `it ended with code ${code}`
    listening.reject(new Error(why))
    ended.resolve(why)
    settle(Number.POSITIVE_INFINITY)
  })
  return {
    listening: listening.promise,
    ended: ended.promise,
    set,
    inForce: async () => await pending.at(-1)?.inForce.promise,
    drain: () => say({ kind: 'drain' }),
    end,
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
