import { join } from 'node:path'
import type { LoadOptions, LoadResult } from './load.ts'
import type { Sample } from './measure.ts'
import { runToEnd } from './process.ts'
import type { Server } from './servers.ts'

const maxOverheadMs = 30_000

/**
 * Runs `load.ts` against a server in a process of its own, on the core of the load.
 * @throws Error for any answer that is neither good nor a 503, and without a good one in time
 */
export const runLoad = async (
  cwd: string,
  { url, pid }: Pick<Server, 'url' | 'pid'>,
  load: Omit<LoadOptions, 'port' | 'pid' | 'warmUpMs'> & Partial<LoadOptions>,
): Promise<Sample> => {
  const options = { port: Number(new URL(url).port), pid, warmUpMs: toWarmUpMs(load.durationMs), ...load }
  const script = {
    script: join(import.meta.dirname, 'load.ts'),
    args: [JSON.stringify(options satisfies LoadOptions)],
    core: 'load',
    cwd,
  } as const
  const timeoutMs = options.warmUpMs + options.durationMs + maxOverheadMs
  const result = (await runToEnd(script, timeoutMs)) as LoadResult
  if (result.failures > 0) {
    throw new Error(`${result.failures} answers were not what they should be; the first: ${result.firstFailure}`)
  }
  if (result.requestsPerSecond === 0) throw new Error(`No request was taken in the ${options.durationMs} ms that count`)
  return { ...result, rate: result.eventsPerSecond }
}

/** How long a load runs before it counts. */
export const toWarmUpMs = (durationMs: number): number => Math.max(1_000, durationMs * 0.3)
