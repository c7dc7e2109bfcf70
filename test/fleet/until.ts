import { setTimeout as pause } from 'node:timers/promises'

const everyMs = 200
/** Ends what hangs, and says what it was. */
const longestMs = 150_000

/**
 * Asks until the answer is yes.
 * @throws Error that says what was waited for, when it never is
 */
export const until = async (what: string, ask: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + longestMs
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`Not within ${longestMs / 1_000} s: ${what}`)
    await pause(everyMs)
  }
}
