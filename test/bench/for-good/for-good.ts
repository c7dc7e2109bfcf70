/**
 * P14: the rate that one core can sustain. First events arrive as fast as they are accepted, and all of them are sealed
 * and committed, which gives the full cost of an event. Then they arrive slightly below the rate that this cost allows,
 * while files are sealed and committed, and the backlog is measured at both ends. A rate at which it grows is not
 * sustainable: a lower one is tried. The cost of an event is measured again with edge threads, for the model of more
 * cores.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { OutputFormat } from '../../../src/spool/files/bucket-file.ts'
import { runLoad } from '../load-run.ts'
import { type MeasureOptions, measure, type Sample, type WithEdges } from '../measure.ts'
import { type Server, startSluice } from '../servers.ts'
import { createSpoolWatch, type SpoolWatch, untilCommitted } from '../spool-watch.ts'
import { type OpenTrial, withoutProfile } from '../trial.ts'
import { isLevel, toBacklog, type Waiting } from './backlog.ts'
import { readThreadCpu, type ThreadCpu } from './thread-cpu.ts'

const connections = 128
const kind = 'post'

/** Of the server: many in a run, so that its ends can be compared. */
const flushSeconds = 5
const intervalMs = flushSeconds * 1_000

/** A run that counts takes so many of `--seconds`: a minute by default. */
const durations = 12

/** Shares of what the price leaves, in the order in which they are tried. */
const shares = [0.95, 0.85, 0.75, 0.65, 0.55] as const

/** Of the rate that was wanted, what has to be taken. */
const leastTaken = 0.98

const lookEveryMs = 100

/** Beside a bare server that seals nothing. */
export const openForGood =
  (format: OutputFormat): OpenTrial =>
  async options => ({
    sluice: () => run(options, format),
    baseline: () => measure({ server: 'baseline', ack: 'fsync', kind, connections }, withoutProfile(options)),
    close: async () => {},
  })

/** More would not show more of them: all are on one core. */
const edgeThreads = 2

const run = async (options: MeasureOptions, format: OutputFormat): Promise<Sample> => {
  const alone = await withServer(options, format, 1, (server, watch) => findRate(options, server, watch))
  const withEdges = await withServer(options, format, edgeThreads, (server, watch) => findPrice(options, server, watch))
  return { ...alone, withEdges }
}

const withServer = async <T>(
  options: MeasureOptions,
  format: OutputFormat,
  threads: number,
  body: (server: Server, watch: SpoolWatch) => Promise<T>,
): Promise<T> => {
  const data = await mkdtemp(join(options.directory, 'good-'))
  const settings = [
    'services=collector',
    `server.threads=${threads}`,
    `collector.output.format=${format}`,
    `collector.diskspool.flush-interval-seconds=${flushSeconds}`,
  ]
  const server = await startSluice(options, data, settings)
  try {
    return await body(server, createSpoolWatch(server.adminUrl))
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/** The first of the rates that can be for good. */
const findRate = async (options: MeasureOptions, server: Server, watch: SpoolWatch): Promise<Sample> => {
  const { cpuUs } = await findPrice(options, server, watch)
  let why = ''
  for (const share of shares) {
    const outcome = await sustain(options, server, watch, (share * 1e6) / cpuUs)
    if (typeof outcome !== 'string') return outcome
    why = outcome
    await untilCommitted(watch)
  }
  // By its CPU time it should have done: others have a part of its core, or it waits.
  throw new Error(`${why}, although an event takes ${cpuUs.toFixed(1)} µs of CPU until it is committed`)
}

/** CPU time of an event in µs, until it is in the file system; of the second time, when the code is compiled. */
const findPrice = async (
  { directory, durationMs }: MeasureOptions,
  server: Server,
  watch: SpoolWatch,
): Promise<WithEdges> => {
  await runLoad(directory, server, { kind, connections, durationMs })
  const from = await untilCommitted(watch)
  const before = readThreadCpu(server.pid)
  await runLoad(directory, server, { kind, connections, durationMs: 2 * durationMs })
  const to = await untilCommitted(watch)
  return toPriceOf(before, readThreadCpu(server.pid), to.written - from.written)
}

/** The cost of each event between two samples. */
const toPriceOf = (before: ThreadCpu, after: ThreadCpu, events: number): WithEdges => {
  const usOf = (part: keyof ThreadCpu): number => ((after[part] - before[part]) * 1e6) / events
  const [mainUs, edgesUs, sealingUs] = [usOf('main'), usOf('edges'), usOf('sealing')]
  return { cpuUs: mainUs + edgesUs + sealingUs + usOf('others'), mainUs, edgesUs, sealingUs }
}

/** One run at a rate. @returns why it is not sustainable, in words */
const sustain = async (
  { directory, durationMs: oneMs }: MeasureOptions,
  server: Server,
  watch: SpoolWatch,
  requestsPerSecond: number,
): Promise<Sample | string> => {
  const warmUpMs = 2 * intervalMs
  // So that both ends are a whole interval.
  const durationMs = Math.max(durations * oneMs, 2 * intervalMs)
  const load = runLoad(directory, server, { kind, connections, requestsPerSecond, warmUpMs, durationMs })
  const [taken, seen] = await Promise.all([load, look(server, watch, warmUpMs, durationMs)])
  const { events, seconds, price, looks } = seen
  const rate = events / seconds
  const backlog = toBacklog(looks, intervalMs)
  const at = `at ${Math.round(requestsPerSecond)} events/s`
  if (!isLevel(backlog, rate * flushSeconds))
    return `${at} the backlog grew from ${Math.round(backlog.from)} events to ${Math.round(backlog.to)}`
  if (rate < leastTaken * requestsPerSecond) return `${at} only ${Math.round(rate)} were taken`
  const { refusedShare = 0 } = taken
  if (refusedShare > 0) return `${at} a share of ${refusedShare} was refused`
  const { cpuUs, mainUs, sealingUs } = price
  return {
    ...taken,
    rate,
    cpuUs,
    mainUs,
    sealingUs,
    backlogFrom: backlog.from,
    backlogTo: backlog.to,
  }
}

/** What a server does while it is under load. */
const look = async ({ pid }: Server, watch: SpoolWatch, warmUpMs: number, durationMs: number) => {
  await setTimeout(warmUpMs)
  const from = await watch.read()
  const before = readThreadCpu(pid)
  const looks: Waiting[] = [from]
  let to = from
  while (to.at - from.at < durationMs) {
    await setTimeout(lookEveryMs)
    to = await watch.read()
    looks.push(to)
  }
  const events = to.written - from.written
  const price = toPriceOf(before, readThreadCpu(pid), events)
  return { events, seconds: (to.at - from.at) / 1_000, price, looks }
}
