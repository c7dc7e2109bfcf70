import { startTimeout } from './timers.ts'

/** Settles as something does, or resolves after so many ms: it goes on then, and what it comes to is of no interest. */
export const atMost = async (ms: number, work: Promise<void> | undefined): Promise<void> => {
  const late = Promise.withResolvers<void>()
  const timer = startTimeout(late.resolve, ms)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
