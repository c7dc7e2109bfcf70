import { collectorBeans } from '../../admin/catalog/collector.ts'
import { compactionBean } from '../../admin/catalog/compaction.ts'
import { eventTypesBean } from '../../admin/catalog/event-type-table.ts'
import {
  type CountsByType,
  createEventTypeSource,
  createSchemaSource,
  toEventsByApi,
} from '../../admin/catalog/event-types.ts'
import { type FilterView, filterBeans } from '../../admin/catalog/filters.ts'
import { quarantineBean } from '../../admin/catalog/quarantine.ts'
import { quotaBean } from '../../admin/catalog/quota.ts'
import { refusedBean } from '../../admin/catalog/refused.ts'
import { replicaBean } from '../../admin/catalog/replica.ts'
import { schemasBean } from '../../admin/catalog/schemas.ts'
import { spoolBean } from '../../admin/catalog/spool.ts'
import { writerBeans } from '../../admin/catalog/writer.ts'
import type { Bean } from '../beans/bean.ts'
import type { BeanSource } from '../beans/registry.ts'
import { type CollectorFigures, sumCounters } from '../collector/counters.ts'
import type { Filters } from '../collector/filters.ts'
import { type FilterName, filterNames } from '../collector/settings.ts'
import type { TypeActivity } from '../collector/type-activity.ts'
import type { HourlyCompaction } from '../compaction/hourly/hourly-compaction.ts'
import type { FixedSettings } from '../config/table.ts'
import type { Meter } from '../figures/meter.ts'
import type { LaneFigures } from '../realtime/type-lane.ts'
import { apis, apiTable } from '../spool/apis.ts'
import { encodeEventName } from '../spool/bucket.ts'
import { isRefusedName } from '../spool/refused.ts'
import type { CollectorService } from './collector.ts'

/** Further dependencies of the collector's beans. */
export type CollectorBeanParts = {
  readonly meter: (count: () => number, eventType: string) => Meter
  readonly activity: TypeActivity
  /** Where directories of event types are. */
  readonly settings: Pick<FixedSettings, 'collector.event-output-directory'>
  readonly compaction: HourlyCompaction | undefined
}

/** Every bean of the collector that is there from the start. */
export const toCollectorBeans = (
  vendor: string,
  { spool, realtime, refused, collector: { counters, filters, slowed, quota } }: CollectorService,
  { meter, activity, settings, compaction }: CollectorBeanParts,
): readonly Bean[] => [
  ...collectorBeans({ vendor, apis: apis.map(api => ({ api, ...apiTable[api], figures: counters[api] })), meter }),
  ...writerBeans({
    vendor,
    stats: () => spool.stats(),
    refused: () => ({
      lost: sumCounters(counters, 'lost'),
      errored: sumCounters(counters, 'errored'),
      ignored: sumCounters(counters, 'ignored'),
      throttled: sumCounters(counters, 'throttled'),
      unknown: sumCounters(counters, 'unknown'),
      duplicates: sumCounters(counters, 'duplicates'),
    }),
    enableFlush: () => spool.enableFlush(),
    disableFlush: () => spool.disableFlush(),
    processLeftBelowFiles: olderThanMs => spool.processLeftBelowFiles(olderThanMs),
    drain: () => spool.drain(),
    undoDrain: () => spool.undoDrain(),
    drainStatus: async () => ({ ...(await spool.drainStatus()), realtime: toRealtimeWaiting(realtime?.types() ?? []) }),
  }),
  ...filterBeans(
    vendor,
    filterNames.map(name => toFilterView(name, filters)),
  ),
  spoolBean(vendor, () => spool.stats()),
  replicaBean(vendor, () => spool.stats().replica),
  ...(compaction ? [compactionBean(vendor, compaction.figures)] : []),
  quarantineBean(vendor, spool.quarantine),
  refusedBean(vendor, refused),
  quotaBean(vendor, { slowed: () => slowed.list(), forgotten: () => quota.forgotten }),
  eventTypesBean(vendor, {
    ...activity,
    waiting: () => ofSenders(spool.stats().waitingByType),
    misfits: () => new Map(spool.schemas.misfits()),
    byApi: eventType => toEventsByApi(toAccepted(counters), eventType),
    topics: () =>
      new Map(realtime?.types().map(({ type, topic, isEscaped }) => [type, { topic, isEscaped }] as const) ?? []),
    columns: eventType => spool.schemas.describe(eventType)?.columns,
    directory: eventType => toDirectory(settings['collector.event-output-directory'], eventType),
  }),
  schemasBean(vendor, {
    figures: spool.schemas.figures,
    misfits: () => spool.schemas.misfits(),
    describe: eventType => spool.schemas.describe(eventType),
    forget: eventType => spool.forgetSchema(eventType),
  }),
]

const toDirectory = (output: string, eventType: string): string =>
  `${output === '/' ? '' : output}/${encodeEventName(eventType)}`

/** A bean for each event type that arrived, and one for each whose events did not fit their schema. */
export const toCollectorSources = (
  vendor: string,
  { collector: { counters } }: CollectorService,
): readonly BeanSource[] => [
  createEventTypeSource(vendor, toAccepted(counters)),
  createSchemaSource(vendor, new Map(apis.map(api => [api, counters[api].mismatches]))),
]

const toAccepted = (counters: CollectorFigures): CountsByType => new Map(apis.map(api => [api, counters[api].byType]))

/** Events that wait for the broker: in all, and by the types that have some. */
const toRealtimeWaiting = (types: readonly LaneFigures[]) => {
  const waiting = types.filter(({ queueSize }) => queueSize > 0)
  return {
    events: waiting.reduce((sum, { queueSize }) => sum + queueSize, 0),
    types: Object.fromEntries(waiting.map(({ type, queueSize }) => [type, queueSize])),
  }
}

/** As the old server's beans call them. */
const beanNames: Readonly<Record<FilterName, string>> = {
  host: 'Host',
  ip: 'IP',
  useragent: 'UserAgent',
  path: 'Path',
  'event-type': 'EventType',
}

const toFilterView = (name: FilterName, filters: Filters): FilterView => ({
  name: beanNames[name],
  setting: `collector.filters.${name}`,
  list: () => filters[name].list(),
  addPattern: source => filters[name].addPattern(source),
  removePattern: source => filters[name].removePattern(source),
})

/** Without those of the server's own. */
const ofSenders = (byType: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...byType].filter(([name]) => !isRefusedName(name)))
