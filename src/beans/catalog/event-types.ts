import { attribute, type Bean, defineBean } from '../bean.ts'
import { createObjectName } from '../object-name.ts'

/** Accepted events by API and event name. */
export type AcceptedByType = ReadonlyMap<string, ReadonlyMap<string, number>>

/** A bean for each event type that came since the start: how many were accepted, and through which API. */
export const eventTypeBeans = (vendor: string, byApi: AcceptedByType): readonly Bean[] => {
  const byType = new Map<string, Record<string, number>>()
  for (const [api, types] of byApi) {
    for (const [type, events] of types) {
      const own = byType.get(type) ?? {}
      own[api] = events
      byType.set(type, own)
    }
  }
  return Array.from(byType, ([type, apis]) =>
    defineBean({
      name: createObjectName(`${vendor}.metrics.collector`, { name: 'EventTypeStats', Type: type }),
      description: 'Accepted events of one type.',
      attributes: {
        AcceptedEvents: attribute('long', 'Accepted since the start.', () =>
          Object.values(apis).reduce((sum, events) => sum + events, 0),
        ),
        ByApi: attribute('map', 'The same by API.', () => apis),
      },
    }),
  )
}
