/**
 * A2: intake while another user watches the server or its events, or reads a lot of it, against the same server left
 * alone.
 */
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { importHour, writeHour } from '../compaction/make-table.ts'
import type { DisturbOptions } from '../disturb.ts'
import { makeEntries, writeSequenceFile } from '../files.ts'
import { runLoad } from '../load-run.ts'
import type { Sample } from '../measure.ts'
import { type Running, start } from '../process.ts'
import { type Server, startSluice } from '../servers.ts'
import { toUrl } from '../transfer-run.ts'
import type { OpenTrial, Trial, TrialOptions } from '../trial.ts'

const valueBytes = 1e9
const entries = 250_000
/** What takes far longer to merge than a round lasts. */
const mergedRows = 10_000_000
const mergedFiles = 200
const connections = 128
/** About a third of what one core takes: with all it takes, p99 would only say how the core is shared. */
export const requestsPerSecond = 4_000

/** `read` of everything, `list` and `/metrics`, once a second. */
export const openPolledIntake: OpenTrial = options =>
  openTrial(
    options,
    () => {},
    ({ adminUrl }) => ({ kind: 'poll', url: adminUrl }),
  )

/** One reader takes all rows of a sequence file, over and over. */
export const openReadIntake: OpenTrial = options =>
  openTrial(
    options,
    fs => void writeSequenceFile(join(fs, 'large.seq'), valueBytes),
    ({ url }) => ({ kind: 'read', url: toUrl(url, '/rest/1.0/json', { path: '/large.seq' }) }),
  )

/** One reader lists a directory as JSON, over and over. */
export const openListedIntake: OpenTrial = options =>
  openTrial(
    options,
    fs => makeEntries(join(fs, 'many'), entries),
    ({ url }) => ({ kind: 'read', url: toUrl(url, '/rest/1.0/json', { path: '/many', content: 'false' }) }),
  )

/** A viewer of live events. */
export const openWatchedIntake: OpenTrial = options =>
  openTrial(
    options,
    () => {},
    ({ adminUrl }) => ({ kind: 'look', url: `${adminUrl}/live` }),
  )

/** Beside the process of a pass that merges an hour with 200 files of another table, on the core of the server. */
export const openMergedIntake: OpenTrial = async options => {
  const data = await mkdtemp(join(options.directory, 'merged-'))
  const table = join(data, 'fs/events/Order')
  await writeHour(table, mergedRows, mergedFiles)
  await importHour(data, 'Order')
  const script = join(import.meta.dirname, '../compaction/merge.ts')
  const merging = { script, args: [data], core: 'server', cwd: options.directory } as const
  const trial = await openBeside(
    options,
    () => {},
    () => start(merging, line => line === 'disturbing'),
  )
  return {
    ...trial,
    close: async () => {
      await trial.close()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** One server for all rounds, and one that disturbs it while a round lasts that is not the baseline. */
const openTrial = (
  options: TrialOptions,
  prepare: (fileSystemRoot: string) => void,
  toDisturbance: (server: Server) => DisturbOptions,
): Promise<Trial> => openBeside(options, prepare, server => startDisturbing(options, toDisturbance(server)))

const openBeside = async (
  options: TrialOptions,
  prepare: (fileSystemRoot: string) => void,
  disturb: (server: Server) => Promise<Running>,
): Promise<Trial> => {
  const data = await mkdtemp(join(options.directory, 'intake-'))
  mkdirSync(join(data, 'fs'))
  prepare(join(data, 'fs'))
  const server = await startSluice(options, data, [])
  const close = async (): Promise<void> => {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
  try {
    await runLoad(options.directory, server, { ...steady, durationMs: warmUpMs })
    const run = (): Promise<Sample> => runLoad(options.directory, server, { ...steady, durationMs: options.durationMs })
    return {
      sluice: async () => {
        const disturbing = await disturb(server)
        try {
          return await run()
        } finally {
          await disturbing.stop('SIGKILL')
        }
      },
      baseline: run,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const startDisturbing = ({ directory: cwd }: TrialOptions, options: DisturbOptions) =>
  start(
    { script: join(import.meta.dirname, '../disturb.ts'), args: [JSON.stringify(options)], core: 'load', cwd },
    line => line === 'disturbing',
  )

/** Single events at {@link requestsPerSecond}. */
export const steady = { kind: 'post', connections, requestsPerSecond } as const

/** The p99 of a steady load is that of its few stalls: cold code makes it a matter of luck. */
export const warmUpMs = 5_000
const leastMs = 8_000

/** Intake by a fresh server, which a short round would say little of. */
export const load = ({ directory, durationMs }: TrialOptions, server: Server): Promise<Sample> =>
  runLoad(directory, server, { ...steady, warmUpMs, durationMs: Math.max(durationMs, leastMs) })
