import { setTimeout as pause } from 'node:timers/promises'

const everyMs = 500
/** Ends what hangs, and says what it was. The directories of a long run share one machine. */
const isLongRun = ['LOST_MACHINES', 'TAKEOVER_STEPS', 'TABLE_FAULTS'].some(name => `SLUICE_TEST_${name}` in process.env)
const longestMs = isLongRun ? 600_000 : 150_000

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
