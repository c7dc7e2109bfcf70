import { SluiceError } from '../../errors.ts'
import { isObject } from '../../formats/members.ts'
import { isWrapped } from '../../formats/number.ts'
import { type EventHead, type Granularity, granularities } from '../../spool/batch.ts'
import { checkEventName, parseGranularity } from '../../spool/bucket.ts'
import type { EventDefaults, Rejections } from '../parsed.ts'
import { quote, toEventDate } from './event-date.ts'

/** Turns the values of one request into heads; a value that is not an event goes to the rejections. */
export type EnvelopeReader = {
  /**
   * @param value parsed JSON or Smile
   * @param index its position in the request, for the rejection
   * @param position where it will stand in the batch's body, for the head
   */
  read(value: unknown, index: number, position: number): EventHead | undefined
}

/**
 * A reader for one request. An event is `{"eventName": …, "payload": {…}}`; a number or boolean as name is its text.
 * Other members are of no interest.
 */
export const createEnvelopeReader = (defaults: EventDefaults, rejections: Rejections): EnvelopeReader =>
  new HeadReader(defaults, rejections)

/** A class, because each request makes one. */
class HeadReader implements EnvelopeReader {
  readonly #defaults: EventDefaults
  readonly #rejections: Rejections
  // What was checked last: requests hold many events, but few names and granularities.
  #goodName = ''
  #names: Set<string> | undefined
  #goodText: unknown
  #goodGranularity: Granularity | undefined

  constructor(defaults: EventDefaults, rejections: Rejections) {
    this.#defaults = defaults
    this.#rejections = rejections
  }

  read(value: unknown, index: number, position: number): EventHead | undefined {
    if (!isObject(value)) return this.#refuse(index, `The event is ${describe(value)}; expected an object`)
    const { eventName, payload } = value
    const name = typeof eventName === 'string' ? eventName : toName(eventName)
    if (name === undefined) return this.#refuse(index, `eventName is ${describe(eventName)}; expected a string`)
    if (!isObject(payload)) return this.#refuse(index, `payload is ${describe(payload)}; expected an object`)
    const { eventDate, eventGranularity } = payload
    const date = eventDate === undefined ? this.#defaults.date : toEventDate(toPlainNumber(eventDate))
    if (date === undefined) {
      const expected = 'ms since the epoch or an ISO 8601 date, of the years 1970 to 9999'
      return this.#refuse(index, `eventDate is ${describe(eventDate)}; expected ${expected}`)
    }
    const granularity = this.#toGranularity(eventGranularity)
    if (granularity === undefined) {
      const expected = `one of ${granularities.join(', ')}`
      return this.#refuse(index, `eventGranularity is ${describe(eventGranularity)}; expected ${expected}`)
    }
    return this.#isGoodName(name, index) ? { index: position, name, date, granularity } : undefined
  }

  #isGoodName(name: string, index: number): boolean {
    if (name === this.#goodName && name !== '') return true
    if (this.#names?.has(name) !== true) {
      const problem = nameProblem(name)
      if (problem !== undefined) {
        this.#rejections.add(index, 'bad-event-name', problem)
        return false
      }
      this.#remember(name)
    }
    this.#goodName = name
    return true
  }

  /** The first one needs no set: most requests have no other. */
  #remember(name: string): void {
    if (this.#goodName === '') return
    this.#names ??= new Set([this.#goodName])
    if (this.#names.size < maxRememberedNames) this.#names.add(name)
  }

  #toGranularity(value: unknown): Granularity | undefined {
    if (value === undefined) return this.#defaults.granularity
    if (value !== this.#goodText) {
      this.#goodGranularity = typeof value === 'string' ? parseGranularity(value) : undefined
      this.#goodText = value
    }
    return this.#goodGranularity
  }

  #refuse(index: number, detail: string): undefined {
    this.#rejections.add(index, 'bad-event', detail)
    return undefined
  }
}

/** Names whose check is remembered within one request. */
const maxRememberedNames = 1_000

/** Undefined when the name can be used. */
const nameProblem = (name: string): string | undefined => {
  try {
    checkEventName(name)
    return undefined
  } catch (error) {
    if (error instanceof SluiceError) return error.message
    throw error
  }
}

/** As old servers took it; not null, which they stored under the name "null". */
const toName = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' || isWrapped(value)
    ? String(value)
    : undefined

/** The exact readers wrap numbers that a plain one cannot tell apart; for a date the nearest double will do. */
const toPlainNumber = (value: unknown): unknown =>
  typeof value === 'object' && isWrapped(value) ? Number(value) : value

/** Short and free of surprises, for messages. */
const describe = (value: unknown): string => {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return quote(value)
  if (isWrapped(value)) return value.toString().slice(0, 64)
  if (typeof value === 'object') return 'an object'
  return `${value as number | bigint | boolean}`.slice(0, 64)
}
