// node-only: of this process
import { readdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Where the system lacks memory it is better to lose this process than what takes events. */
export const offerToBeKilledFirst = (): void => {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such thing.
  }
}

/** Gives this process no more of a processor than others leave, from 1 to 19. */
export const lowerOwnPriority = (niceness: number): void => {
  for (const thread of listThreads()) {
    try {
      setPriority(thread, niceness)
    } catch {
      // Then it has what all have.
    }
  }
}

/** On Linux each thread has a priority of its own, and hands it on to those that it starts. */
const listThreads = (): readonly number[] => {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [process.pid]
  }
}
