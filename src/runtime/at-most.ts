import { startTimeout } from './timers.ts'

/** Settles with the work, or resolves after this many ms: the work then continues, and its outcome is ignored. */
export const atMost = async (ms: number, work: Promise<void> | undefined): Promise<void> => {
  const late = Promise.withResolvers<void>()
  const timer = startTimeout(late.resolve, ms)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
