import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../runtime/module-url.ts'
import { startTimeout } from '../../runtime/timers.ts'
import type { BrokerClient, BrokerConnection, BrokerOptions, Fate } from '../brokers/broker.ts'
import type { Message } from '../message.ts'
import type { ClientCall, ClientOptions, ClientReply } from './client-wire.ts'

/** Most heap of a thread; what is under way is bounded well below it. */
const defaultMaxHeapMb = 512
/** How long the client may take to close its connection, before its thread is ended. */
const closeTimeoutMs = 1_000

export type ThreadClientOptions = BrokerOptions & {
  /** The client itself failed, which is as good as a lost connection. */
  readonly onFailure: (error: Error) => void
  /** What runs in the thread. @default the client of the address */
  readonly module?: URL
  /** Most heap of a thread. @default {@link defaultMaxHeapMb} */
  readonly maxHeapMb?: number
}

/**
 * A broker's client in threads, one for each connection. Its libraries are third-party code, with timers, sockets and
 * emitters of their own: an uncaught error in one of them ends the thread, which is a lost connection here, and the
 * next attempt starts another thread. A thread without a connection is kept for the next attempt.
 */
export const createThreadClient = (options: ThreadClientOptions): BrokerClient & { close(): void } => {
  let idle: Thread | undefined
  const keep = (thread: Thread): void => {
    idle?.end()
    idle = thread
  }
  return {
    connect: async signal => {
      const thread = idle?.isEnded === false ? idle : startThread(options)
      idle = undefined
      try {
        const connection = await thread.connect(signal)
        void connection.lost.then(() => keep(thread))
        return connection
      } catch (error) {
        keep(thread)
        throw error
      }
    },
    close: () => idle?.end(),
  }
}

type Sending = { readonly count: number; readonly settle: (fates: readonly Fate[]) => void }

type Thread = Pick<BrokerClient, 'connect'> & { readonly isEnded: boolean; end(): void }

const startThread = (options: ThreadClientOptions): Thread => {
  const { url, topic, ttlMs, persistent, onFailure, module, maxHeapMb = defaultMaxHeapMb } = options
  const workerData: ClientOptions = { url: url.href, topic, ttlMs, persistent }
  const worker = new Worker(module ?? siblingModule(import.meta.url, 'client-thread'), {
    name: 'broker',
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  worker.unref()
  const sends = new Map<number, Sending>()
  const closed = Promise.withResolvers<void>()
  /** Of the attempt that was begun last. */
  let opening: PromiseWithResolvers<BrokerConnection> | undefined
  let lost: PromiseWithResolvers<string> | undefined
  let lastId = 0
  let isEnded = false

  const ask = (call: ClientCall): void => worker.postMessage(call)
  /** The connection is gone; what was under way over it has this fate. */
  const lose = (reason: string, fate: Fate): void => {
    opening?.reject(new Error(reason))
    lost?.resolve(reason)
    for (const { count, settle } of sends.values()) settle(Array<Fate>(count).fill(fate))
    sends.clear()
  }
  const end = (reason: string, fate: Fate): void => {
    if (isEnded) return
    isEnded = true
    lose(reason, fate)
    closed.resolve()
    void worker.terminate()
  }
  const send = (topic: string, messages: readonly Message[]): Promise<readonly Fate[]> => {
    if (isEnded) return Promise.resolve(messages.map(() => 'again'))
    const id = ++lastId
    const { promise, resolve: settle } = Promise.withResolvers<readonly Fate[]>()
    sends.set(id, { count: messages.length, settle })
    ask({ kind: 'send', id, topic, messages })
    return promise
  }
  const close = async (): Promise<void> => {
    ask({ kind: 'close' })
    const timer = startTimeout(closed.resolve, closeTimeoutMs)
    await closed.promise
    clearTimeout(timer)
    end('closed', 'again')
  }
  worker.on('message', (reply: ClientReply) => {
    if (reply.kind === 'opened') {
      if (lost) opening?.resolve({ send, close, lost: lost.promise })
    } else if (reply.kind === 'sent') {
      sends.get(reply.id)?.settle(reply.fates)
      sends.delete(reply.id)
    } else if (reply.kind === 'closed') closed.resolve()
    else lose(reply.reason, 'again')
  })
  const fail = (error: Error): void => {
    if (isEnded) return
    onFailure(error)
    end(`the client of the broker failed: ${error.message}`, 'cut')
  }
  worker.on('error', fail)
  worker.on('exit', code => fail(new Error(`its thread ended with code ${code}`)))

  return {
    get isEnded() {
      return isEnded
    },
    end: () => end('closed', 'again'),
    connect: async signal => {
      signal.throwIfAborted()
      opening = Promise.withResolvers()
      lost = Promise.withResolvers()
      const onAbort = (): void => end('closed', 'again')
      signal.addEventListener('abort', onAbort)
      ask({ kind: 'connect' })
      return opening.promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
  }
}
