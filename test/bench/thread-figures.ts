import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventBytes, eventsPerBatch, type RequestKind } from './events.ts'
import { atMost, type Figure, type Measured } from './figure.ts'
import { runLoad } from './load-run.ts'
import type { MeasureOptions, Sample } from './measure.ts'
import { startSluice } from './servers.ts'
import { type OpenTrial, withoutProfile } from './trial.ts'

type Load = { readonly kind: RequestKind; readonly connections: number }

const run = async (options: MeasureOptions, threads: number, { kind, connections }: Load): Promise<Sample> => {
  const data = await mkdtemp(join(options.directory, 'threads-'))
  const settings = ['services=collector', `server.threads=${threads}`]
  const server = await startSluice(options, data, settings, 'both')
  try {
    return await runLoad(options.directory, server, { kind, connections, durationMs: options.durationMs })
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/** The same load on two servers that differ in their threads. */
const openThreads =
  (threads: number, load: Load): OpenTrial =>
  async options => ({
    sluice: () => run(options, threads, load),
    baseline: () => run(withoutProfile(options), 1, load),
    close: async () => {},
  })

const costOf = (threads: number, what: string, load: Load): Figure => ({
  id: 'P10',
  what: `CPU of an event with ${threads} edge threads, ${what}, ${load.connections} connections, two cores, the load on one of them`,
  open: openThreads(threads, load),
  baselineIs: '`server.threads=1`',
  unit: 'events/s',
  value: ({ rate }: Measured) => rate,
  note: ({ cpuUs }: Measured) => `${cpuUs.toFixed(1)} µs an event`,
  ratio: (sluice, baseline) => sluice.cpuUs / baseline.cpuUs,
  ...atMost(1.1),
})

const single: Load = { kind: 'post', connections: 128 }
const batch: Load = { kind: 'batch', connections: 64 }

/** What threads cost; what they bring needs more cores than two. */
export const threadFigures: readonly Figure[] = [2, 4].flatMap(threads => [
  costOf(threads, `POST of one ${eventBytes}-byte JSON event`, single),
  costOf(threads, `POST of ${eventsPerBatch} JSON events of ${eventBytes} bytes`, batch),
])
