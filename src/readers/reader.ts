// node-only: child processes
import { type ChildProcess, fork } from 'node:child_process'
import module from 'node:module'
import { connect, Socket } from 'node:net'
import { constants as priorities, setPriority } from 'node:os'
import { dirname } from 'node:path'
import type { GatewayFigures } from '../beans/gateway-figures.ts'
import { createSlabs, release } from '../bytes/slabs.ts'
import { SluiceError } from '../errors.ts'
import type { TokensOf } from '../filesystem/name-space.ts'
import type { Logger } from '../log/log.ts'
import { type Answer, createAnswer, type ReaderAnswer } from './answer.ts'
import { createFrameReader, type FrameKind, type OnFrame, writeFrame } from './frames.ts'
import { answerTokenRequest } from './remote-tokens.ts'
import { type ReaderLimits, watchReader } from './watch-reader.ts'
import type { ReaderNews, ReaderStart, ReaderWord, ReadRequest } from './wire.ts'

/** What a reader is started with. */
export type ReaderOptions = {
  /** The module that serves reads, see `serve-reads.ts`. */
  readonly module: URL
  readonly start: ReaderStart<unknown>
  readonly limits: ReaderLimits
  readonly logger: Logger
  readonly figures: Pick<GatewayFigures, 'recordUpstream'>
  /** With which clusters with Kerberos are called. */
  readonly tokensOf: TokensOf
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
    execArgv: toEngineOptions(limits),
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  lowerPriority(child)
  const answers = new Map<number, Answer>()
  let socket: Socket | undefined
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string | undefined>()
  // Whoever does not ask for it hears of it by an answer that fails.
  ready.promise.catch(() => {})
  let reads = 0
  let lastRead = 0
  let lastPath: string | undefined
  let killedFor: string | undefined
  let isClosed = false
  const watch = watchReader(child, limits, reason => {
    killedFor = reason
    child.kill('SIGKILL')
  })
  const onFrame: OnFrame = (kind, read, payload) => answers.get(read)?.onFrame(kind, payload)
  const say = (word: ReaderWord): void => {
    if (child.connected) child.send(word, () => {})
  }
  const onNews = (news: ReaderNews): void => {
    if (news.kind === 'ready') {
      socket = connectTo(news.path, onFrame)
      socket.once('connect', () => {
        letGo(child, socket)
        ready.resolve()
      })
      // Otherwise it is told by the end of the process.
      socket.on('error', () => child.kill('SIGKILL'))
    } else if (news.kind === 'failed') ready.reject(new Error(news.message))
    else if (news.kind === 'pong') watch.pong()
    else if (news.kind === 'opens') lastPath = news.path
    else if (news.kind === 'token') void answerTokenRequest(options.tokensOf, news).then(say)
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
    for (const answer of answers.values()) answer.fail(new ReaderEnded(isClosed ? 'was closed' : reason, lastPath))
    socket?.destroy()
  }
  child.once('error', error => end(`could not be started: ${error.message}`))
  child.once('exit', (code, signal) => end(killedFor ?? toReason(code, signal)))
  child.send(start, error => error && child.kill('SIGKILL'))

  const send = (kind: FrameKind, read: number, payload?: Uint8Array): void => {
    if (socket?.writable) writeFrame(socket, kind, read, payload)
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
      const onOver = (): void => {
        reads--
        if (reads === 0) watch.stop()
      }
      try {
        await ready.promise.catch(toUnavailable)
        signal.throwIfAborted()
      } catch (error) {
        onOver()
        throw error
      }
      const read = ++lastRead
      const cancel = (): void => send('cancel', read)
      const abort = (): void => {
        cancel()
        answer.fail(signal.reason)
      }
      const answer = createAnswer({
        grant: bytes => {
          const payload = Buffer.allocUnsafe(4)
          payload.writeUInt32LE(bytes)
          send('grant', read, payload)
        },
        cancel,
        onOver: () => {
          answers.delete(read)
          signal.removeEventListener('abort', abort)
          onOver()
        },
      })
      answers.set(read, answer)
      signal.addEventListener('abort', abort)
      watch.start()
      send('ask', read, Buffer.from(JSON.stringify(request)))
      return await answer.begun
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

/** What a reader's standard error is taken of at once. */
const maxSaidBytes = 4_096

/** Connects to where a reader listens. */
const connectTo = (path: string, onFrame: OnFrame): Socket => {
  const slabs = createSlabs()
  const onBytes = createFrameReader(onFrame)
  const callback = (length: number): boolean => {
    const bytes = slabs.filled(length)
    onBytes(bytes)
    release(bytes)
    return true
  }
  return connect({ path, onread: { buffer: () => slabs.next(), callback } })
}

/** Lets the server end while it is there: whoever waits for an answer has a connection of his own that is open. */
const letGo = (child: ChildProcess, socket: Socket | undefined): void => {
  child.unref()
  child.channel?.unref()
  socket?.unref()
  const { stderr } = child
  if (stderr instanceof Socket) stderr.unref()
}

/** Megabytes of old objects and of buffers before the engine first looks through all of them. */
const initialOldMb = 128

/**
 * What is decoded is young garbage, and its buffers go with it. With the engine's own limit, a few megabytes above what is
 * in use, those few make it mark the whole heap every twenty megabytes, at a third of all that a reader takes. Garbage is
 * collected on the thread that makes it: the other processors have events to take.
 */
const toEngineOptions = ({ heapMb }: ReaderLimits): string[] => [
  '--single-threaded-gc',
  `--initial-old-space-size=${Math.min(initialOldMb, Math.floor(heapMb / 2))}`,
  `--max-old-space-size=${heapMb}`,
]

/** Code that this process keeps compiled is kept for its readers, too: they start in half the time. */
const toEnvironment = (): NodeJS.ProcessEnv => {
  // Of this version of the engine; what is asked for is the directory of all.
  const cache = module.getCompileCacheDir?.()
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
