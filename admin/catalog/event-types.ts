import { attribute, type Bean, defineBean } from '../../src/beans/bean.ts'
import { createObjectName } from '../../src/beans/object-name.ts'
import type { BeanSource } from '../../src/beans/registry.ts'

/** Events by API and event name; names never go away, and are bounded where they are counted. */
export type CountsByType = ReadonlyMap<string, ReadonlyMap<string, number>>

/** A bean for each event type that arrived since the start: how many were accepted, and through which API. */
export const createEventTypeSource = (vendor: string, accepted: CountsByType): BeanSource =>
  createSource(accepted, type =>
    defineBean({
      name: createObjectName(`${vendor}.metrics.collector`, { name: 'EventTypeStats', Type: type }),
      description: 'Accepted events of one type.',
      attributes: {
        AcceptedEvents: attribute('long', 'Accepted since the start.', () => sumOf(accepted, type)),
        ByApi: attribute('map', 'The same by API.', () => toEventsByApi(accepted, type)),
      },
    }),
  )

/** The events of one type by API, for those that received some. */
export const toEventsByApi = (accepted: CountsByType, type: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from(accepted, ([api, types]) => [api, types.get(type) ?? 0] as const).filter(([, events]) => events > 0),
  )

/** A bean for each event type of which events did not fit their schema. */
export const createSchemaSource = (vendor: string, mismatches: CountsByType): BeanSource =>
  createSource(mismatches, type =>
    defineBean({
      name: createObjectName(`${vendor}.metrics.collector`, { name: 'SchemaStats', Type: type }),
      description: 'Events of one type that do not fit its schema.',
      attributes: {
        Mismatches: attribute('long', 'Kept or refused since the start, as collector.validation says.', () =>
          sumOf(mismatches, type),
        ),
      },
    }),
  )

const createSource = (counts: CountsByType, toBean: (type: string) => Bean): BeanSource => {
  const beans = new Map<string, Bean>()
  let names = 0
  let list: readonly Bean[] = []
  return () => {
    const namesNow = sum(counts.values(), types => types.size)
    if (namesNow === names) return list
    for (const types of counts.values()) {
      for (const type of types.keys()) if (!beans.has(type)) beans.set(type, toBean(type))
    }
    names = namesNow
    list = [...beans.values()]
    return list
  }
}

const sumOf = (counts: CountsByType, type: string): number => sum(counts.values(), types => types.get(type) ?? 0)

const sum = <T>(all: Iterable<T>, toNumber: (one: T) => number): number => {
  let total = 0
  for (const one of all) total += toNumber(one)
  return total
}
