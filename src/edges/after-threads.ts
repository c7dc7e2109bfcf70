import type { EdgePool } from './edge-pool.ts'

/**
 * Gives answers when all that was set by then holds in all threads: an answer of the management says what holds.
 * @param fetch makes them
 */
export const afterThreads =
  <Args extends readonly unknown[]>(
    fetch: (...args: Args) => Response | Promise<Response>,
    { inForce }: Pick<EdgePool, 'inForce'>,
  ) =>
  async (...args: Args): Promise<Response> => {
    const response = await fetch(...args)
    await inForce()
    return response
  }
