import type { FieldEvent, PayloadEvent } from '../../clients/tracker/index.ts'
import { customerTypes } from './customer-types.ts'
import { createDraw } from './draw.ts'
import type { EventType } from './event-type.ts'
import { saleTypes } from './sale-types.ts'
import { serviceTypes } from './service-types.ts'
import { createShop } from './shop.ts'
import { visitTypes } from './visit-types.ts'

/** An event, and the API by which it is sent. */
export type DemoEvent = By<'json' | 'smile', PayloadEvent> | By<'get1' | 'get2' | 'scribe', FieldEvent>
type By<Way, Event> = Way extends string ? { readonly way: Way; readonly event: Event } : never

export type HourOptions = {
  readonly seed: number
  /** How many events; the first of them are of one type each. */
  readonly count: number
  /** The beginning of the hour, in ms since the epoch. */
  readonly beginsAt: number
}

export const hourMs = 3_600_000

export const eventTypes: readonly EventType[] = [...visitTypes, ...saleTypes, ...customerTypes, ...serviceTypes]

/** The events of one hour in their order, the same for the same options. */
export function* oneHour({ seed, count, beginsAt }: HourOptions): Generator<DemoEvent> {
  const draw = createDraw(seed)
  const shop = createShop(draw)
  for (let index = 0; index < count; index++) {
    const type = eventTypes[index] ?? draw.pick(urn)
    const passed = (index + draw.share()) / count
    const head = { eventName: type.name, date: beginsAt + Math.floor(passed * hourMs) }
    const making = { ...draw, shop, passed }
    if ('payload' in type) yield { way: type.way, event: { ...head, payload: type.payload(making) } }
    else yield { way: type.way, event: { ...head, fields: type.fields(making) } }
  }
}

/** Each type as often as its weight says. */
const urn = eventTypes.flatMap(type => Array.from({ length: type.weight }, () => type))
