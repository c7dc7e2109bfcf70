import type { RpcClient } from '../../client/rpc-client.ts'
import type { Attributes } from '../../client/types.ts'
import { type BeanNames, readBeans, toNumber } from './collector-beans.ts'

/** One look at the counters; what the server does not have is null. */
export type Sample = {
  /** ms since the epoch. */
  readonly at: number
  readonly totals: Readonly<Record<CounterKey, number | null>>
  readonly gauges: Readonly<Record<GaugeKey, number | null>>
  readonly flushEnabled: boolean | null
  readonly realtimeEnabled: boolean | null
  readonly apis: readonly ApiSample[]
}

export type ApiSample = {
  readonly name: string
  readonly count: number
  readonly oneMinuteRate: number
  /** ms. */
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** Counters that only grow, with what they are called for people. */
export const counters = {
  received: 'received',
  written: 'written',
  flushes: 'files flushed',
  sent: 'sent to the broker',
  lost: 'lost (queue full)',
  dropped: 'dropped',
  errored: 'errored',
  unknown: 'unknown (not answered)',
  ignored: 'ignored',
} as const
export type CounterKey = keyof typeof counters

/** Values that go up and down. */
export const gauges = {
  queued: 'in memory',
  localFiles: 'local files waiting',
  realtimeQueued: 'waiting for the broker',
} as const
export type GaugeKey = keyof typeof gauges

export const takeSample = async (rpc: RpcClient, names: BeanNames): Promise<Sample> => {
  const [[writer = {}, buffer = {}, hdfs = {}, queue = {}, realtime = {}, received = {}], apis] = await Promise.all([
    readBeans(rpc, [names.writer, names.buffer, names.hdfs, names.realtimeQueue, names.realtime, names.received]),
    rpc.readMany(names.apis).then(
      ({ value, timestamp }) => ({ value, timestamp }),
      () => ({ value: {}, timestamp: Date.now() }),
    ),
  ])
  const number = (attributes: Attributes, name: string): number | null => toNumber(attributes, name) ?? null
  return {
    at: apis.timestamp,
    totals: {
      received: number(received, 'Count'),
      written: number(writer, 'WrittenEvents'),
      flushes: number(writer, 'HdfsFlushes'),
      sent: number(queue, 'SentEvents'),
      lost: number(buffer, 'LostEvents'),
      dropped: number(writer, 'DroppedEvents'),
      errored: number(writer, 'ErroredEvents'),
      unknown: number(writer, 'UnknownEvents'),
      ignored: number(writer, 'IgnoredEvents'),
    },
    gauges: {
      queued: number(buffer, 'QueueSizes'),
      localFiles: number(hdfs, 'nbLocalFiles'),
      realtimeQueued: number(queue, 'QueueSize'),
    },
    flushEnabled: toFlag(hdfs['FlushEnabled']),
    realtimeEnabled: toFlag(realtime['Enabled']),
    apis: Object.entries(apis.value)
      .flatMap(([mbean, attributes]) => toApi(mbean, attributes))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** Growth per second between two looks; undefined without a value, or when the server started anew in between. */
export const rateOf = (key: CounterKey, before: Sample | undefined, now: Sample): number | undefined => {
  const [from, to] = [before?.totals[key], now.totals[key]]
  if (!before || typeof from !== 'number' || typeof to !== 'number' || to < from || now.at <= before.at)
    return undefined
  return ((to - from) * 1_000) / (now.at - before.at)
}

const toFlag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

/** Timers only: meters of the same domain have no percentiles. */
const toApi = (mbean: string, attributes: Attributes): ApiSample[] => {
  const [, name] = /[:,]name=([^,]*_API)(?:,|$)/.exec(mbean) ?? []
  if (name === undefined) return []
  const number = (key: string): number | null => toNumber(attributes, key) ?? null
  return [
    {
      name,
      count: number('Count') ?? 0,
      oneMinuteRate: number('OneMinuteRate') ?? 0,
      p50: number('50thPercentile'),
      p95: number('95thPercentile'),
      p99: number('99thPercentile'),
    },
  ]
}
