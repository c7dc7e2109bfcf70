/** A point in time, exact to the nanosecond. */
export type Instant = {
  /** ms since the epoch, */
  readonly ms: number
  /** and nanoseconds beyond them. */
  readonly nanos: number
}

/** `2024-05-01`, `2024-05-01T10:20`, `2024-05-01 10:20:30.123456789+02:00`; UTC where it has no offset. */
const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d)?)?)?$/

const shortest = '2024-05-01'.length
const longest = '2024-05-01T10:20:30.123456789+02:00'.length

/** The time that an ISO 8601 text names; undefined where it names none. */
export const toInstant = (text: string): Instant | undefined => {
  // Most texts are no times, and this is asked of each of them.
  if (text.length < shortest || text.length > longest || text.charCodeAt(4) !== dash) return undefined
  const match = isoTime.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, hours = '0', minutes = '0'] =
    match
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // The engine goes on into the next month, as from February 30.
  const date = new Date(midnight)
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const nanos = Number(fraction.padEnd(9, '0'))
  const seconds = (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second)
  return { ms: midnight + seconds * 1_000 + Math.floor(nanos / 1_000_000), nanos: nanos % 1_000_000 }
}

/** Below 0, 0 or above, as `sort` has it. */
export const compareInstants = (a: Instant, b: Instant): number => a.ms - b.ms || a.nanos - b.nanos

const dash = 0x2d
