/** A3: the events of many senders within their quota, while another one sends a hundred times as much as it may. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runLoad } from '../load-run.ts'
import type { Sample } from '../measure.ts'
import { startSluice } from '../servers.ts'
import type { OpenTrial } from '../trial.ts'
import { steady, warmUpMs } from './disturbed.ts'

/** What the noisy one sends, times what it may. */
export const noise = 100

/** More than each of the others sends: they are 128 for 4 000 a second. */
const eventsPerSecond = 40

/** Connections of the noisy one. */
const connections = 32

/** Each connection of the others is a sender of its own. */
const others = Array.from({ length: steady.connections }, (_, i) => `127.1.0.${i + 1}`)

/** One server for all rounds. */
export const openNoisyIntake: OpenTrial = async options => {
  const data = await mkdtemp(join(options.directory, 'noisy-'))
  const quota = [`collector.quota.events-per-second=${eventsPerSecond}`]
  const server = await startSluice(options, data, quota)
  const run = (durationMs: number): Promise<Sample> =>
    runLoad(options.directory, server, { ...steady, from: others, durationMs })
  const shout = (durationMs: number): Promise<Sample> =>
    runLoad(options.directory, server, {
      kind: 'post',
      connections,
      from: ['127.0.0.2'],
      requestsPerSecond: noise * eventsPerSecond,
      durationMs,
    })
  const close = async (): Promise<void> => {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
  try {
    await Promise.all([run(warmUpMs), shout(warmUpMs)])
    return {
      sluice: async () => {
        const [sample, refused] = await Promise.all([run(options.durationMs), shout(options.durationMs)])
        if (refused.refusedShare === undefined || refused.refusedShare < 0.9) {
          throw new Error(`Of the noisy one ${refused.refusedShare} was refused, and not nearly all`)
        }
        if (sample.refusedShare) throw new Error(`Of the others ${sample.refusedShare} was refused`)
        return sample
      },
      baseline: () => run(options.durationMs),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
