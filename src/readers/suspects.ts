// node-only: child processes
import { SluiceError } from '../errors.ts'
import { parsePath } from '../filesystem/path.ts'
import { startTimeout } from '../runtime/timers.ts'
import type { ReaderAnswer } from './answer.ts'
import type { Reader } from './reader.ts'
import { ReaderEnded } from './reader-errors.ts'

/** Asks those again whose reader ended before it answered: one of them was the reason. */
export type Suspects = {
  /**
   * Whether a read of this was the reason before, however it was read: then no other read is to share a reader with it.
   */
  has(path: string): boolean
  /** Whether a file as it is now was read apart to the end of an answer: it may share a reader from then on. */
  isTried(version: string): boolean
  /**
   * Asks a reader for suspects, which begins with one at a time, so that the one which ends it is known.
   * @param path of the file or directory; named where the reader did not say which file it had opened
   * @param version of a file that is suspected, and not known to have ended a reader
   * @throws SluiceError `unreadable` for the one that ends it, `overloaded` where that may be another's doing
   */
  ask(path: string, ask: (reader: Reader) => Promise<ReaderAnswer>, version?: string): Promise<ReaderAnswer>
  close(): Promise<void>
}

/** The latest that ended a reader are remembered, and so are the latest that did not. */
const maxRemembered = 1_000

/** How long the reader for suspects waits for the next one, in ms. */
const idleMs = 1_000

/** One name for a file, however it is spelt. */
const toFile = (path: string): string => {
  try {
    return parsePath(path)
  } catch {
    return path
  }
}

/** Adds one to those that are remembered; the oldest is forgotten for it. */
const remember = (all: Set<string>, one: string): void => {
  all.delete(one)
  all.add(one)
  const [oldest] = all
  if (all.size > maxRemembered && oldest !== undefined) all.delete(oldest)
}

/** An answer, and a callback for its end. */
const whenWhole = (answer: ReaderAnswer, call: () => void): ReaderAnswer => {
  const { body } = answer
  if (body === undefined) {
    call()
    return answer
  }
  const next = async (): Promise<IteratorResult<Uint8Array, void>> => {
    const found = await body.next()
    if (found.done === true) call()
    return found
  }
  return { ...answer, body: { ...body, next } }
}

/** Begins without suspects. @param start starts a reader that reports which files it opens */
export const createSuspects = (start: () => Reader): Suspects => {
  const remembered = new Set<string>()
  const tried = new Set<string>()
  let reader: Reader | undefined
  /** Resolves when the next one may begin. */
  let turn: Promise<unknown> = Promise.resolve()

  const open = (): Reader => {
    if (reader) return reader
    const opened = start()
    reader = opened
    void opened.ended.then(() => {
      if (reader === opened) reader = undefined
    })
    return opened
  }
  const closeWhenIdle = (): void => {
    const idle = reader
    startTimeout(() => {
      if (idle === undefined || reader !== idle) return
      if (idle.reads > 0) return closeWhenIdle()
      reader = undefined
      void idle.close()
    }, idleMs).unref()
  }

  return {
    has: path => remembered.has(toFile(path)),
    isTried: version => tried.has(version),
    ask: async (path, ask, version) => {
      const before = turn
      const { promise, resolve } = Promise.withResolvers<void>()
      turn = promise
      await before
      try {
        const opened = open()
        const isAlone = opened.reads === 0
        const answer = await ask(opened).catch((error: unknown) => {
          if (!(error instanceof ReaderEnded)) throw error
          if (!isAlone)
            throw new SluiceError('overloaded', 'The reader process ended while it read another file; retry', {
              cause: error,
            })
          remember(remembered, toFile(path))
          // One of a directory may be asked for by itself.
          if (error.path !== undefined) remember(remembered, toFile(error.path))
          const message = `"${error.path ?? path}" cannot be read: its reader process ${error.message}`
          throw new SluiceError('unreadable', message, { cause: error })
        })
        return version === undefined ? answer : whenWhole(answer, () => remember(tried, version))
      } finally {
        if (turn === promise) closeWhenIdle()
        resolve()
      }
    },
    close: async () => await reader?.close(),
  }
}
