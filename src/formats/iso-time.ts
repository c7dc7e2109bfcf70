/**
 * Dates and times as rows show them, whatever format they are read from: ISO 8601, with as many digits of a second as
 * the type has. Years beyond four digits have a sign and at least six, as ECMAScript writes them; there is no last one.
 *
 *     2024-05-01   10:20:30.123456   2024-05-01T10:20:30.123Z   +5881580-07-11
 */

/** Digits of a second: 3 for milliseconds, 6, or 9. */
export type SecondDigits = 3 | 6 | 9

const units = { 3: 1_000, 6: 1_000_000, 9: 1_000_000_000 } as const
const secondsPerDay = 86_400

/** A day, counted from 1970-01-01. */
export const toIsoDate = (days: number): string => {
  // March is the first month here, so that the odd day is the last of a year (H. Hinnant, "chrono-compatible dates").
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const march = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * march + 2) / 5) + 1
  const month = march < 10 ? march + 3 : march - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${toYear(year)}-${toTwo(month)}-${toTwo(day)}`
}

/** Days from 1970-01-01 to a day; undefined for one that no calendar has. The inverse of {@link toIsoDate}. */
export const toDays = (year: number, month: number, day: number): number | undefined => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const most = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= most)) return undefined
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** A time of day in units of a second; undefined if it is out of range. */
export const toIsoTimeOfDay = (count: number | bigint, digits: SecondDigits): string | undefined => {
  const value = Number(count)
  return value >= 0 && value < secondsPerDay * units[digits] ? toTimeText(value, digits) : undefined
}

/** A time in units of a second since 1970-01-01T00:00Z. */
export const toIsoTimestamp = (count: number | bigint, digits: SecondDigits): string => {
  const perDay = secondsPerDay * units[digits]
  if (typeof count === 'bigint') {
    const size = BigInt(perDay)
    const rest = ((count % size) + size) % size
    return toIsoInstant(Number((count - rest) / size), Number(rest), digits)
  }
  // A quotient next to a whole number may be rounded to it.
  let days = Math.floor(count / perDay)
  let rest = count - days * perDay
  if (rest < 0) {
    days--
    rest += perDay
  }
  return toIsoInstant(days, rest, digits)
}

/** A day and units of a second since it began. */
export const toIsoInstant = (days: number, rest: number, digits: SecondDigits): string => {
  if (days !== lastDay) {
    lastDay = days
    lastDate = toIsoDate(days)
  }
  return `${lastDate}T${toTimeText(rest, digits)}Z`
}

/** Times near one another are the rule. */
let lastDay = 0
let lastDate = '1970-01-01'

const toTimeText = (rest: number, digits: SecondDigits): string => {
  const seconds = Math.floor(rest / units[digits])
  const fraction = rest - seconds * units[digits]
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const tail = String(fraction + units[digits]).slice(1)
  return `${toTwo(hours)}:${toTwo(minutes - hours * 60)}:${toTwo(seconds - minutes * 60)}.${tail}`
}

const twos = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
const toTwo = (number: number): string => twos[number] as string

const toYear = (year: number): string => {
  if (year >= 0 && year <= 9_999) return String(year).padStart(4, '0')
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`
}
