import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { createObjectName } from '../../src/beans/object-name.ts'
import type { BeanSource } from '../../src/beans/registry.ts'

/** Accepted events by API and event name; names never go away, and are bounded where they are counted. */
export type AcceptedByType = ReadonlyMap<string, ReadonlyMap<string, number>>

/** A bean for each event type that came since the start: how many were accepted, and through which API. */
export const createEventTypeSource = (vendor: string, accepted: AcceptedByType): BeanSource => {
  const beans = new Map<string, Bean>()
  return () => {
    for (const types of accepted.values()) {
      for (const type of types.keys()) if (!beans.has(type)) beans.set(type, toBean(vendor, accepted, type))
    }
    return beans.values()
  }
}

/** Events that do not fit their schema by API and event name, bounded as {@link AcceptedByType}. */
export type MismatchesByType = AcceptedByType

/** A bean for each event type of which events did not fit their schema. */
export const createSchemaSource = (vendor: string, mismatches: MismatchesByType): BeanSource => {
  const beans = new Map<string, Bean>()
  return () => {
    for (const types of mismatches.values()) {
      for (const type of types.keys()) if (!beans.has(type)) beans.set(type, toSchemaBean(vendor, mismatches, type))
    }
    return beans.values()
  }
}

const toSchemaBean = (vendor: string, mismatches: MismatchesByType, type: string): Bean =>
  defineBean({
    name: createObjectName(`${vendor}.metrics.collector`, { name: 'SchemaStats', Type: type }),
    description: 'Events of one type that do not fit its schema.',
    attributes: {
      Mismatches: attribute('long', 'Kept or refused since the start, as collector.validation says.', () =>
        Array.from(mismatches.values()).reduce((sum, types) => sum + (types.get(type) ?? 0), 0),
      ),
    },
  })

const toBean = (vendor: string, accepted: AcceptedByType, type: string): Bean => {
  const byApi = (): readonly (readonly [string, number])[] =>
    Array.from(accepted, ([api, types]) => [api, types.get(type) ?? 0] as const).filter(([, events]) => events > 0)
  return defineBean({
    name: createObjectName(`${vendor}.metrics.collector`, { name: 'EventTypeStats', Type: type }),
    description: 'Accepted events of one type.',
    attributes: {
      AcceptedEvents: attribute('long', 'Accepted since the start.', () =>
        byApi().reduce((sum, [, events]) => sum + events, 0),
      ),
      ByApi: attribute('map', 'The same by API.', () => Object.fromEntries(byApi())),
    },
  })
}
