/** P11: a segment becomes Parquet files, against `hyparquet-writer` with rows that are only parsed; no server. */
import { join } from 'node:path'
import type { Sample } from '../measure.ts'
import { runToEnd } from '../process.ts'
import type { SealBenchOptions, SealBenchResult } from '../seal.ts'
import type { OpenTrial } from '../trial.ts'

const maxMs = 180_000

export const openSeal: OpenTrial = async ({ directory }) => {
  const run = async (kind: SealBenchOptions['kind']): Promise<Sample> => {
    const args = [JSON.stringify({ kind, directory } satisfies SealBenchOptions)]
    const script = { script: join(import.meta.dirname, '../seal.ts'), args, core: 'server', cwd: directory } as const
    const { rowsPerSecond, cpuUs, megabytes, milliseconds } = (await runToEnd(script, maxMs)) as SealBenchResult
    return { rate: rowsPerSecond, cpuUs, megabytes, p50Ms: milliseconds, p99Ms: milliseconds, maxMs: milliseconds }
  }
  return { sluice: () => run('sluice'), baseline: () => run('bare'), close: async () => {} }
}
