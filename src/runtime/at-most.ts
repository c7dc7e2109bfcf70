import { startTimeout } from './timers.ts'

/** Resolves when something does that never rejects, or after so many ms: it goes on then. */
export const atMost = async (ms: number, work: Promise<void> | undefined): Promise<void> => {
  const late = Promise.withResolvers<void>()
  const timer = startTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
