import type { Current } from '../../current.ts'

/** The time between two multiples of a length since the epoch: a segment holds what arrived in one of them. */
type Period = {
  /**
   * Whether the clock has left it, forwards or backwards; ms since the epoch.
   * @param receivedAt of a request; some take time to be read, and those of the period before go with what is there
   */
  isOver(clock: number, receivedAt: number): boolean
  /** Continues in the period of this time. */
  begin(receivedAt: number): void
}

/** @param length in ms */
const createPeriod = (length: Current<number>): Period => {
  let from = 0
  let to = 0
  let ms = length()
  return {
    isOver(clock, receivedAt) {
      if (ms !== length()) {
        // The current period must not last as long as the previous setting said.
        ms = length()
        to = Math.min(to, clock - (clock % ms) + ms)
      }
      return receivedAt >= to || clock < from
    },
    begin(receivedAt) {
      from = receivedAt - (receivedAt % ms)
      to = from + ms
    },
  }
}

export type RollDueParts = {
  /** Of a period, in ms. */
  readonly length: Current<number>
  /** Whether a segment ends there; the one that does not ends as soon as it may. @default always */
  readonly mayRoll?: (() => boolean) | undefined
  /** Whether the segment holds nothing, and nothing waits for it. */
  readonly isEmpty: () => boolean
  readonly roll: () => Promise<void>
}

/** Makes what ends the segment where it holds something of another period than now. */
export const createRollDue = ({ length, mayRoll, isEmpty, roll }: RollDueParts) => {
  const period = createPeriod(length)
  return (clock: number, receivedAt = clock): Promise<void> | undefined => {
    if (!period.isOver(clock, receivedAt)) return undefined
    const holdsNothing = isEmpty()
    if (!holdsNothing && mayRoll?.() === false) return undefined
    period.begin(receivedAt)
    return holdsNothing ? undefined : roll()
  }
}
