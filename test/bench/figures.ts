import type { BinaryKind } from './binary-posts.ts'
import { eventsPerBatch, largeEventBytes, type RequestKind } from './events.ts'
import { atLeast, atMost, type Figure, type FigureFacts, type FigureSides, type Measured } from './figure.ts'
import { forGoodFigures } from './for-good/for-good-figures.ts'
import { gatewayFigures } from './gateway-figures.ts'
import { managementFigures } from './management-figures.ts'
import { otherFigures } from './other-figures.ts'
import { realtimeFigures } from './realtime-figures.ts'
import { replicatedFigures } from './replicated/replicated-figures.ts'
import { sealingFigures } from './sealing-figures.ts'
import { threadFigures } from './thread-figures.ts'
import type { OpenTrial } from './trial.ts'
import { eventsPerSecond, openHdfsDrain, openLocalDrain, openS3Drain } from './trials/drain.ts'

const rate = ({ rate: value }: Measured): number => value
const p99 = ({ p99Ms }: Measured): number => p99Ms

const bare = '`node:http`'

const ofServer = (kind: RequestKind, connections: number): FigureSides & Pick<FigureFacts, 'baselineIs' | 'unit'> => ({
  sluice: { server: 'sluice', ack: 'fsync', kind, connections },
  baseline: { server: 'baseline', ack: 'fsync', kind, connections },
  baselineIs: bare,
  unit: 'events/s',
})

const share = { value: rate, ratio: (sluice: Measured, baseline: Measured) => sluice.rate / baseline.rate }

/** All figures, in the order of the table. */
export const figures: readonly Figure[] = [
  ...forGoodFigures,
  {
    id: 'P1',
    what: 'one event a POST, 128 connections',
    ...ofServer('post', 128),
    ...share,
    goal: '≥ 1.3 ×, p99 ≤ 10 ms',
    isMet: ({ ratio, sluice }) => ratio >= 1.3 && sluice.p99Ms <= 10,
  },
  {
    id: 'P1',
    what: 'the same, 128 connections, beside sockets alone',
    ...ofServer('post', 128),
    baseline: { server: 'bare-net', ack: 'fsync', kind: 'post', connections: 128 },
    baselineIs: '`node:net`, `JSON.parse`',
    ...share,
    ...atLeast(0.75),
  },
  { id: 'P1', what: 'the same, 512 connections', ...ofServer('post', 512), ...share, ...atLeast(1.3) },
  { id: 'P1', what: 'the same, 2000 connections', ...ofServer('post', 2_000), ...share, ...atLeast(1.2) },
  { id: 'P2', what: 'GET /1, 128 connections', ...ofServer('get1', 128), ...share, ...atLeast(1.2) },
  { id: 'P2', what: 'GET /2, 128 connections', ...ofServer('get2', 128), ...share, ...atLeast(1.2) },
  {
    id: 'P3',
    what: `${eventsPerBatch} events a POST, 64 connections`,
    ...ofServer('batch', 64),
    ...share,
    ...atLeast(1),
  },
  {
    id: 'P4',
    what: `spool alone, batches of ${eventsPerBatch} × ${largeEventBytes} bytes`,
    sluice: { spool: 'spool' },
    baseline: { spool: 'bare' },
    baselineIs: 'write + fdatasync',
    unit: 'MB/s',
    ...share,
    ...atLeast(0.95),
  },
  {
    id: 'P5',
    what: 'cost of `ack=fsync`, 512 connections',
    ...ofServer('post', 512),
    baseline: { server: 'sluice', ack: 'written', kind: 'post', connections: 512 },
    baselineIs: '`ack=written`',
    value: rate,
    ratio: (fsync, written) => written.rate / fsync.rate,
    ...atMost(1.15),
  },
  {
    id: 'P6',
    what: 'p99 on 1 connection',
    ...ofServer('post', 1),
    unit: 'ms p99',
    value: p99,
    ratio: (sluice, baseline) => sluice.p99Ms / baseline.p99Ms,
    ...atMost(1.3),
  },
  againstJson('smile', 'post', 'one Smile event', 128),
  againstJson('thrift', 'post', 'one Thrift field list', 128),
  againstJson('smile-batch', 'batch', `${eventsPerBatch} Smile events`, 64),
  againstJson('thrift-batch', 'batch', `${eventsPerBatch} Thrift envelopes`, 64),
  {
    id: 'P8',
    what: `Scribe \`Log\` of ${eventsPerBatch} entries, 64 connections`,
    ...ofServer('scribe', 64),
    baselineIs: '`node:net`',
    ...share,
    goal: '≥ 0.4 × and ≥ 300 K/s',
    isMet: ({ ratio, sluice }) => ratio >= 0.4 && sluice.rate >= 300_000,
  },
  drained('embedded files', openLocalDrain({ format: 'native' })),
  drained('HDFS', openHdfsDrain({ format: 'native' })),
  drained('S3Mock', openS3Drain({ format: 'native' })),
  drained('embedded files as Parquet', openLocalDrain({ format: 'parquet' })),
  drained('HDFS as Parquet', openHdfsDrain({ format: 'parquet' })),
  drained('tables of embedded files', openLocalDrain({ format: 'iceberg' })),
  drained('tables on HDFS', openHdfsDrain({ format: 'iceberg' })),
  drained('300 tables on HDFS', openHdfsDrain({ format: 'iceberg', types: 300 })),
  drained('tables on S3Mock', openS3Drain({ format: 'iceberg' })),
  ...threadFigures,
  ...sealingFigures,
  ...gatewayFigures,
  ...managementFigures,
  ...realtimeFigures,
  ...replicatedFigures,
  ...otherFigures,
]

/** The same events in another format, both by Sluice. */
function againstJson(kind: BinaryKind, json: RequestKind, what: string, connections: number): Figure {
  return {
    id: 'P7',
    what: `${what}, as ${json === 'post' ? 'P1' : 'P3'}`,
    isDetail: json === 'batch',
    ...ofServer(kind, connections),
    baseline: { server: 'sluice', ack: 'fsync', kind: json, connections },
    baselineIs: 'JSON',
    ...share,
    ...atLeast(0.9),
  }
}

/** The rate of commits, against the intake at the same time. */
function drained(where: string, open: OpenTrial): Figure {
  return {
    id: 'P9',
    what: `backlog drains to ${where} at ${eventsPerSecond} events/s`,
    open,
    baselineIs: 'arriving',
    unit: 'events/s',
    ...share,
    goal: '≥ 2 ×, the load taken',
    // A server that does not keep up with the load would drain against less of it.
    isMet: ({ ratio, baseline }) => ratio >= 2 && baseline.rate >= 0.9 * eventsPerSecond,
  }
}
