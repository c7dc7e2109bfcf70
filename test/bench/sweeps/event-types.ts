/** What intake takes over the number of event types, and what their files take on the way to the file system. */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { eventsPerBatch } from '../events.ts'
import { runLoad } from '../load-run.ts'
import { type MeasureOptions, measure } from '../measure.ts'
import { startSluice } from '../servers.ts'
import { createSpoolWatch, type SpoolWatch } from '../spool-watch.ts'
import { intakePanels, toNote } from './intake.ts'
import type { Sweep } from './sweep.ts'

const connections = 64
const lookEveryMs = 50
/** Longest time that commits are watched. */
const maxCommitMs = 30_000

/** Events are flushed only on request: one segment, one file per type. */
const settings = [
  'services=collector',
  'collector.diskspool.flush-interval-seconds=100_000_000',
  `collector.diskspool.max-segment-bytes=${2 ** 30}`,
]

/** From one event type to as many as fit into a segment. */
export const eventTypesSweep: Sweep = {
  name: 'event-types',
  title: 'Intake over the number of event types',
  what: `Batches of ${eventsPerBatch}, types in turn, 64 connections; then everything is sealed and committed without load (at most ${maxCommitMs / 1_000} s).`,
  x: { label: 'event types', scale: 'log' },
  xs: [1, 10, 100, 1_000, 10_000],
  panels: [...intakePanels, { y: { label: 'sealed + committed (events/s)', scale: 'log' }, series: ['Sluice'] }],
  open: async options => ({
    measure: async types => {
      const load = { kind: 'batch', connections, shape: { types } } as const
      const baseline = await measure({ server: 'baseline', ack: 'fsync', ...load }, options)
      const { taken, eventsPerSecond } = await takeAndCommit(options, load)
      const reading = [[taken.rate, baseline.rate], [taken.p99Ms, baseline.p99Ms], [eventsPerSecond]]
      return { reading, ...toNote(taken) }
    },
    close: async () => {},
  }),
}

const takeAndCommit = async (options: MeasureOptions, load: Omit<Parameters<typeof runLoad>[2], 'durationMs'>) => {
  const data = await mkdtemp(join(options.directory, 'types-'))
  const server = await startSluice(options, data, settings)
  try {
    const watch = createSpoolWatch(server.adminUrl)
    await watch.exec('disableFlush')
    const taken = await runLoad(options.directory, server, { ...load, durationMs: options.durationMs })
    return { taken, eventsPerSecond: await commitAll(watch) }
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/** Events/s until everything is in the file system, or as far as it got; undefined when that was nowhere. */
const commitAll = async (watch: SpoolWatch): Promise<number | undefined> => {
  const before = await watch.read()
  // Its answer may be too late; what it does is counted.
  watch.exec('processLeftBelowFiles').catch(() => {})
  for (;;) {
    await setTimeout(lookEveryMs)
    const { at, flushed, waiting } = await watch.read()
    if (waiting > 0 && at - before.at < maxCommitMs) continue
    return flushed === before.flushed ? undefined : ((flushed - before.flushed) * 1_000) / (at - before.at)
  }
}
