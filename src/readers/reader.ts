// node-only: child processes
import { type ChildProcess, fork } from 'node:child_process'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { getCompileCacheDir } from 'node:module'
import { Socket } from 'node:net'
import { constants as priorities, setPriority } from 'node:os'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { GatewayFigures } from '../beans/gateway-figures.ts'
import { SluiceError } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { type ReaderLimits, watchReader } from './watch-reader.ts'
import {
  endTrailer,
  errorHeader,
  parseError,
  type ReaderNews,
  type ReaderStart,
  type ReadRequest,
  wholeEnd,
} from './wire.ts'

/** What a reader is started with. */
export type ReaderOptions = {
  /** The module that serves reads, see `serve-reads.ts`. */
  readonly module: URL
  readonly start: ReaderStart<unknown>
  readonly limits: ReaderLimits
  readonly logger: Logger
  readonly figures: Pick<GatewayFigures, 'recordUpstream'>
}

/** What a reader answered: the body's first chunk is at hand. */
export type ReaderAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Undefined where there is none. It throws what the reader threw, and `ReaderEnded`. */
  readonly body: AsyncGenerator<Uint8Array, void, undefined> | undefined
}

/** The process of a reader ended before its answer did. */
export class ReaderEnded extends Error {
  override readonly name = 'ReaderEnded'
  /** What it opened last; undefined unless it tells. */
  readonly path: string | undefined

  constructor(reason: string, path: string | undefined) {
    super(reason)
    this.path = path
  }
}

/** A process that reads. */
export type Reader = {
  /** Of its process; undefined when it could not be started. */
  readonly pid: number | undefined
  /** Resolves when it answers; rejects when it cannot start. */
  readonly ready: Promise<void>
  /** Resolves when it is no longer there, with why; undefined when it was closed. */
  readonly ended: Promise<string | undefined>
  /** Answers that go on, or are waited for. */
  readonly reads: number
  /**
   * Waits until it is ready.
   * @throws ReaderEnded; SluiceError `unavailable` when it cannot start; what the reader throws
   */
  ask(request: ReadRequest, signal: AbortSignal): Promise<ReaderAnswer>
  /** Ends it, and with it what goes on. */
  close(): Promise<void>
}

/** Who asks, and what is to be told when the answer is through. */
type Asked = { readonly signal: AbortSignal; readonly over: () => void }

/** Bytes of one answer that are on their way while its client takes none. */
const windowBytes = 128 * 1024
/** Of all of them together: each is bounded for itself. */
const sessionBytes = 2 ** 30

/** How much less of a processor it gets than the threads that take events, where both want all of it. */
const niceness = priorities.priority.PRIORITY_BELOW_NORMAL

/** It is asked to end, and has this long. */
const closeMs = 1_000

/** Starts a reader. It does not keep the process alive once it is ready, and ends with it. */
export const startReader = (options: ReaderOptions): Reader => {
  const { start, limits, logger } = options
  const child = fork(options.module, [], {
    serialization: 'advanced',
    env: toEnvironment(),
    execArgv: [`--max-old-space-size=${limits.heapMb}`],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc', 'pipe'],
  })
  lowerPriority(child)
  const session = openSession(child)
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string | undefined>()
  // Whoever does not ask for it hears of it by an answer that fails.
  ready.promise.catch(() => {})
  let reads = 0
  let lastPath: string | undefined
  let killedFor: string | undefined
  let isClosed = false
  const watch = watchReader(child, limits, reason => {
    killedFor = reason
    child.kill('SIGKILL')
  })
  const onNews = (news: ReaderNews): void => {
    if (news.kind === 'ready') {
      letGo(child, session)
      ready.resolve()
    } else if (news.kind === 'failed') ready.reject(new Error(news.message))
    else if (news.kind === 'pong') watch.pong()
    else if (news.kind === 'opens') lastPath = news.path
    else if (news.kind === 'upstream') for (const ms of news.ms) options.figures.recordUpstream(ms)
    else logger[news.level](news.fields, news.message)
  }
  child.on('message', message => onNews(message as ReaderNews))
  child.stderr?.on('data', (said: Buffer) =>
    logger.warn(
      { reader: child.pid, said: said.toString('utf8', 0, maxSaidBytes) },
      'a reader wrote to standard error',
    ),
  )
  const end = (reason: string): void => {
    watch.stop()
    ready.reject(new Error(reason))
    ended.resolve(isClosed ? undefined : reason)
    session.destroy()
  }
  child.once('error', error => end(`could not be started: ${error.message}`))
  child.once('exit', (code, signal) => end(killedFor ?? toReason(code, signal)))
  child.send(start, error => error && child.kill('SIGKILL'))

  /** Why an answer stopped: it was called off, or the process is gone. */
  const toCause = async (error: unknown, signal: AbortSignal): Promise<unknown> =>
    signal.aborted || !session.destroyed ? error : new ReaderEnded((await ended.promise) ?? 'was closed', lastPath)
  async function* toBody(stream: ClientHttp2Stream, trailers: () => IncomingHttpHeaders, { signal, over }: Asked) {
    try {
      for await (const chunk of stream) yield chunk as Uint8Array
    } catch (error) {
      throw await toCause(error, signal)
    } finally {
      over()
    }
    const { [endTrailer]: how } = trailers()
    if (how === undefined) throw await toCause(brokenOff(), signal)
    if (how !== wholeEnd) throw parseError(decodeURIComponent(String(how)))
  }
  const open = async (stream: ClientHttp2Stream, asked: Asked): Promise<ReaderAnswer> => {
    let trailers: IncomingHttpHeaders = {}
    stream.once('trailers', found => {
      trailers = found
    })
    const { promise, resolve, reject } = Promise.withResolvers<[IncomingHttpHeaders, number]>()
    stream.once('response', (headers, flags) => resolve([headers, flags]))
    stream.once('close', () => reject(stream.errored ?? brokenOff()))
    const [headers, flags] = await promise.catch(async error => {
      throw await toCause(error, asked.signal)
    })
    if (headers[errorHeader] !== undefined) throw parseError(await text(stream))
    const isEmpty = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
    const body = isEmpty ? undefined : await atHand(toBody(stream, () => trailers, asked))
    if (isEmpty) stream.resume()
    return { status: Number(headers[':status']), headers: toHeaders(headers), body }
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
      let isOver = false
      const over = (): void => {
        if (isOver) return
        isOver = true
        reads--
        if (reads === 0) watch.stop()
      }
      let stream: ClientHttp2Stream
      try {
        await ready.promise.catch(toUnavailable)
        signal.throwIfAborted()
        stream = session.request({ ':method': 'POST', ':path': '/' }, { signal })
      } catch (error) {
        over()
        throw error instanceof SluiceError ? error : await toCause(error, signal)
      }
      watch.start()
      stream.once('close', over)
      // It is told by what is waited for.
      stream.on('error', () => {})
      stream.end(JSON.stringify(request))
      return await open(stream, { signal, over })
    },
    close: async () => {
      isClosed = true
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), closeMs)
      await ended.promise
      clearTimeout(timer)
    },
  }
}

const toUnavailable = (cause: unknown): never => {
  throw new SluiceError('unavailable', 'Files cannot be read now: a reader does not start', { cause })
}

const brokenOff = (): Error => new Error('The reader broke its answer off')

/** What a reader's standard error is taken of at once. */
const maxSaidBytes = 4_096

const openSession = (child: ChildProcess): ClientHttp2Session => {
  // The fifth of `stdio`: a pair of sockets that nobody else can reach.
  const socket = child.stdio[4] as Duplex
  const session = connect('http://reader', {
    createConnection: () => socket,
    settings: { initialWindowSize: windowBytes, enablePush: false },
    maxSessionMemory: sessionBytes / 2 ** 20,
  })
  session.on('connect', () => session.setLocalWindowSize(sessionBytes))
  session.on('error', () => {})
  socket.on('error', () => {})
  return session
}

/** Lets the server end while it is there: whoever waits for an answer has a connection of his own that is open. */
const letGo = (child: ChildProcess, session: ClientHttp2Session): void => {
  child.unref()
  child.channel?.unref()
  session.unref()
  const { stderr } = child
  if (stderr instanceof Socket) stderr.unref()
}

/** Code that this process keeps compiled is kept for its readers, too: they start in half the time. */
const toEnvironment = (): NodeJS.ProcessEnv => {
  // Of this version of the engine; what is asked for is the directory of all.
  const cache = getCompileCacheDir()
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) }
}

const lowerPriority = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // Then it has what all have.
  }
}

const toReason = (code: number | null, signal: NodeJS.Signals | null): string => {
  // The engine ends a process that way whose heap is full.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return 'took more memory than it may have'
  return signal === null ? `ended with code ${code}` : `was ended by ${signal}`
}

const toHeaders = (headers: IncomingHttpHeaders): Headers => {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith(':') && name !== 'date')
  return new Headers(kept.map(([name, value]) => [name, String(value)]))
}

/** The same, with what comes first already there. */
const atHand = async <T>(source: AsyncGenerator<T, void, undefined>): Promise<AsyncGenerator<T, void, undefined>> => {
  const first = await source.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* source
    } finally {
      await source.return()
    }
  })()
}
