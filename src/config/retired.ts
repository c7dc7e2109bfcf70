import { type Cluster, clusterList } from './cluster-rows.ts'
import { Expected, flag, integer, live, type Retirement, retired, size } from './setting.ts'

const MiB = 2 ** 20

/** For those of this version: with the next one their rows are deleted, and the compiler names what reads them. */
const now: Retirement = { since: '0.2.0' }

/** Settings that still have their effect, and are gone with the next version. The sentence says what takes their place. */
export const retiredByKey = {
  'gateway.max-values-per-row': retired(
    now,
    integer(undefined, {
      sentence:
        'The limit follows `gateway.reader-memory-bytes`: 100000 values for each GiB, and never less than for one GiB.',
      min: 1_000,
      max: 10_000_000,
    }),
  ),
  'gateway.max-row-bytes': retired(
    now,
    size(undefined, {
      sentence: 'The limit follows `gateway.reader-memory-bytes`: 16 MiB for each GiB, from 16 to 128 MiB.',
      min: 65_536,
      max: 128 * MiB,
    }),
  ),
  'collector.max-values-per-event': live(
    retired(now, integer(undefined, { sentence: 'The limit is a constant: 100000.', min: 1, max: 10_000_000 })),
  ),
  'collector.scribe.max-frame-bytes': retired(
    now,
    size(undefined, { sentence: 'The limit is a constant: 64 MiB.', max: 2 ** 30 }),
  ),
  'collector.diskspool.enabled': retired(
    now,
    flag(undefined, {
      sentence:
        'A constant, `true`: flushing is on in a new spool. `sluice flush disable` turns it off, also for later starts.',
    }),
  ),
  'collector.diskspool.max-uncommitted-period-seconds': live(
    retired(
      now,
      integer(undefined, {
        sentence:
          '`collector.diskspool.flush-interval-seconds` alone says how long events wait: set it to the smaller of both.',
        unit: 'seconds',
        min: 1,
      }),
    ),
  ),
  'collector.diskspool.max-uncommitted-write-count': live(
    retired(
      now,
      integer(undefined, {
        sentence:
          'The limit follows `collector.diskspool.max-segment-bytes`: 1000000 events for each 128 MiB, and never less.',
        min: 1,
      }),
    ),
  ),
  'collector.filters.event-type.included': live(
    retired(
      {
        ...now,
        as: (isIncluded: boolean | undefined, settings: { [eventTypes]: readonly string[] }) =>
          isIncluded === true ? { [eventTypes]: toOnly(settings[eventTypes]) } : {},
      },
      flag(undefined, {
        sentence: 'Write `only <pattern>` for each pattern of `collector.filters.event-type` instead.',
      }),
    ),
  ),
  mounts: retired(
    {
      ...now,
      as: (mounts: readonly Cluster[], { clusters }: { readonly clusters: readonly Cluster[] }) => ({
        clusters: [...clusters, ...toNew(mounts, clusters)],
      }),
    },
    clusterList({ sentence: 'Its rows belong in `clusters`.' }),
  ),
} as const

const eventTypes = 'collector.filters.event-type'

/** All names without a pattern: the old spelling let nothing pass then. */
const toOnly = (patterns: readonly string[]): readonly string[] => {
  if (patterns.some(pattern => pattern.startsWith('only '))) {
    throw new Expected(`not to be beside only <pattern> in ${eventTypes}: leave it out`)
  }
  return patterns.length === 0 ? ['^'] : patterns.map(pattern => `only ${pattern}`)
}

/** Rows that `clusters` does not have; the same row in both is one. */
const toNew = (mounts: readonly Cluster[], clusters: readonly Cluster[]): readonly Cluster[] =>
  mounts.filter(row => {
    const other = clusters.find(({ path }) => path === row.path)
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(row)) {
      throw new Expected(`no ${row.path}, which is another cluster in clusters: leave it out here`)
    }
    return other === undefined
  })
