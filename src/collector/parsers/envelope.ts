import { SluiceError } from '../../errors.ts'
import { hasEventName } from '../../formats/json-sequence.ts'
import { isObject } from '../../formats/members.ts'
import { isWrapped } from '../../formats/number.ts'
import { type EventHead, type Granularity, granularities } from '../../spool/batch.ts'
import { checkEventName, parseGranularity } from '../../spool/bucket.ts'
import type { EventDefaults, Rejections } from '../parsed.ts'
import { looksLikeSeconds, quoteClient, toEventDate } from './event-date.ts'

/** Turns the values of one request into heads; a value that is not an event goes to the rejections. */
export type EnvelopeReader = {
  /**
   * @param value parsed JSON or Smile
   * @param index its position in the request, for the rejection
   * @param position where it will be in the batch's body, for the head
   */
  read(value: unknown, index: number, position: number): EventHead | undefined
}

/** What events of JSON are wrapped in. */
export type Envelope = {
  /** A reader for one request. */
  readonly createReader: (defaults: EventDefaults, rejections: Rejections) => EnvelopeReader
  /** Whether a value that is found inside a damaged one calls itself an event. */
  readonly isEvent: (value: unknown) => boolean
}

/**
 * A reader for one request. An event is `{"eventName": …, "payload": {…}}`; a number or boolean as name is its text.
 * Other members are of no interest.
 */
export const createEnvelopeReader: Envelope['createReader'] = (defaults, rejections) =>
  new HeadReader(defaults, rejections)

/** `{"eventName": …, "payload": {…}}` */
export const nameAndPayload: Envelope = { createReader: createEnvelopeReader, isEvent: hasEventName }

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
    if (eventName !== undefined) this.#rejections.hasEventName = true
    const name = typeof eventName === 'string' ? eventName : toName(eventName)
    if (name === undefined) return this.#refuse(index, `eventName is ${describe(eventName)}; expected a string`)
    if (!isObject(payload)) return this.#refuse(index, `payload is ${describe(payload)}; expected an object`)
    const { eventDate, eventGranularity } = payload
    const given = toPlainNumber(eventDate)
    const date = isUnset(eventDate) ? this.#defaults.date : toEventDate(given)
    if (date === undefined) {
      const expected = 'ms since the epoch or an ISO 8601 date, of the years 1970 to 9999'
      return this.#refuse(index, `eventDate is ${describe(eventDate)}; expected ${expected}`)
    }
    const granularity = this.#toGranularity(eventGranularity)
    if (granularity === undefined) {
      const expected = `one of ${granularities.join(', ')}`
      return this.#refuse(index, `eventGranularity is ${describe(eventGranularity)}; expected ${expected}`)
    }
    if (!this.#isGoodName(name, index)) return undefined
    if (typeof given === 'number' && looksLikeSeconds(given)) this.#rejections.likelySeconds++
    return { index: position, name, date, granularity }
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
    if (isUnset(value)) return this.#defaults.granularity
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

/** Serializers write null for a field that is not set. */
const isUnset = (value: unknown): value is null | undefined => value === undefined || value === null

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

/** The exact readers wrap numbers that a plain one cannot represent; for a date the nearest double will do. */
const toPlainNumber = (value: unknown): unknown =>
  typeof value === 'object' && isWrapped(value) ? Number(value) : value

/** Short and free of surprises, for messages. */
const describe = (value: unknown): string => {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return quoteClient(value)
  if (isWrapped(value)) return value.toString().slice(0, 64)
  if (typeof value === 'object') return 'an object'
  return `${value as number | bigint | boolean}`.slice(0, 64)
}
