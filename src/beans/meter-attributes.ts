import type { Meter } from '../figures/meter.ts'
import { type Attribute, attribute, type BeanOperation } from './bean.ts'

/** The attributes of a meter (as of the predecessor's metrics library); rates per second. */
export const meterAttributes = (meter: Meter): Readonly<Record<string, Attribute>> => ({
  Count: attribute('long', 'Their number since the start.', () => meter.count),
  EventType: attribute('string', 'The counted unit: events or calls.', () => meter.eventType),
  RateUnit: attribute('string', 'Unit of the rates.', () => 'SECONDS'),
  MeanRate: attribute('double', 'Per second, since the start.', () => meter.rates().mean),
  OneMinuteRate: attribute('double', 'Per second, over about a minute.', () => meter.rates().oneMinute),
  FiveMinuteRate: attribute('double', 'Per second, over about five minutes.', () => meter.rates().fiveMinutes),
  FifteenMinuteRate: attribute('double', 'Per second, over about fifteen minutes.', () => meter.rates().fifteenMinutes),
})

/** The operation that every bean of that library has. */
export const objectNameOperation = (canonical: string): BeanOperation => ({
  arguments: [],
  returns: 'string',
  description: 'The name of this bean.',
  invoke: () => canonical,
})
