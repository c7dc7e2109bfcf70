import { asError } from '../../../errors.ts'
import { startTimeout } from '../../../runtime/timers.ts'
import type { ExactSocket } from '../socket/exact-socket.ts'

/** Whether a node did not answer, or proceed, in time. */
export const isLate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT'

/** Takes a step of a connection, which ends with it where it fails or is late. */
export const asStep = async <T>(socket: ExactSocket, timeoutMs: number, step: () => Promise<T>): Promise<T> => {
  const late = Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })
  const timer = startTimeout(() => socket.destroy(late), timeoutMs)
  try {
    return await step()
  } catch (error) {
    socket.destroy(asError(error))
    throw error
  } finally {
    clearTimeout(timer)
  }
}
