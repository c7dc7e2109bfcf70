// node-only: child processes
import { type ChildProcess, fork } from 'node:child_process'
import { Socket } from 'node:net'
import { constants as priorities, setPriority } from 'node:os'
import type { Logger } from '../log/log.ts'
import { childEnvironment, describeChildEnd } from '../runtime/child-process.ts'
import { startTimeout } from '../runtime/timers.ts'
import { type ReaderLimits, watchReader } from './watch-reader.ts'
import type { ReaderNews, ReaderStart, ReaderWord } from './wire.ts'

/** The start options of a reader's process. */
export type ReaderProcessOptions = {
  /** The module that serves reads, see `serve-reads.ts`. */
  readonly module: URL
  readonly start: ReaderStart<unknown>
  readonly limits: ReaderLimits
  readonly logger: Logger
}

/** What it says, and that it is no longer there. */
export type ReaderProcessEvents = {
  readonly onNews: (news: Exclude<ReaderNews, { readonly kind: 'pong' }>) => void
  /** Called again where an error is followed by the end. */
  readonly onEnd: (reason: string) => void
}

/** A process that is held to its limits while it is watched. */
export type ReaderProcess = {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined
  watch(): void
  unwatch(): void
  readonly say: (word: ReaderWord) => void
  /** Lets the server end while it is there: a client that waits for an answer has a connection that is open. */
  unref(): void
  kill(): void
  /** Asks it to end, and ends it when it does not. @param ended resolves when it is no longer there */
  close(ended: Promise<unknown>): Promise<void>
}

/** How much less of a processor it gets than the threads that take events, where both want all of it. */
const niceness = priorities.priority.PRIORITY_BELOW_NORMAL

/** It is asked to end, and has this long. */
const closeMs = 1_000

/** Starts the process of a reader. It ends with this one. */
export const startReaderProcess = (
  { module, start, limits, logger }: ReaderProcessOptions,
  { onNews, onEnd }: ReaderProcessEvents,
): ReaderProcess => {
  const child = fork(module, [], {
    serialization: 'advanced',
    env: childEnvironment(),
    execArgv: toEngineOptions(limits),
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  lowerPriority(child)
  const kill = (): void => void child.kill('SIGKILL')
  let killedFor: string | undefined
  const watch = watchReader(child, limits, reason => {
    killedFor = reason
    kill()
  })
  const end = (reason: string): void => {
    watch.stop()
    onEnd(reason)
  }
  child.on('message', message => {
    const news = message as ReaderNews
    if (news.kind === 'pong') watch.pong()
    else onNews(news)
  })
  child.stderr?.on('data', (said: Buffer) =>
    logger.warn(
      { reader: child.pid, said: said.toString('utf8', 0, maxSaidBytes) },
      'a reader wrote to standard error',
    ),
  )
  child.once('error', error => end(`could not be started: ${error.message}`))
  child.once('exit', (code, signal) => end(killedFor ?? describeChildEnd(code, signal)))
  child.send(start, error => error && kill())

  return {
    pid: child.pid,
    watch: () => watch.start(),
    unwatch: () => watch.stop(),
    say: word => {
      if (child.connected) child.send(word, () => {})
    },
    unref: () => {
      child.unref()
      child.channel?.unref()
      if (child.stderr instanceof Socket) child.stderr.unref()
    },
    kill,
    close: async ended => {
      if (child.connected) child.disconnect()
      const timer = startTimeout(kill, closeMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** What a reader's standard error is taken of at once. */
const maxSaidBytes = 4_096

/** Megabytes of old objects and buffers before the engine's first full collection. */
const initialOldMb = 128
/** Of each half of the young objects: many reads that wait make the engine take four times as much, at no gain. */
const youngMb = 16

/**
 * What is decoded is young garbage, and its buffers go with it. With the engine's own limit, a few megabytes above what is
 * in use, those few make it mark the whole heap every twenty megabytes, at a third of all that a reader takes. Garbage is
 * collected on the thread that makes it: the other processors have events to take.
 */
const toEngineOptions = ({ heapMb }: ReaderLimits): string[] => [
  '--single-threaded-gc',
  // For the end of all reads, see `serve-reads.ts`.
  '--expose-gc',
  `--max-semi-space-size=${youngMb}`,
  `--initial-old-space-size=${Math.min(initialOldMb, Math.floor(heapMb / 2))}`,
  `--max-old-space-size=${heapMb}`,
]

const lowerPriority = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // Then it has what all have.
  }
}
