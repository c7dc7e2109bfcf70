// node-only: child processes
import { SluiceError } from '../errors.ts'
import type { ReaderAnswer } from './answer.ts'
import { type Reader, ReaderEnded } from './reader.ts'

/** Asks those again whose reader ended before it answered: one of them was the reason. */
export type Suspects = {
  /** Whether this was the reason before: then nobody else is to share a reader with it. */
  has(key: string): boolean
  /**
   * Asks a reader for suspects, which begins with one at a time, so that the one which ends it is known.
   * @param path what is named where the reader did not say which file it had opened
   * @throws SluiceError `unreadable` for the one that ends it, `overloaded` where that may be another's doing
   */
  ask(key: string, path: string, ask: (reader: Reader) => Promise<ReaderAnswer>): Promise<ReaderAnswer>
  close(): Promise<void>
}

/** The latest that ended a reader are remembered. */
const maxRemembered = 1_000

/** How long the reader for suspects waits for the next one, in ms. */
const idleMs = 1_000

/** Nobody is suspected yet. @param start starts a reader that tells which files it opens */
export const createSuspects = (start: () => Reader): Suspects => {
  const remembered = new Set<string>()
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
    setTimeout(() => {
      if (idle === undefined || reader !== idle) return
      if (idle.reads > 0) return closeWhenIdle()
      reader = undefined
      void idle.close()
    }, idleMs).unref()
  }
  const remember = (key: string): void => {
    remembered.delete(key)
    remembered.add(key)
    const [oldest] = remembered
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
  }

  return {
    has: key => remembered.has(key),
    ask: async (key, path, ask) => {
      const before = turn
      const { promise, resolve } = Promise.withResolvers<void>()
      turn = promise
      await before
      try {
        const opened = open()
        const isAlone = opened.reads === 0
        return await ask(opened).catch((error: unknown) => {
          if (!(error instanceof ReaderEnded)) throw error
          if (!isAlone) throw new SluiceError('overloaded', 'The process that read this ended', { cause: error })
          remember(key)
          const message = `"${error.path ?? path}" cannot be read: the process that read it ${error.message}`
          throw new SluiceError('unreadable', message, { cause: error })
        })
      } finally {
        if (turn === promise) closeWhenIdle()
        resolve()
      }
    },
    close: async () => await reader?.close(),
  }
}
