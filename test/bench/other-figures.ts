import { eventsPerBatch, type RequestKind } from './events.ts'
import type { Figure, FigureFacts } from './figure.ts'
import type { OtherName } from './others/others.ts'
import { httpFsFigures } from './transfer-figures.ts'
import { jvmWarmUpMs } from './trials/beside.ts'

type Beside = Pick<FigureFacts, 'id' | 'what' | 'baselineIs'> & {
  readonly other: OtherName
  readonly connections: number
  /** What Sluice is sent, and the other one. */
  readonly kinds: readonly [RequestKind, RequestKind]
  /** Events/s, to those of the other. */
  readonly least: number
  readonly warmUpMs?: number
}

const beside = ({ other, kinds: [own, its], least, connections, warmUpMs: warmUp, ...facts }: Beside): Figure => {
  const load = { connections, ...(warmUp === undefined ? {} : { warmUpMs: warmUp }) }
  return {
    ...facts,
    section: 'others',
    sluice: { server: 'sluice', ack: 'fsync', kind: own, ...load },
    baseline: { other, kind: its, ...load },
    unit: 'events/s',
    value: ({ rate }) => rate,
    // A rate is that of the server where it had no time left; else the load, the disk or others were in its way.
    note: ({ rate, cpuUs }) => `${Math.round((rate * cpuUs) / 1e4)} % of a core`,
    ratio: (sluice, baseline) => sluice.rate / baseline.rate,
    goal: `≥ ${least} ×, of CPU time, too`,
    // A rate alone also says how much of the machine others took meanwhile, of the one side more than of the other.
    isMet: ({ ratio, sluice, baseline }) => ratio >= least && baseline.cpuUs >= least * sluice.cpuUs,
  }
}

/** Sluice beside software that takes the same events and promises something else, or the same. */
export const otherFigures: readonly Figure[] = [
  beside({
    id: 'O1',
    what: 'GET /1 beside nginx, each line written',
    baselineIs: 'nginx',
    other: 'nginx',
    kinds: ['get1', 'get1'],
    connections: 128,
    least: 0.5,
  }),
  beside({
    id: 'O1',
    what: 'GET /1 beside nginx, `buffer=64k`',
    baselineIs: 'nginx, buffered',
    other: 'nginx-buffered',
    kinds: ['get1', 'get1'],
    connections: 128,
    least: 0.5,
  }),
  beside({
    id: 'O2',
    what: 'one event a POST, 128 connections, beside Flume',
    baselineIs: 'Flume',
    other: 'flume',
    kinds: ['post', 'flume'],
    connections: 128,
    least: 1,
    warmUpMs: jvmWarmUpMs,
  }),
  beside({
    id: 'O2',
    what: `${eventsPerBatch} events a POST, beside Flume`,
    baselineIs: 'Flume',
    other: 'flume',
    kinds: ['batch', 'flume-batch'],
    connections: 64,
    least: 1,
    warmUpMs: jvmWarmUpMs,
  }),
  ...httpFsFigures,
]
