import type { RpcClient } from '../../client/rpc-client.ts'
import type { Attributes } from '../../client/types.ts'
import { type BeanNames, flagOf, numberOf, readBeans } from './collector-beans.ts'
import { type ShownProblem, toShownProblems } from './problems.ts'

/** One look at the counters; what the server does not have is null. */
export type StatsSample = {
  /** ms since the epoch. */
  readonly at: number
  readonly totals: Readonly<Record<CounterKey, number | null>>
  readonly gauges: Readonly<Record<GaugeKey, number | null>>
  readonly flushEnabled: boolean | null
  readonly realtimeEnabled: boolean | null
  /** What is wrong, worst first. */
  readonly problems: readonly ShownProblem[]
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

/** Counters that only grow: what they are called for people, and where they are. */
export const counters = {
  received: ['received', 'received', 'Count'],
  written: ['written', 'writer', 'WrittenEvents'],
  flushes: ['files flushed', 'writer', 'HdfsFlushes'],
  sent: ['sent to the broker', 'realtimeQueue', 'SentEvents'],
  lost: ['lost (queue full)', 'buffer', 'LostEvents'],
  dropped: ['dropped', 'writer', 'DroppedEvents'],
  errored: ['errored', 'writer', 'ErroredEvents'],
  unknown: ['unknown (not answered)', 'writer', 'UnknownEvents'],
  ignored: ['ignored', 'writer', 'IgnoredEvents'],
  throttled: ['over quota', 'writer', 'ThrottledEvents'],
} as const satisfies Rows
export type CounterKey = keyof typeof counters

/** Values that go up and down. */
export const gauges = {
  queued: ['in memory', 'buffer', 'QueueSizes'],
  localFiles: ['local files waiting', 'hdfs', 'nbLocalFiles'],
  realtimeQueued: ['waiting for the broker', 'realtimeQueue', 'QueueSize'],
} as const satisfies Rows
export type GaugeKey = keyof typeof gauges

type Rows<Key extends string = string> = Readonly<Record<Key, readonly [string, Source, string]>>
type Source = (typeof sources)[number]

/** The beans that are read. */
const sources = ['writer', 'buffer', 'hdfs', 'realtimeQueue', 'realtime', 'received', 'health'] as const

export const takeSample = async (rpc: RpcClient, names: BeanNames): Promise<StatsSample> => {
  const [beans, apis] = await Promise.all([
    readBeans(
      rpc,
      sources.map(source => names[source]),
    ),
    rpc.readMany(names.apis).catch(() => ({ value: {}, timestamp: Date.now() })),
  ])
  const beanOf = (source: Source): Attributes => beans[sources.indexOf(source)] ?? {}
  const read = <Key extends string>(rows: Rows<Key>) =>
    Object.fromEntries(
      Object.entries<Rows[string]>(rows).map(([key, [, source, name]]) => [
        key,
        numberOf(beanOf(source), name) ?? null,
      ]),
    ) as Record<Key, number | null>
  return {
    at: apis.timestamp,
    totals: read(counters),
    gauges: read(gauges),
    flushEnabled: flagOf(beanOf('hdfs'), 'FlushEnabled') ?? null,
    realtimeEnabled: flagOf(beanOf('realtime'), 'Enabled') ?? null,
    problems: toShownProblems(beanOf('health')),
    apis: Object.entries(apis.value)
      .flatMap(([mbean, attributes]) => toApi(mbean, attributes))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** A look as one flat row; its time as ISO 8601. */
export const toStatsRow = ({ at, totals, gauges, flushEnabled, realtimeEnabled }: StatsSample): object => ({
  time: new Date(at).toISOString(),
  ...totals,
  ...gauges,
  flushEnabled,
  realtimeEnabled,
})

/** Growth per second between two samples; undefined without a value, or when the server restarted in between. */
export const rateOf = (key: CounterKey, before: StatsSample | undefined, now: StatsSample): number | undefined => {
  const [from, to] = [before?.totals[key], now.totals[key]]
  if (!before || typeof from !== 'number' || typeof to !== 'number' || to < from || now.at <= before.at)
    return undefined
  return ((to - from) * 1_000) / (now.at - before.at)
}

/** Timers only: meters of the same domain have no percentiles. */
const toApi = (mbean: string, attributes: Attributes): ApiSample[] => {
  const [, name] = /[:,]name=([^,]*_API)(?:,|$)/.exec(mbean) ?? []
  if (name === undefined) return []
  const number = (key: string): number | null => numberOf(attributes, key) ?? null
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
