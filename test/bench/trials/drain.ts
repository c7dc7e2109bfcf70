/**
 * P9: a backlog goes to the file system while events still arrive. First events are taken as fast as possible with
 * flushing disabled; then they arrive at a fixed rate, flushing is enabled, and what is committed is compared with what
 * is kept in the same time, until the backlog is gone or the time is over.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { missingForHdfs } from '../../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../../scripts/hdfs/cluster.ts'
import type { Shape } from '../events.ts'
import { hdfsSettings } from '../hdfs.ts'
import { runLoad, toWarmUpMs } from '../load-run.ts'
import type { Sample } from '../measure.ts'
import { type Server, startSluice } from '../servers.ts'
import { createSpoolWatch, type SpoolFigures, type SpoolWatch } from '../spool-watch.ts'
import { startStore } from '../store.ts'
import { type OpenTrial, Skipped, type Trial, type TrialOptions } from '../trial.ts'

/** Single events a second that arrive meanwhile: more than a third of what one core takes. */
export const eventsPerSecond = 10_000

const connections = 128
const backlogConnections = 64
const lookEveryMs = 20
/** Longest time that is watched, in durations of the run: as much arrives at full speed in one as drains in a few. */
const maxDurations = 3
/** The load runs on until the last look, however long a look takes. */
const spareMs = 500

/** Files of about 50 000 events, so that what is committed grows in small steps; sealed each second. */
const smallSteps = ['flush-interval-seconds=1', 'max-segment-bytes=16777216'].map(one => `collector.diskspool.${one}`)

/** How often a table gets a snapshot, in s: often enough for a run of some seconds, 12 times as often as by default. */
export const snapshotSeconds = 5

/** What events become: files of a format, or tables. */
export type Output = {
  readonly format: 'native' | 'parquet' | 'iceberg'
  /**
   * How many event types take turns: then segments and snapshots are those of the defaults, because each has a file of each
   * type, and a run has to last minutes. @default few, as in {@link Shape}
   */
  readonly types?: number
}

const toSettings = ({ format, types }: Output): readonly string[] => {
  const isOfMany = types !== undefined
  const table = ['table=iceberg', ...(isOfMany ? [] : [`snapshot-seconds=${snapshotSeconds}`])]
  const output = format === 'iceberg' ? ['format=parquet', ...table] : [`format=${format}`]
  return ['services=collector', ...(isOfMany ? [] : smallSteps), ...output.map(one => `collector.output.${one}`)]
}

/** To the embedded file system. */
export const openLocalDrain =
  (output: Output): OpenTrial =>
  async options =>
    openDrain(options, output, toSettings(output), async () => {})

/** To a real HDFS. */
export const openHdfsDrain =
  (output: Output): OpenTrial =>
  async options => {
    const missing = await missingForHdfs()
    if (missing !== undefined) throw new Skipped(`no HDFS, ${missing}`)
    const cluster = await startCluster({ maxHeapMb: 512 })
    return openDrain(options, output, [...toSettings(output), ...hdfsSettings(cluster)], () => cluster.stop())
  }

/** To S3Mock, a store that speaks S3. */
export const openS3Drain =
  (output: Output): OpenTrial =>
  async options => {
    const store = await startStore()
    return openDrain(options, output, [...toSettings(output), ...store.settings], store.stop)
  }

type Drained = { readonly kept: Sample; readonly committed: Sample }

/** Both sides are of one run: the one that is asked first makes it, the other one hands over its part. */
const openDrain = (
  options: TrialOptions,
  { types }: Output,
  own: readonly string[],
  close: () => Promise<void>,
): Trial => {
  const shape = types === undefined ? {} : { types }
  let other: Sample | undefined
  const sideOf = (part: keyof Drained) => async (): Promise<Sample> => {
    if (other) {
      const sample = other
      other = undefined
      return sample
    }
    const drained = await run(options, own, shape)
    other = drained[part === 'kept' ? 'committed' : 'kept']
    return drained[part]
  }
  return { baseline: sideOf('kept'), sluice: sideOf('committed'), close }
}

const run = async (options: TrialOptions, all: readonly string[], shape: Shape): Promise<Drained> => {
  const data = await mkdtemp(join(options.directory, 'drain-'))
  const server = await startSluice(options, data, all)
  try {
    return await drain(options, server, shape)
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
}

const drain = async ({ directory, durationMs }: TrialOptions, server: Server, shape: Shape): Promise<Drained> => {
  const watch = createSpoolWatch(server.adminUrl)
  await watch.exec('disableFlush')
  await runLoad(directory, server, { kind: 'batch', shape, connections: backlogConnections, durationMs })
  const warmUpMs = toWarmUpMs(durationMs)
  const longestMs = durationMs * maxDurations
  const intake = runLoad(directory, server, {
    kind: 'post',
    shape,
    connections,
    requestsPerSecond: eventsPerSecond,
    warmUpMs,
    durationMs: longestMs + spareMs,
  })
  const [taken, { from, to }] = await Promise.all([intake, flush(watch, warmUpMs, longestMs)])
  if (to.flushErrors > 0) throw new Error(`${to.flushErrors} files could not be committed`)
  const { p50Ms, p99Ms, maxMs, refusedShare = 0 } = taken
  const of = (events: (figures: SpoolFigures) => number): Sample => ({
    rate: ((events(to) - events(from)) * 1_000) / (to.at - from.at),
    p50Ms,
    p99Ms,
    maxMs,
    cpuUs: 0,
    refusedShare,
  })
  return { kept: of(({ written }) => written), committed: of(({ flushed }) => flushed) }
}

/** Enables flushing once the load is warm, and looks until as much has gone as waited then, or the time is over. */
const flush = async (
  watch: SpoolWatch,
  warmUpMs: number,
  longestMs: number,
): Promise<{ readonly from: SpoolFigures; readonly to: SpoolFigures }> => {
  await setTimeout(warmUpMs)
  const from = await watch.read()
  await watch.exec('enableFlush')
  for (;;) {
    await setTimeout(lookEveryMs)
    const to = await watch.read()
    if (to.flushed - from.flushed >= from.waiting || to.at - from.at >= longestMs) return { from, to }
  }
}
