import { type Figure, type Measured, minRoundsOfP99 } from './figure.ts'
import { openBeanPage } from './trials/beans.ts'
import {
  openListedIntake,
  openMergedIntake,
  openPolledIntake,
  openReadIntake,
  openWatchedIntake,
  requestsPerSecond,
} from './trials/disturbed.ts'
import { noise, openNoisyIntake } from './trials/noisy.ts'

const p99 = {
  unit: 'ms p99',
  value: ({ p99Ms }: Measured) => p99Ms,
  note: ({ rate }: Measured) => `${(rate / 1_000).toFixed(1)} K/s`,
  ratio: (sluice: Measured, baseline: Measured) => sluice.p99Ms / baseline.p99Ms,
} as const

/** The management, and what it and the gateway do to the intake, in the order of the table. */
export const managementFigures: readonly Figure[] = [
  {
    id: 'A1',
    what: '100 of 5 000 beans',
    open: openBeanPage,
    baselineIs: '`JSON.stringify`',
    ...p99,
    goal: '≤ 10 ms',
    isMet: ({ sluice }) => sluice.p99Ms <= 10,
  },
  {
    id: 'A2',
    what: `events at ${requestsPerSecond}/s, management read each second`,
    open: openPolledIntake,
    baselineIs: 'undisturbed',
    ...p99,
    goal: '≤ 1.1 ×',
    isMet: ({ ratio }) => ratio <= 1.1,
    minRounds: minRoundsOfP99,
  },
  {
    id: 'A2',
    what: `events at ${requestsPerSecond}/s, while a console looks at them`,
    open: openWatchedIntake,
    baselineIs: 'undisturbed',
    ...p99,
    goal: '≤ 1.1 ×',
    isMet: ({ ratio }) => ratio <= 1.1,
    minRounds: minRoundsOfP99,
  },
  {
    id: 'A2',
    what: `events at ${requestsPerSecond}/s, while a 1 GB sequence file is read as rows`,
    open: openReadIntake,
    baselineIs: 'undisturbed',
    ...p99,
    goal: '≤ 1.5 ×',
    isMet: ({ ratio }) => ratio <= 1.5,
    minRounds: minRoundsOfP99,
  },
  {
    id: 'A2',
    what: `events at ${requestsPerSecond}/s, while a directory of 250 000 is listed`,
    open: openListedIntake,
    baselineIs: 'undisturbed',
    ...p99,
    goal: '≤ 1.5 ×',
    isMet: ({ ratio }) => ratio <= 1.5,
    minRounds: minRoundsOfP99,
  },
  {
    id: 'A2',
    what: `events at ${requestsPerSecond}/s, while an hour of a table is compacted`,
    open: openMergedIntake,
    baselineIs: 'undisturbed',
    ...p99,
    goal: '≤ 1.5 ×',
    isMet: ({ ratio }) => ratio <= 1.5,
    minRounds: minRoundsOfP99,
  },
  {
    id: 'A3',
    what: `events at ${requestsPerSecond}/s of 128 senders, while another sends ${noise} × its quota`,
    open: openNoisyIntake,
    baselineIs: 'without that one',
    ...p99,
    goal: '≤ 1.2 ×',
    isMet: ({ ratio }) => ratio <= 1.2,
    minRounds: minRoundsOfP99,
  },
]
