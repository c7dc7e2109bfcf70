// node-only: child processes
import type { Socket } from 'node:net'
import { SluiceError } from '../errors.ts'
import type { TokensOf } from '../filesystem/name-space.ts'
import type { GatewayFigures } from '../gateway/figures.ts'
import type { ReaderAnswer } from './answer.ts'
import { createAnswers } from './answers.ts'
import { writeFrame } from './frames.ts'
import { ReaderEnded } from './reader-errors.ts'
import { type ReaderProcessEvents, type ReaderProcessOptions, startReaderProcess } from './reader-process.ts'
import { connectTo } from './reader-socket.ts'
import { answerTokenRequest } from './remote-tokens.ts'
import type { ReadRequest } from './wire.ts'

/** The start options of a reader. */
export type ReaderOptions = ReaderProcessOptions & {
  readonly figures: Pick<GatewayFigures, 'recordUpstream'>
  /** Whether a file that a reader suspects was read apart before. @param version a name for it as it is now */
  readonly isTried: (version: string) => boolean
  /** With which clusters with Kerberos are called. */
  readonly tokensOf: TokensOf
}

/** A process that reads. */
export type Reader = {
  /** Of its process; undefined when it could not be started. */
  readonly pid: number | undefined
  /** Resolves when it answers; rejects when it cannot start. */
  readonly ready: Promise<void>
  /** Resolves when it is no longer there, with why; undefined when it was closed. */
  readonly ended: Promise<string | undefined>
  /** Answers that are active, or awaited. */
  readonly reads: number
  /**
   * Waits until it is ready.
   * @throws ReaderEnded; Suspected; SluiceError `unavailable` when it cannot start; what the reader throws
   */
  ask(request: ReadRequest, signal: AbortSignal): Promise<ReaderAnswer>
  /** Ends it, and its active answers. */
  close(): Promise<void>
}

/** Starts a reader. It does not keep the process alive once it is ready, and ends with it. */
export const startReader = (options: ReaderOptions): Reader => {
  const { logger, figures, tokensOf } = options
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string | undefined>()
  // A caller that does not ask for it hears of it by an answer that fails.
  ready.promise.catch(() => {})
  let socket: Socket | undefined
  let reads = 0
  let lastPath: string | undefined
  let isClosed = false

  const answers = createAnswers((kind, read, payload) => {
    if (socket?.writable) writeFrame(socket, kind, read, payload)
  }, options.isTried)

  const onReady = (path: string): void => {
    const connecting = connectTo(path, answers.onFrame)
    socket = connecting
    connecting.once('connect', () => {
      child.unref()
      connecting.unref()
      ready.resolve()
    })
    // Otherwise the end of the process reports it.
    connecting.on('error', () => child.kill())
  }
  const onNews: ReaderProcessEvents['onNews'] = news => {
    if (news.kind === 'ready') onReady(news.path)
    else if (news.kind === 'failed') ready.reject(new Error(news.message))
    else if (news.kind === 'opens') lastPath = news.path
    else if (news.kind === 'token') void answerTokenRequest(tokensOf, news).then(child.say)
    else if (news.kind === 'upstream') for (const ms of news.ms) figures.recordUpstream(ms)
    else logger[news.level](news.fields, news.message)
  }
  const onEnd = (reason: string): void => {
    ready.reject(new Error(reason))
    ended.resolve(isClosed ? undefined : reason)
    answers.failAll(new ReaderEnded(isClosed ? 'was closed' : reason, lastPath))
    socket?.destroy()
  }
  const child = startReaderProcess(options, { onNews, onEnd })

  const onOver = (): void => {
    reads--
    if (reads === 0) child.unwatch()
  }
  return {
    pid: child.pid,
    ready: ready.promise,
    ended: ended.promise,
    get reads() {
      return reads
    },
    ask: async (request, signal) => {
      reads++
      try {
        await ready.promise.catch(toUnavailable)
        signal.throwIfAborted()
      } catch (error) {
        onOver()
        throw error
      }
      child.watch()
      return await answers.ask(request, signal, onOver)
    },
    close: async () => {
      isClosed = true
      await child.close(ended.promise)
    },
  }
}

const toUnavailable = (cause: unknown): never => {
  throw new SluiceError('unavailable', 'Files cannot be read: no reader process starts', {
    about: 'no-reader',
    cause,
  })
}
