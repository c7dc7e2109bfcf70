/**
 * ISO 8601 dates as the `date` parameter has always taken them (Joda's `dateTimeParser`):
 *
 *     date      yyyyMMdd  yyyy  yyyy-MM  yyyy-MM-dd  yyyy-DDD  yyyy-Www  yyyy-Www-e
 *     time      HH[:mm[:ss]] with a fraction of the smallest unit after "." or ","
 *     offset    Z  ±HH  ±HH:mm  ±HHmm  ±HH:mm:ss[.SSS]
 *     whole     date ["T" [time] [offset]]  |  "T" time [offset]   (the latter on 1970-01-01)
 *
 * Without an offset it is UTC. As in RFC 3339 `t` and `z` may be lower case, and the last minute of an hour may have a
 * second 60, a leap second: it is the first one of the next minute.
 */

const hourMs = 3_600_000
const minuteMs = 60_000
const dayMs = 86_400_000

/** Longer texts are not dates. */
const maxDateLength = 64

const whole = /^(?:(\d{4})(?:-(\d{3})|-[Ww](\d{1,2})(?:-(\d))?|-(\d{1,2})(?:-(\d{1,2}))?)?)?([Tt](.*))?$/
/** The basic format, of days alone. */
const basic = /^(\d{4})(\d\d)(\d\d)$/
const timeAndOffset = /^(?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?(?:[.,](\d+))?)?([Zz]|[+-].*)?$/
const zone = /^([+-])(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,3}))?)?)?$/

/** What `toISOString` writes, and with it nearly every client. */
const usual = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** ms since the epoch, or undefined when the text is no such date; the range is for the caller to check. */
export const parseIsoDate = (text: string): number | undefined =>
  (usual.test(text) ? parseUsual(text) : undefined) ?? parseAny(text)

/** Also undefined where the engine would roll over into the next day, as from February 30 or at 24:00. */
const parseUsual = (text: string): number | undefined => {
  const ms = Date.parse(text)
  return new Date(ms).getUTCDate() === Number(text.slice(8, 10)) ? ms : undefined
}

const parseAny = (text: string): number | undefined => {
  if (text.length > maxDateLength) return undefined
  const match = whole.exec(text.replace(basic, '$1-$2-$3'))
  if (!match) return undefined
  const [, year, dayOfYear, week, weekday, month, day, time, timeText] = match
  if (year === undefined && (time === undefined || !/^\d/.test(timeText ?? ''))) return undefined
  const start = year === undefined ? 0 : dayStart(Number(year), { dayOfYear, week, weekday, month, day })
  if (start === undefined) return undefined
  if (time === undefined) return start
  const offset = timeMs(timeText ?? '')
  return offset === undefined ? undefined : start + offset
}

type DayParts = { readonly [part in 'dayOfYear' | 'week' | 'weekday' | 'month' | 'day']: string | undefined }

const dayStart = (year: number, parts: DayParts): number | undefined => {
  if (parts.dayOfYear !== undefined) {
    const day = Number(parts.dayOfYear)
    const days = (utc(year + 1, 0, 1) - utc(year, 0, 1)) / dayMs
    return day >= 1 && day <= days ? utc(year, 0, day) : undefined
  }
  if (parts.week !== undefined) return weekStart(year, Number(parts.week), Number(parts.weekday ?? 1))
  const month = Number(parts.month ?? 1)
  const day = Number(parts.day ?? 1)
  const at = utc(year, month - 1, day)
  const date = new Date(at)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? at : undefined
}

/** Week 1 is the one that holds January 4th; weeks start on Monday. */
const weekStart = (year: number, week: number, weekday: number): number | undefined => {
  if (week < 1 || weekday < 1 || weekday > 7) return undefined
  const at = firstWeek(year) + ((week - 1) * 7 + weekday - 1) * dayMs
  return at < firstWeek(year + 1) ? at : undefined
}

const firstWeek = (year: number): number => {
  const fourth = utc(year, 0, 4)
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs
}

/** `Date.UTC` takes the years 0 to 99 for 1900 to 1999. */
const utc = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month, day)

const timeMs = (text: string): number | undefined => {
  const match = timeAndOffset.exec(text)
  if (!match) return undefined
  const [, hours, minutes, seconds, fraction, offset] = match
  const [hour, minute, second] = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)]
  if (hour > 23 || minute > 59 || second > (minute === 59 ? 60 : 59)) return undefined
  const unit = seconds !== undefined ? 1000 : minutes !== undefined ? minuteMs : hourMs
  const rest = fraction === undefined ? 0 : Math.floor(fractionOf(fraction, unit))
  const shift = offset === undefined ? 0 : offsetMs(offset)
  return shift === undefined ? undefined : hour * hourMs + minute * minuteMs + second * 1000 + rest - shift
}

/** Whole numbers first, so that `.006` of a second is 6 and not 5.999…; digits beyond the ninth are below a ms. */
const fractionOf = (digits: string, unitMs: number): number => {
  const used = digits.slice(0, 9)
  return (Number(used) * unitMs) / 10 ** used.length
}

const offsetMs = (text: string): number | undefined => {
  if (text === 'Z' || text === 'z') return 0
  const match = zone.exec(text)
  if (!match) return undefined
  const [, sign, hours, minutes, seconds, fraction] = match
  const [hour, minute, second] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const ms = hour * hourMs + minute * minuteMs + second * 1000 + Number((fraction ?? '').padEnd(3, '0'))
  return sign === '-' ? -ms : ms
}
