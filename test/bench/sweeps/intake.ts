/** What intake takes, over the number of connections, and the sizes of events and batches. */
import { eventBytes, eventsPerBatch, leastEventBytes, type RequestKind, type Shape } from '../events.ts'
import { measure, type Sample } from '../measure.ts'
import { toRefused } from '../report.ts'
import type { Panel, Sweep } from './sweep.ts'

/** Both sides of a plot of intake. */
export const sides = ['Sluice', 'node:http'] as const

/** The plots that all sweeps of intake begin with. */
export const intakePanels: readonly Panel[] = [
  { y: { label: 'events/s' }, series: sides },
  { y: { label: 'p99 (ms)', scale: 'log' }, series: sides },
]

type Load = { readonly kind: RequestKind; readonly connections: number; readonly shape?: Shape }

/** What Sluice refused, if anything. */
export const toNote = (sluice: Sample): { readonly note?: string } => {
  const [refused] = toRefused(sluice)
  return refused === undefined ? {} : { note: `${refused} by Sluice, with 503` }
}

/** A sweep whose points differ in their load alone, each on fresh processes and an empty directory. */
const overLoad = (facts: Omit<Sweep, 'open'>, toLoad: (x: number) => Load, hasBytes = false): Sweep => ({
  ...facts,
  open: async options => ({
    measure: async x => {
      const load = toLoad(x)
      const baseline = await measure({ server: 'baseline', ack: 'fsync', ...load }, options)
      const sluice = await measure({ server: 'sluice', ack: 'fsync', ...load }, options)
      const both = [sluice, baseline]
      const megabytes = hasBytes ? [both.map(({ rate }) => (rate * x) / 1e6)] : []
      const reading = [both.map(({ rate }) => rate), both.map(({ p99Ms }) => p99Ms), ...megabytes]
      return { reading, ...toNote(sluice) }
    },
    close: async () => {},
  }),
})

/** Connections that each send one event after the other. */
export const connectionsSweep: Sweep = overLoad(
  {
    name: 'connections',
    title: 'Intake over connections',
    what: 'One event a POST.',
    x: { label: 'connections', scale: 'log' },
    xs: [1, 2, 4, 16, 64, 128, 256, 512, 1_000, 2_000],
    panels: intakePanels,
  },
  connections => ({ kind: 'post', connections }),
)

/** Single events from small ones to very large ones. */
export const eventSizeSweep: Sweep = overLoad(
  {
    name: 'event-size',
    title: 'Intake over the size of an event',
    what: 'One event a POST, 64 connections.',
    x: { label: 'bytes of an event', scale: 'log' },
    xs: [leastEventBytes, eventBytes, 1_000, 4_000, 16_000, 64_000, 256_000],
    panels: [
      { y: { label: 'events/s', scale: 'log' }, series: sides },
      ...intakePanels.slice(1),
      { y: { label: 'MB/s' }, series: sides },
    ],
  },
  bytes => ({ kind: 'post', connections: 64, shape: { bytes } }),
  true,
)

/** Batches from one event on. */
export const batchSweep: Sweep = overLoad(
  {
    name: 'batch-size',
    title: 'Intake over the size of a batch',
    what: 'Arrays of events, 64 connections.',
    x: { label: 'events of a batch', scale: 'log' },
    xs: [1, 3, 10, 30, eventsPerBatch, 300, 1_000],
    panels: intakePanels,
  },
  events => ({ kind: 'batch', connections: 64, shape: { events } }),
)
