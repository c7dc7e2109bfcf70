import type { Value } from '../../src/formats/number.ts'
import { requireText } from '../required.ts'
import type { Field } from './fields.ts'
import { toValue } from './to-value.ts'

/** The period of one bucket of files. */
export type Granularity = 'MINUTE' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'

/** What every event has. */
export type EventHead = {
  /** Names the type of the event, and the directory its files land in. */
  readonly eventName: string
  /** When it happened, as a Date or in ms since the epoch. @default when it is given to the tracker */
  readonly date?: Date | number
  /** @default the server's, HOURLY */
  readonly granularity?: Granularity
}

/** An event with named values, for JSON and Smile. */
export type PayloadEvent = EventHead & {
  /** Any values; a Date becomes ms since the epoch, undefined members are left out, integers may be bigints. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** An event with numbered fields, for GET and Scribe. */
export type FieldEvent = EventHead & { readonly fields: readonly Field[] }

/** The date of an event in ms since the epoch. @throws RangeError no date, or outside the years 1970 to 9999 */
export const toEventDate = ({ date }: EventHead, now: number): number => {
  const ms = date === undefined ? now : Number(date)
  if (Number.isInteger(ms) && ms >= 0 && ms <= maxDate) return ms
  throw new RangeError(`Cannot send an event of the date ${String(date)}: expected ms from 0 to ${maxDate}`)
}

/**
 * The event as it is sent: date and granularity are the first members of the payload, so that neither depends on when
 * it arrives. What the payload says of them itself counts where the event says nothing.
 * @throws TypeError, RangeError what cannot be sent, with its place
 */
export const toEnvelope = (event: PayloadEvent, now: number): { [name: string]: Value } => {
  requireEventName(event?.eventName)
  const { eventDate, eventGranularity, ...rest } = toObject(event.payload)
  const date = event.date === undefined ? (eventDate ?? toEventDate(event, now)) : toEventDate(event, now)
  const granularity = event.granularity ?? eventGranularity ?? undefined
  const head = granularity === undefined ? { eventDate: date } : { eventDate: date, eventGranularity: granularity }
  return { eventName: event.eventName, payload: { ...head, ...rest } }
}

/** @throws TypeError */
export const requireEventName = (name: unknown): string =>
  requireText(name, 'eventName of the event', 'the name of its type')

/** End of the year 9999. */
const maxDate = 253_402_300_799_999

const toObject = (payload: unknown): { [name: string]: Value } => {
  const value = toValue(payload, 'payload')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as { [name: string]: Value }
  throw new TypeError('Cannot send the payload: expected an object')
}
