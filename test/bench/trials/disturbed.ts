/** A2: intake while somebody watches the server, or reads a large file of it, against the same server left alone. */
import { linkSync, mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DisturbOptions } from '../disturb.ts'
import { writeSequenceFile } from '../files.ts'
import { runLoad } from '../load-run.ts'
import type { Sample } from '../measure.ts'
import { start } from '../process.ts'
import { type Server, startSluice } from '../servers.ts'
import { toUrl } from '../transfer-run.ts'
import { type OpenTrial, type Trial, type TrialOptions, withoutProfile } from '../trial.ts'

const valueBytes = 1e9
const connections = 128
/** About a third of what one core takes: with all it takes, p99 would only say how the core is shared. */
export const requestsPerSecond = 4_000

/** `read` of everything, `list` and `/metrics`, once a second. */
export const openPolledIntake: OpenTrial = async options =>
  openTrial(
    options,
    () => {},
    ({ adminUrl }) => ({ kind: 'poll', url: adminUrl }),
  )

/** One reader takes all rows of a sequence file, over and over. */
export const openReadIntake: OpenTrial = async options => {
  const path = join(options.directory, 'large.seq')
  writeSequenceFile(path, valueBytes)
  return openTrial(
    options,
    fs => linkSync(path, join(fs, 'large.seq')),
    ({ url }) => ({ kind: 'read', url: toUrl(url, '/rest/1.0/json', { path: '/large.seq' }) }),
    () => rm(path),
  )
}

const openTrial = (
  options: TrialOptions,
  prepare: (fileSystemRoot: string) => void,
  toDisturbance: (server: Server) => DisturbOptions,
  close: () => Promise<void> = async () => {},
): Trial => {
  const run = async (isDisturbed: boolean): Promise<Sample> => {
    const data = await mkdtemp(join(options.directory, 'intake-'))
    mkdirSync(join(data, 'fs'))
    prepare(join(data, 'fs'))
    const server = await startSluice(isDisturbed ? options : withoutProfile(options), data, [])
    try {
      const disturbing = isDisturbed ? await startDisturbing(options, toDisturbance(server)) : undefined
      try {
        return await load(options, server)
      } finally {
        await disturbing?.stop('SIGKILL')
      }
    } finally {
      await server.stop()
      await rm(data, { recursive: true, force: true })
    }
  }
  return { sluice: () => run(true), baseline: () => run(false), close }
}

const startDisturbing = ({ directory: cwd }: TrialOptions, options: DisturbOptions) =>
  start(
    { script: join(import.meta.dirname, '../disturb.ts'), args: [JSON.stringify(options)], core: 'load', cwd },
    line => line === 'disturbing',
  )

/** The p99 of a steady load is that of its few stalls: cold code and a short round make it a matter of luck. */
const warmUpMs = 5_000
const leastMs = 8_000

/** Intake of single events at {@link requestsPerSecond}. */
export const load = ({ directory, durationMs }: TrialOptions, server: Server): Promise<Sample> =>
  runLoad(directory, server, {
    kind: 'post',
    connections,
    requestsPerSecond,
    warmUpMs,
    durationMs: Math.max(durationMs, leastMs),
  })
