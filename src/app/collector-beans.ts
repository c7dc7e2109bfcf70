import { collectorBeans } from '../../admin/catalog/collector.ts'
import { createEventTypeSource, createSchemaSource } from '../../admin/catalog/event-types.ts'
import { type FilterView, filterBeans } from '../../admin/catalog/filters.ts'
import { spoolBean } from '../../admin/catalog/spool.ts'
import { writerBeans } from '../../admin/catalog/writer.ts'
import type { Bean } from '../beans/bean.ts'
import type { Meter } from '../beans/meter.ts'
import type { BeanSource } from '../beans/registry.ts'
import { sumCounters } from '../collector/counters.ts'
import type { Filters } from '../collector/filters.ts'
import { type FilterName, filterNames } from '../collector/settings.ts'
import { apis } from '../spool/batch.ts'
import type { CollectorPart } from './collector.ts'

/** Every bean of the collector that is there from the start. */
export const toCollectorBeans = (
  vendor: string,
  { spool, collector: { counters, filters } }: CollectorPart,
  meter: (count: () => number, eventType: string) => Meter,
): readonly Bean[] => [
  ...collectorBeans({ vendor, apis: counters, meter }),
  ...writerBeans({
    vendor,
    stats: () => spool.stats(),
    refused: () => ({
      lost: sumCounters(counters, 'lost'),
      errored: sumCounters(counters, 'errored'),
      ignored: sumCounters(counters, 'ignored'),
      unknown: sumCounters(counters, 'unknown'),
    }),
    enableFlush: () => spool.enableFlush(),
    disableFlush: () => spool.disableFlush(),
    processLeftBelowFiles: olderThanMs => spool.processLeftBelowFiles(olderThanMs),
  }),
  ...filterBeans(
    vendor,
    filterNames.map(name => toFilterView(name, filters)),
  ),
  spoolBean(vendor, () => spool.stats()),
]

/** A bean for each event type that came, and one for each of which events did not fit their schema. */
export const toCollectorSources = (
  vendor: string,
  { collector: { counters } }: CollectorPart,
): readonly BeanSource[] => [
  createEventTypeSource(vendor, new Map(apis.map(api => [api, counters[api].byType]))),
  createSchemaSource(vendor, new Map(apis.map(api => [api, counters[api].mismatches]))),
]

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
