import { SluiceError } from '../../errors.ts'
import { maxEventDate } from '../../spool/bucket.ts'
import { parseIsoDate } from './iso-date.ts'

/** Longer numeric texts are beyond the year 9999 anyway. */
const maxNumericLength = 64
/** Of `yyyyMMdd`. */
const dayLength = 8
const numeric = /^[+-]?\d+(?:\.\d*)?$/

/**
 * The date of an event as its payload states it: a number of ms (a fraction is cut off), the same as text, or ISO 8601
 * text. Undefined for everything else and for dates outside the years 1970 to 9999.
 */
export const toEventDate = (value: unknown): number | undefined => {
  if (typeof value === 'number') return inRange(value)
  if (typeof value === 'bigint') return inRange(Number(value))
  if (typeof value !== 'string') return undefined
  // Eight digits are a day, as in the parameter `date`, and not a time in the first hours of 1970.
  const isNumber = value.length !== dayLength && value.length <= maxNumericLength && numeric.test(value)
  if (isNumber) return inRange(Number(value))
  const date = parseIsoDate(value)
  return date === undefined ? undefined : inRange(date)
}

/**
 * The `date` parameter: ISO 8601, UTC where it names no offset; undefined when absent.
 * @throws SluiceError `bad-parameter`
 */
export const parseDateParameter = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const parsed = parseIsoDate(text)
  const date = parsed === undefined ? undefined : inRange(parsed)
  if (date === undefined) {
    throw new SluiceError(
      'bad-parameter',
      `date is ${quoteClient(text)}; expected an ISO 8601 date from 1970 to 9999 ("+" in a URL is written %2B)`,
    )
  }
  return date
}

/** Client text in a message: quoted, escaped, shortened. */
export const quoteClient = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)

/**
 * Whether a number is more likely seconds than ms: as seconds it is after March 1973, as ms before. Smaller ones are what
 * tests send.
 */
export const looksLikeSeconds = (value: number): boolean => value >= firstSeconds && value < firstSeconds * 1_000

/** 1973-03-03T09:46:40Z. */
const firstSeconds = 100_000_000

const inRange = (ms: number): number | undefined => {
  const whole = Math.trunc(ms)
  // -0 would survive into the record as another value than 0.
  return whole >= 0 && whole <= maxEventDate ? whole + 0 : undefined
}
