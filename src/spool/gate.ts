import { SluiceError } from '../errors.ts'
import type { Invariants } from './invariants/invariants.ts'

/** Whether the spool may still be changed. */
export type Gate = {
  readonly isClosing: boolean
  /** Why it may not, for people; empty while it may. */
  readonly refusal: string
  /** Nothing is taken from now on. */
  close(): void
  /** Work that is not begun then. */
  guard<Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>): (...args: Args) => Promise<Result>
  /** @throws SluiceError `draining` once it closes, InvariantBroken once it has stopped */
  check(): void
}

export const createSpoolGate = (invariants: Pick<Invariants, 'broken' | 'check'>): Gate => {
  let isClosing = false
  const check = (): void => {
    invariants.check()
    if (isClosing) throw new SluiceError('draining', 'The server is shutting down', { about: 'shutting-down' })
  }
  return {
    get isClosing() {
      return isClosing
    },
    get refusal() {
      if (isClosing) return 'shutting down'
      return invariants.broken === undefined ? '' : `stopped: ${invariants.broken.invariant}`
    },
    close: () => {
      isClosing = true
    },
    check,
    guard:
      work =>
      async (...args) => {
        check()
        return await work(...args)
      },
  }
}
