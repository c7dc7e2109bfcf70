import type { Current } from '../current.ts'
import type { EdgeState } from './edge-wire.ts'

/** The state of all edge threads, as one of them has it. */
export type ReceivedState = {
  of<Key extends keyof EdgeState>(key: Key): Current<EdgeState[Key]>
  /** Hears of each new value. */
  onChange<Key extends keyof EdgeState>(key: Key, hear: (value: EdgeState[Key]) => void): void
  /** They hold when it returns. */
  set(changes: Partial<EdgeState>): void
}

/** @param first what holds at the start */
export const createReceivedState = (first: EdgeState): ReceivedState => {
  let current = first
  const hearers: ((changes: Partial<EdgeState>) => void)[] = []
  return {
    of: key => () => current[key],
    onChange: (key, hear) =>
      void hearers.push(changes => {
        if (key in changes) hear(current[key])
      }),
    set: changes => {
      current = { ...current, ...changes }
      for (const hear of hearers) hear(changes)
    },
  }
}
