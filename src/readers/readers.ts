// node-only: child processes
import { SluiceError } from '../errors.ts'
import { toPath } from '../gateway/audit.ts'
import { createByteBody } from '../gateway/body.ts'
import type { ToBodyOptions } from '../gateway/context.ts'
import type { GatewayFigures } from '../gateway/figures.ts'
import { follow } from '../gateway/follow.ts'
import type { Reads } from '../gateway/reads.ts'
import type { Call } from '../http/call/call.ts'
import { outsideTraces } from '../tracing/current-trace.ts'
import type { ReaderAnswer } from './answer.ts'
import { createPool } from './pool.ts'
import { type Reader, type ReaderOptions, startReader } from './reader.ts'
import { ReaderEnded, Suspected } from './reader-errors.ts'
import { createSuspects } from './suspects.ts'
import { type ReadRequest, toReadRequest } from './wire.ts'

export type ReadersOptions = Omit<ReaderOptions, 'start' | 'isTried'> & {
  readonly figures: Pick<GatewayFigures, 'readers'>
  /** How many share the work. */
  readonly count: number
  /** What a reader makes its file systems of. */
  readonly setup: unknown
}

/** Reads that are done by processes of their own. */
export type Readers = Reads & {
  /** Starts the first one now. @throws Error when it cannot start */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Runs reads in processes of their own: whatever a file does to one of them, this process survives. When a reader ends,
 * answers that had begun break off; those that had not are retried once, in isolation, and so are reads that a reader
 * suspects may end it.
 */
export const createReaders = ({ count, setup, ...options }: ReadersOptions): Readers => {
  const { logger, figures } = options
  let isClosed = false

  const isTried = (version: string): boolean => suspects.isTried(version)
  const start = (tellsFiles: boolean): Reader => {
    if (isClosed) throw new SluiceError('draining', 'The server is shutting down', { about: 'shutting-down' })
    // What it says later is not about the request that it was started for.
    const reader = outsideTraces(() => startReader({ ...options, isTried, start: { setup, tellsFiles } }))
    logger.debug({ reader: reader.pid }, 'a reader starts')
    figures.readers.now++
    const onEnd = (reason: string | undefined): void => {
      figures.readers.now--
      if (reason === undefined) return
      figures.readers.ended++
      logger.warn({ reader: reader.pid, reason }, 'a reader ended')
    }
    outsideTraces(() => void reader.ended.then(onEnd))
    return reader
  }
  const pool = createPool(count, () => start(false))
  const suspects = createSuspects(() => start(true))

  const ask = async (request: ReadRequest, call: Call<unknown>, signal: AbortSignal): Promise<ReaderAnswer> => {
    const path = toPath(call.params)
    const askOne = async (reader: Reader): Promise<ReaderAnswer> => await reader.ask(request, signal)
    let version: string | undefined
    if (!suspects.has(path)) {
      try {
        return await askOne(pool.choose(path))
      } catch (error) {
        if (error instanceof Suspected) version = error.version
        else if (!(error instanceof ReaderEnded)) throw error
        if (signal.aborted) throw error
      }
    }
    return await suspects.ask(path, askOne, version)
  }
  const reading =
    (read: keyof Reads) =>
    async (call: Call<unknown>, toBodyOptions: ToBodyOptions): Promise<Response> => {
      const stop = follow(call.signal)
      const { status, headers, body } = await ask(toReadRequest(read, call), call, stop.signal)
      if (body === undefined) return new Response(null, { status, headers })
      return new Response(await createByteBody(body, undefined, toBodyOptions(call, stop)), { status, headers })
    }
  return {
    readJson: reading('readJson'),
    readText: reading('readText'),
    readTree: reading('readTree'),
    browse: reading('browse'),
    walkWebHdfs: reading('walkWebHdfs'),
    icebergGet: reading('icebergGet'),
    icebergFile: reading('icebergFile'),
    start: () => pool.choose('/').ready,
    close: async () => {
      isClosed = true
      await Promise.all([pool.close(), suspects.close()])
    },
  }
}
