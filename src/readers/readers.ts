// node-only: child processes
import { SluiceError } from '../errors.ts'
import { createByteBody } from '../gateway/body.ts'
import type { ToBodyOptions } from '../gateway/context.ts'
import type { Reads } from '../gateway/reads.ts'
import type { Call } from '../http/call.ts'
import { type Reader, type ReaderAnswer, ReaderEnded, type ReaderOptions, startReader } from './reader.ts'
import { toReadRequest } from './wire.ts'

export type ReadersOptions<Setup> = Omit<ReaderOptions, 'start'> & {
  /** How many share the work; each is started when it is needed first. */
  readonly count: number
  /** What a reader makes its file systems of. */
  readonly setup: Setup
}

/** Reads that are done by processes of their own. */
export type Readers = Reads & {
  /** Starts the first one now. @throws Error when it cannot start */
  start(): Promise<void>
  close(): Promise<void>
}

/** Before another one is started for one that could not start, in ms. */
const retryMs = 1_000

/** Requests are remembered that ended a reader, the latest of them: they are done apart from others from then on. */
const maxSuspects = 1_000

/**
 * Does reads in processes of their own: whatever a file makes of one of them, this process goes on. When a reader ends,
 * another one takes its place. Answers that had begun break off; what had not begun is done once more, by a reader for
 * suspects that begins one at a time, so that the one which ends that as well is known.
 */
export const createReaders = <Setup>({ count, setup, ...options }: ReadersOptions<Setup>): Readers => {
  const { logger } = options
  const pool: (Reader | undefined)[] = Array.from({ length: count }, () => undefined)
  const suspects = new Set<string>()
  let isClosed = false
  let apart: Reader | undefined
  let apartTurn: Promise<unknown> = Promise.resolve()

  const startAs = (tellsFiles: boolean, onEnd: () => void): Reader => {
    if (isClosed) throw new SluiceError('draining', 'The server is shutting down')
    const reader = startReader({ ...options, start: { setup, tellsFiles } })
    logger.info({ reader: reader.pid }, 'a reader starts')
    void reader.ended.then(reason => {
      if (!isClosed && reader !== leaving) logger.warn({ reader: reader.pid, reason }, 'a reader ended')
      onEnd()
    })
    return reader
  }
  /** One that has nothing to do any more, and is to end. */
  let leaving: Reader | undefined

  const open = (index: number): Reader => {
    const known = pool[index]
    if (known) return known
    const startedMs = performance.now()
    const reader = startAs(false, () => {
      pool[index] = undefined
      if (isClosed) return
      // The next request is not to wait for it; one that cannot start is not to start all the time.
      const again = (): void => {
        if (!isClosed && !pool[index]) open(index)
      }
      if (performance.now() - startedMs > retryMs) again()
      else setTimeout(again, retryMs).unref()
    })
    pool[index] = reader
    return reader
  }
  /** The one that has least to do; of those that have the same, always the same for a path, because it knows its rows. */
  const choose = (path: string): Reader => {
    const first = toNumber(path) % count
    const order = Array.from({ length: count }, (_, index) => (first + index) % count)
    const least = Math.min(...order.map(index => pool[index]?.reads ?? 0))
    return open(order.find(index => (pool[index]?.reads ?? 0) === least) ?? first)
  }

  const ask = async (reader: Reader, read: keyof Reads, call: Call<unknown>, signal: AbortSignal) => {
    // Asked at once, so that it counts as busy while it starts.
    const answer = reader.ask(toReadRequest(read, call), signal)
    answer.catch(() => {})
    try {
      await reader.ready
    } catch (error) {
      throw new SluiceError('unavailable', 'Files cannot be read now: a reader does not start', { cause: error })
    }
    return await answer
  }

  /** One after the other, until each has begun to answer. */
  const askApart = async (read: keyof Reads, call: Call<unknown>, signal: AbortSignal): Promise<ReaderAnswer> => {
    const before = apartTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    apartTurn = promise
    await before
    try {
      signal.throwIfAborted()
      const reader =
        apart ??
        startAs(true, () => {
          if (apart === reader) apart = undefined
        })
      apart = reader
      const isAlone = reader.reads === 0
      try {
        return await ask(reader, read, call, signal)
      } catch (error) {
        if (!(error instanceof ReaderEnded)) throw error
        throw isAlone ? toUnreadable(error, call) : new SluiceError('overloaded', 'The reader of this file ended')
      }
    } finally {
      if (apartTurn === promise) leaveWhenIdle()
      resolve()
    }
  }
  const leaveWhenIdle = (): void => {
    const reader = apart
    const look = (): void => {
      if (reader === undefined || apart !== reader) return
      if (reader.reads > 0) setTimeout(look, retryMs).unref()
      else {
        apart = undefined
        leaving = reader
        void reader.close()
      }
    }
    setTimeout(look, retryMs).unref()
  }

  const askOnceMore = async (read: keyof Reads, call: Call<unknown>, signal: AbortSignal): Promise<ReaderAnswer> => {
    const key = JSON.stringify([read, call.target])
    if (!suspects.has(key)) {
      try {
        return await ask(choose(toPath(call.params)), read, call, signal)
      } catch (error) {
        if (!(error instanceof ReaderEnded) || signal.aborted) throw error
      }
    }
    try {
      return await askApart(read, call, signal)
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'unreadable' && error.cause instanceof ReaderEnded)
        remember(key)
      throw error
    }
  }
  const remember = (key: string): void => {
    suspects.delete(key)
    suspects.add(key)
    const [oldest] = suspects
    if (suspects.size > maxSuspects && oldest !== undefined) suspects.delete(oldest)
  }

  const reading =
    (read: keyof Reads) =>
    async (call: Call<unknown>, toBodyOptions: ToBodyOptions): Promise<Response> => {
      const stop = new AbortController()
      const signal = AbortSignal.any([call.signal, stop.signal])
      const { status, headers, body } = await askOnceMore(read, call, signal)
      if (body === undefined) return new Response(null, { status, headers })
      return new Response(await createByteBody(body, undefined, toBodyOptions(call, stop)), { status, headers })
    }
  return {
    readJson: reading('readJson'),
    readText: reading('readText'),
    readTree: reading('readTree'),
    browse: reading('browse'),
    start: () => open(0).ready,
    close: async () => {
      isClosed = true
      await Promise.all([...pool, apart].map(async reader => await reader?.close()))
    },
  }
}

const toUnreadable = (error: ReaderEnded, call: Call<unknown>): SluiceError => {
  const path = error.path ?? toPath(call.params)
  return new SluiceError('unreadable', `"${path}" cannot be read: the process that read it ${error.message}`, {
    cause: error,
  })
}

const toPath = (params: unknown): string =>
  typeof params === 'object' && params !== null && 'path' in params && typeof params.path === 'string'
    ? params.path
    : '/'

/** Some number for a text, always the same. */
const toNumber = (text: string): number => {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) % 1_000_003
  return sum
}
