import { SluiceError } from '../../../src/errors.ts'
import { isObject } from '../../../src/formats/members.ts'
import { isNumber, type Value } from '../../../src/formats/number.ts'
import type { EventHead } from '../../../src/spool/batch.ts'
import { checkEventName, maxEventDate, parseGranularity } from '../../../src/spool/bucket.ts'

/** Defaults for fields that an event lacks. */
export type HeadDefaults = { readonly eventName: string; readonly createdAt: number }

/**
 * Name, date and granularity of a stored event. The writer's own name and time replace a name or date that is missing
 * or invalid, so that no event is lost for them.
 * @throws SluiceError `bad-event`, `bad-event-name`
 */
export const toHead = (envelope: Value, index: number, defaults: HeadDefaults): EventHead => {
  const payload = isObject(envelope) ? envelope['payload'] : undefined
  if (!isObject(envelope) || !isObject(payload)) throw new SluiceError('bad-event', 'The event has no payload object')
  const { eventName } = envelope
  const { eventDate, eventGranularity } = payload
  const name = typeof eventName === 'string' && eventName !== '' ? eventName : defaults.eventName
  checkEventName(name)
  const granularity = typeof eventGranularity === 'string' ? parseGranularity(eventGranularity) : undefined
  return { index, name, date: toDate(eventDate) ?? defaults.createdAt, granularity: granularity ?? 'HOURLY' }
}

const toDate = (value: Value | undefined): number | undefined => {
  const ms = isNumber(value) ? Math.trunc(Number(value)) : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return ms >= 0 && ms <= maxEventDate ? ms + 0 : undefined
}
