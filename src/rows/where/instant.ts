import { toDays } from '../../formats/iso-time.ts'

/** A point in time, or a time of day, exact to the nanosecond. */
export type Instant = {
  /** Days since 1970-01-01; undefined for a time of day, which has no order among points in time, */
  readonly days: number | undefined
  /** and nanoseconds of that day. */
  readonly nanos: number
}

/**
 * `2024-05-01`, `2024-05-01T10:20`, `2024-05-01 10:20:30.123456789+02:00`; UTC without an offset. Years beyond four
 * digits have a sign: `+12024-05-01` as `+012024-05-01`.
 */
const isoTime =
  /^(\d{4}|[+-]\d{5,12})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d)?)?)?$/

/** `10:20`, `10:20:30.123456789`. */
const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?$/

const shortest = '10:20'.length
const longest = '+123456789012-05-01T10:20:30.123456789+02:00'.length

/** The time that an ISO 8601 text names; undefined where it names none. */
export const toInstant = (text: string): Instant | undefined => {
  // Most texts are not times, and each of them is checked here.
  if (text.length < shortest || text.length > longest) return undefined
  if (text.charCodeAt(2) === colon) return toTimeOfDay(text)
  const first = text.charCodeAt(0)
  if (text.charCodeAt(4) !== dash && first !== plus && first !== dash) return undefined
  const match = isoTime.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction, sign, hours = '0', minutes = '0'] = match
  const days = toDays(Number(year), Number(month), Number(day))
  if (days === undefined) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const nanos = toNanos(hour, minute, second, fraction) - offset * 60 * nanosPerSecond
  const shift = Math.floor(nanos / nanosPerDay)
  return { days: days + shift, nanos: nanos - shift * nanosPerDay }
}

const toTimeOfDay = (text: string): Instant | undefined => {
  const match = timeOfDay.exec(text)
  return match ? { days: undefined, nanos: toNanos(match[1], match[2], match[3], match[4]) } : undefined
}

const nanosPerSecond = 1_000_000_000
const nanosPerDay = 86_400 * nanosPerSecond

const toNanos = (hour = '0', minute = '0', second = '0', fraction = ''): number =>
  ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * nanosPerSecond + Number(fraction.padEnd(9, '0'))

/** Whether two have an order: points in time, or times of day. */
export const areComparable = (a: Instant, b: Instant): boolean => (a.days === undefined) === (b.days === undefined)

/** Below 0, 0 or above, as `sort` has it; times of day are before all points in time. */
export const compareInstants = (a: Instant, b: Instant): number => toRank(a) - toRank(b) || a.nanos - b.nanos

/** Before the first day that any format has. */
const beforeAll = -1e15

const toRank = ({ days = beforeAll }: Instant): number => days

const dash = 0x2d
const plus = 0x2b
const colon = 0x3a
