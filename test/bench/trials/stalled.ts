/** G8: many clients that ask for a large file and read nothing, while events arrive. */
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeText } from '../files.ts'
import { runLoad } from '../load-run.ts'
import type { Sample } from '../measure.ts'
import { median } from '../median.ts'
import { hasProc, measureGrowth, readResidentMb } from '../proc.ts'
import { start } from '../process.ts'
import { type Server, startSluice } from '../servers.ts'
import type { StallOptions } from '../stall.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type TrialOptions, withoutProfile } from '../trial.ts'
import { steady, warmUpMs } from './disturbed.ts'

export const clients = 1_000
const fileBytes = 100e6
/** Comings and goings of all clients: what one leaves is what the next one uses. */
const waves = 3
/** All of them are answered: one address may have eight ninths of this. */
const settings = [`gateway.max-reads=${Math.ceil((clients * 9) / 8) + 1}`]

export const openStalledRows: OpenTrial = options => openTrial(options, '/rest/1.0/json')
export const openStalledBytes: OpenTrial = options => openTrial(options, '/rest/1.0/binary')

const openTrial = async (options: TrialOptions, route: string) => {
  if (!hasProc) throw new Skipped('no /proc here: memory cannot be watched')
  const run = async (on: TrialOptions, measure: (server: Server, url: string) => Promise<Sample>): Promise<Sample> => {
    const data = await mkdtemp(join(options.directory, 'stalled-'))
    mkdirSync(join(data, 'fs'))
    writeText(join(data, 'fs', 'large'), fileBytes)
    const server = await startSluice(on, data, settings)
    try {
      const url = toUrl(server.url, route, { path: '/large' })
      await transfer(options, { url })
      await load(options, server, warmUpMs)
      return await measure(server, url)
    } finally {
      await server.stop()
      await rm(data, { recursive: true, force: true })
    }
  }
  return {
    sluice: () => run(options, (server, url) => measureWaves(options, server, url)),
    baseline: () => run(withoutProfile(options), server => load(options, server, options.durationMs)),
    close: async () => {},
  }
}

const load = ({ directory }: TrialOptions, server: Server, durationMs: number): Promise<Sample> =>
  runLoad(directory, server, { ...steady, durationMs, warmUpMs: 0 })

/** Growth is against the memory before the first wave; the latencies are those of the middle one. */
const measureWaves = async (options: TrialOptions, server: Server, url: string): Promise<Sample> => {
  const before = readResidentMb(server.pid)
  const samples: (Sample & { readonly megabytes: number })[] = []
  for (let wave = 0; wave < waves; wave++) {
    const base = readResidentMb(server.pid) - before
    const { growthMb, done } = await measureGrowth(server.pid, async () => {
      const loaded = load(options, server, options.durationMs)
      const stalled = await startStalling(options, { url, connections: clients })
      try {
        if (!isAnswered.test(stalled.line)) throw new Error(`${url} was answered with ${stalled.line}`)
        return await loaded
      } finally {
        await stalled.stop('SIGKILL')
      }
    })
    await idle(server)
    samples.push({ ...done, megabytes: base + growthMb })
  }
  const growths = samples.map(({ megabytes }) => megabytes)
  const middle = (of: (sample: Sample) => number): number => median(samples.map(of))
  return {
    rate: middle(({ rate }) => rate),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    maxMs: middle(({ maxMs }) => maxMs),
    cpuUs: middle(({ cpuUs }) => cpuUs),
    megabytes: Math.max(...growths),
    driftMb: (growths.at(-1) ?? 0) - (growths[0] ?? 0),
  }
}

const startStalling = ({ directory: cwd }: TrialOptions, options: StallOptions) =>
  start(
    { script: join(import.meta.dirname, '../stall.ts'), args: [JSON.stringify(options)], core: 'load', cwd },
    line => line.startsWith('{"stalled"'),
  )

/** All with 200, or 503 for some where a setting bounds them. */
const isAnswered = /^\{"stalled":\{"200":\d+(,"503":\d+)?\}\}$/

const pollMs = 100

/** Resolves when no read is active any more. */
const idle = async ({ adminUrl }: Server): Promise<void> => {
  for (;;) {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    if (/^gateway_reads 0$/m.test(metrics)) return
    await setTimeout(pollMs)
  }
}
