import type { RuntimeFigures } from '../../admin/runtime.ts'
import { perTurn } from '../beans/per-turn.ts'
import { type ApiFigures, sumCounters } from '../collector/counters.ts'
import type { HistoryColumn } from '../figures/history.ts'
import type { GatewayFigures } from '../gateway/figures.ts'
import { apis } from '../spool/apis.ts'
import type { CollectorService } from './collector.ts'

/** The parts that a history is taken of. */
export type HistoryParts = {
  readonly collector: CollectorService | undefined
  readonly gateway: GatewayFigures | undefined
  readonly runtime: () => RuntimeFigures
}

/** What the console's charts show, under the keys that they have there (`rates.js`). */
export const toHistoryColumns = ({ collector, gateway, runtime }: HistoryParts): readonly HistoryColumn[] => [
  ...(collector ? toCollectorColumns(collector) : []),
  ...(gateway ? toGatewayColumns(gateway) : []),
  ...toRuntimeColumns(perTurn(runtime)),
]

const toCollectorColumns = ({ collector: { counters }, spool, realtime }: CollectorService): HistoryColumn[] => {
  const stats = perTurn(() => spool.stats())
  return [
    rate('received', () => sumCounters(counters, 'received')),
    rate('malformed', () => sumCounters(counters, 'malformed')),
    rate('refused', () =>
      (['lost', 'errored', 'ignored', 'throttled'] as const).reduce(
        (sum, name) => sum + sumCounters(counters, name),
        0,
      ),
    ),
    rate('accepted', () => sumCounters(counters, 'accepted')),
    rate('writtenBytes', () => stats().writtenBytes),
    ...apis.flatMap(api => toApiColumns(api, counters[api])),
    level('inMemory', () => stats().queuedEvents),
    level('inSegment', () => stats().openEvents),
    level('inFiles', () => stats().pendingEvents),
    level('quarantined', () => stats().quarantinedEvents),
    level('spoolBytes', () => stats().pendingBytes),
    level('spoolFiles', () => stats().pendingFiles),
    peak('oldestSeconds', () => stats().oldestSeconds),
    rate('flushes', () => stats().flushes),
    rate('flushedEvents', () => stats().flushedEvents),
    perMinute('flushErrors', () => stats().flushErrors),
    perMinute('flushRetries', () => stats().flushRetries),
    perMinute('diskErrors', () => stats().erroredEvents),
    ...(realtime ? [rate('forwarded', () => realtime.total().sent)] : []),
  ]
}

/** Percentiles are those of the newest calls, however old: without a new call there is no value. */
const toApiColumns = (api: string, figures: ApiFigures): HistoryColumn[] => {
  const calls = { before: 0, isNew: false }
  const summary = perTurn(() => {
    calls.isNew = figures.requests > calls.before
    calls.before = figures.requests
    return calls.isNew ? figures.latency.summary() : { p50Ms: undefined, p95Ms: undefined, p99Ms: undefined }
  })
  return [
    rate(`events:${api}`, () => figures.received - figures.malformed - figures.unread),
    peak(`p50:${api}`, () => summary().p50Ms),
    peak(`p95:${api}`, () => summary().p95Ms),
    peak(`p99:${api}`, () => summary().p99Ms),
  ]
}

const toGatewayColumns = (figures: GatewayFigures): HistoryColumn[] => {
  const count = (from: number, to: number) => () =>
    figures.requests().reduce((sum, one) => sum + (one.code >= from && one.code < to ? one.count : 0), 0)
  return [
    rate('gatewayOk', count(100, 400)),
    rate('gatewayClient', count(400, 500)),
    rate('gatewayServer', count(500, 600)),
    rate('gatewayBytesOut', () => figures.bytes.out),
    rate('gatewayBytesIn', () => figures.bytes.in),
  ]
}

const toRuntimeColumns = (figures: () => RuntimeFigures): HistoryColumn[] => [
  level('resident', () => figures().residentBytes),
  level('heap', () => figures().heapUsedBytes),
  level('buffers', () => figures().arrayBufferBytes),
  peak('loopDelay', () => figures().eventLoopMaxMs),
]

type Define = (key: string, read: HistoryColumn['read']) => HistoryColumn
const rate: Define = (key, read) => ({ key, kind: 'rate', read })
const perMinute: Define = (key, read) => ({ key, kind: 'perMinute', read })
const level: Define = (key, read) => ({ key, kind: 'level', read })
const peak: Define = (key, read) => ({ key, kind: 'peak', read })
