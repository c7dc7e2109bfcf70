import type { Figure, Measured } from '../figure.ts'
import { type OpenTrial, withoutProfile } from '../trial.ts'
import { openBesideKafka } from './beside-kafka.ts'
import { toProcessesText, totalUs } from './processes-cpu.ts'
import { eventsPerGroup, openThreeNodes } from './three-nodes.ts'
import { connections } from './under-load.ts'

/** MB that a collector with a log in HDFS may have more. */
const mostMoreMb = 64

const openReplicated: OpenTrial = async options => {
  const nodes = await openThreeNodes(options)
  return {
    sluice: () => nodes.runSluice(options, 'replicated'),
    baseline: () => nodes.runSluice(withoutProfile(options), 'fsync'),
    close: () => nodes.close(),
  }
}

const openGroups: OpenTrial = async options => {
  const nodes = await openThreeNodes(options)
  return {
    sluice: () => nodes.runGroups(options, 'hsync'),
    baseline: () => nodes.runGroups(options, 'hflush'),
    close: () => nodes.close(),
  }
}

const ofAll = ({ processesUs = {} }: Measured): number => totalUs(processesUs)
const processesOf = ({ processesUs = {} }: Measured): string => toProcessesText(processesUs)
const withMemory = (measured: Measured): string => `${processesOf(measured)}, ${Math.round(measured.megabytes ?? 0)} MB`

const posts = `one event a POST, ${connections} connections`

/** The cost of having an event on three machines before its 202. */
export const replicatedFigures: readonly Figure[] = [
  {
    id: 'P13',
    section: 'replicated',
    what: `${posts}, \`collector.ack=replicated\`, all sealed`,
    others: ['hdfs'],
    open: openReplicated,
    baselineIs: '`ack=fsync`',
    unit: 'events/s',
    value: ({ rate }) => rate,
    note: withMemory,
    ratio: (sluice, baseline) => sluice.cpuUs / baseline.cpuUs,
    goal: `CPU of Sluice ≤ 1.3 ×, p50 ≤ 8 ms, p99 ≤ 40 ms, ≤ ${mostMoreMb} MB more`,
    isMet: ({ ratio, sluice, baseline }) =>
      ratio <= 1.3 &&
      sluice.p50Ms <= 8 &&
      sluice.p99Ms <= 40 &&
      (sluice.megabytes ?? 0) - (baseline.megabytes ?? 0) <= mostMoreMb,
  },
  {
    id: 'P13',
    section: 'replicated',
    what: 'CPU of all, beside a server that gathers for three Kafka brokers',
    others: ['hdfs', 'kafka'],
    open: openBesideKafka,
    baselineIs: '`node:http`, `acks=all`',
    unit: 'events/s',
    value: ({ rate }) => rate,
    note: processesOf,
    ratio: (sluice, baseline) => ofAll(sluice) / ofAll(baseline),
    goal: 'CPU of all ≤ 0.5 ×',
    isMet: ({ ratio }) => ratio <= 0.5,
  },
  {
    id: 'P13',
    section: 'replicated',
    what: `log alone, groups of ${eventsPerGroup} events, \`hsync\``,
    others: ['hdfs'],
    open: openGroups,
    baselineIs: '`hflush`',
    unit: 'ms p50',
    value: ({ p50Ms }) => p50Ms,
    note: processesOf,
    ratio: (hsync, hflush) => hsync.p50Ms / hflush.p50Ms,
    goal: 'p50 ≤ 8 ms, p99 ≤ 40 ms',
    isMet: ({ sluice: { p50Ms, p99Ms } }) => p50Ms <= 8 && p99Ms <= 40,
  },
]
