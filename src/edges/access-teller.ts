import type { Access, OnAccess } from '../http/access/access.ts'
import { createMissingLines } from '../http/access/missing-lines.ts'
import type { Logger } from '../log/log.ts'

/** Requests whose lines wait for the main thread, some MB; while that takes no turn, more of them would fill the memory. */
const maxWaiting = 10_000

export type AccessTellerOptions = {
  /** How many the main thread has taken so far, in shared memory. */
  readonly taken: Int32Array
  readonly send: (accesses: readonly Access[]) => void
  readonly logger: Pick<Logger, 'warn'>
}

/** Reports requests to the main thread: those that end in one turn go in one message. */
export type AccessTeller = {
  readonly tell: OnAccess
  /** Reports the rest: of the last turn, and how many lines are missing. */
  readonly close: () => void
}

export const createAccessTeller = ({ taken, send, logger }: AccessTellerOptions): AccessTeller => {
  const missing = createMissingLines(logger)
  let accesses: Access[] = []
  let told = 0
  // Both counts go round at 32 bits; what lies between them does not.
  const waiting = (): number => (told - Atomics.load(taken, 0)) | 0
  const sendAll = (): void => {
    if (accesses.length > 0) send(accesses)
    accesses = []
  }
  return {
    tell: access => {
      if (waiting() >= maxWaiting) return missing.miss(1)
      told++
      if (accesses.push(access) === 1) setImmediate(sendAll)
    },
    close: () => {
      sendAll()
      missing.close()
    },
  }
}
