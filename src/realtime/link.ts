import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker, BrokerConnection } from './brokers/broker.ts'

/** First wait after a connection failed or was lost; doubled up to {@link maxWaitMs}. */
export const firstWaitMs = 100
/** Longest wait between two attempts. */
export const maxWaitMs = 25_600

/** The one connection to the broker, made again whenever it is lost. */
export type Link = {
  /** Undefined while not connected. */
  readonly connection: () => BrokerConnection | undefined
  /** Why there is no connection, for people; empty while connected, and until the first attempt is over. */
  readonly problem: () => string
  /** The broker works: the next loss begins with a short wait again. */
  works(): void
  /** Connects, again and again, until {@link Link.stop}. */
  start(): void
  /** Ends the connection and all attempts. */
  stop(): Promise<void>
}

export type LinkOptions = {
  readonly broker: Broker
  /** There is a new connection. */
  readonly onUp: () => void
  readonly log: { readonly info: LinkLog; readonly warn: LinkLog }
  /** Resolves after a time, or rejects when aborted. @default a timer that does not keep the process alive */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

type LinkLog = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** A link that is not started. */
export const createLink = ({ broker, onUp, log, wait = waitQuietly }: LinkOptions): Link => {
  let connection: BrokerConnection | undefined
  let problem = ''
  let attempts = 0
  let stopping = new AbortController()
  let running: Promise<void> | undefined

  const hold = async (signal: AbortSignal): Promise<void> => {
    const made = await broker.connect(signal)
    if (signal.aborted) {
      await made.close()
      return
    }
    connection = made
    problem = ''
    log.info({ broker: broker.url }, 'connected to the broker')
    onUp()
    const reason = await made.lost
    if (connection === made) connection = undefined
    throw new Error(reason)
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        await hold(signal)
      } catch (error) {
        if (signal.aborted) return
        problem = error instanceof Error ? error.message : String(error)
        // Once for each outage: attempts may continue for days.
        if (attempts === 0)
          log.warn({ broker: broker.url, reason: problem }, 'the broker is unavailable: messages wait in memory')
      }
      const ms = Math.min(firstWaitMs * 2 ** attempts, maxWaitMs)
      attempts++
      await wait(ms, signal).catch(() => {})
    }
  }
  return {
    connection: () => connection,
    problem: () => problem,
    works() {
      attempts = 0
    },
    start() {
      if (running) return
      stopping = new AbortController()
      attempts = 0
      running = run(stopping.signal)
    },
    async stop() {
      stopping.abort()
      running = undefined
      const open = connection
      connection = undefined
      problem = ''
      await open?.close()
    },
  }
}

/** Waits without keeping the process alive. @throws when aborted */
export const waitQuietly = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal, ref: false })
