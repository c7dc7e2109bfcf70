/** P11 and P14b: a recorded log is sealed, against rows that are only parsed, or go to a bare Parquet writer too. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputFormat } from '../../../src/spool/files/bucket-file.ts'
import type { Sample } from '../measure.ts'
import { runToEnd } from '../process.ts'
import type { SealBenchOptions } from '../seal.ts'
import { sealQueue } from '../sealing/queue.ts'
import type { RecordedLog } from '../sealing/recorded-log.ts'
import type { Sealed } from '../sealing/sealed.ts'
import type { OpenTrial, TrialOptions } from '../trial.ts'

const maxMs = 600_000

/**
 * The log that a server on two cores finds; half a segment as received, so that several are sealed beside each other.
 */
const recorded: RecordedLog = { segments: 10, eventsPerSegment: 190_000, types: 21, eventsPerRequest: 100 }

const close = async (): Promise<void> => {}

/** Segments of one event a record, sealed by a thread of a process without a server. */
export const openSeal =
  (types: number): OpenTrial =>
  async options => ({
    sluice: () => runSeal(options, { how: 'segments', format: 'parquet', types }),
    baseline: () => runSeal(options, { how: 'parquet', types }),
    close,
  })

/** A recorded log, sealed by a server without load. */
export const openSealQueue =
  (format: OutputFormat): OpenTrial =>
  async options => ({
    sluice: async () => {
      const directory = await mkdtemp(join(options.directory, 'queue-'))
      try {
        return toSample(await sealQueue({ ...options, directory }, format, 'none', recorded))
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
    baseline: () => runSeal(options, { how: 'parse', types: recorded.types }),
    close,
  })

const runSeal = async ({ directory }: TrialOptions, what: SealBenchOptions): Promise<Sample> => {
  const args = [JSON.stringify({ ...what, directory } satisfies SealBenchOptions)]
  const script = { script: join(import.meta.dirname, '../seal.ts'), args, core: 'server', cwd: directory } as const
  return toSample((await runToEnd(script, maxMs)) as Sealed)
}

const toSample = ({ rowsPerSecond, cpuUs, megabytes, milliseconds }: Sealed): Sample => ({
  rate: rowsPerSecond,
  cpuUs,
  megabytes,
  p50Ms: milliseconds,
  p99Ms: milliseconds,
  maxMs: milliseconds,
})
