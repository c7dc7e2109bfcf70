import { SluiceError } from '../errors.ts'
import { type EventHead, type Granularity, granularities } from './batch.ts'
import { isRefusedName, refusedDirectory, refusedTypeOf, unknownType } from './refused.ts'

/** Longest event name in a path, in bytes after escaping: what HDFS and common local file systems take. */
const maxEncodedNameBytes = 255

/** ms of 9999-12-31T23:59:59.999Z: later dates have five-digit years and would sort wrongly. */
export const maxEventDate = Date.UTC(10_000, 0, 1) - 1

const plain = /^[A-Za-z0-9-][A-Za-z0-9.\-_]*$/
const forbidden = /[\p{Cc}/\\]/u

/**
 * The event name as a path component: `A-Za-z0-9.-_` stay, everything else becomes `%XX` of its UTF-8 bytes, and so
 * does a leading `_` or `.` (Hadoop skips such files). Refused events have a directory of their own (`refused.ts`).
 */
export const encodeEventName = (name: string): string => {
  if (plain.test(name)) return name
  if (isRefusedName(name)) return `${refusedDirectory}/${encodeEventName(refusedTypeOf(name)) || unknownType}`
  let encoded = ''
  for (const byte of new TextEncoder().encode(name)) {
    const char = String.fromCharCode(byte)
    const keep = /[A-Za-z0-9.\-_]/.test(char) && !(encoded === '' && (char === '_' || char === '.'))
    encoded += keep ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/**
 * Refuses an event name that cannot be a path component.
 * @throws SluiceError `bad-event-name`: empty, a slash, backslash or control character, a lone surrogate, or longer
 *   than 255 bytes after escaping
 */
export const checkEventName = (name: string): void => {
  if (name === '') throw new SluiceError('bad-event-name', 'The event name is empty; expected 1 to 255 bytes')
  if (name.length <= maxEncodedNameBytes && plain.test(name)) return
  const found = forbidden.exec(name)
  if (found) {
    const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    throw new SluiceError(
      'bad-event-name',
      `The event name has U+${code} at character ${found.index}; "/", "\\" and control characters are not allowed`,
    )
  }
  if (!name.isWellFormed()) throw new SluiceError('bad-event-name', 'The event name has a lone surrogate')
  const bytes = name.length > maxEncodedNameBytes ? name.length : encodeEventName(name).length
  if (bytes > maxEncodedNameBytes) {
    throw new SluiceError('bad-event-name', `The event name takes ${bytes} bytes in a path; at most 255 are allowed`)
  }
}

/** Any case is taken, as the old server's query parameter was; undefined when it is not a granularity. */
export const parseGranularity = (text: string): Granularity | undefined => {
  const upper = text.toUpperCase()
  return granularities.find(name => name === upper)
}

const dayMs = 86_400_000
/** 1970-01-05, the first Monday. */
const firstMonday = 4 * dayMs

/** A whole number that is the same for two dates exactly when they fall into the same bucket; cheap, for counting. */
export const bucketPeriod = (date: number, granularity: Granularity): number => {
  switch (granularity) {
    case 'MINUTE':
      return Math.floor(date / 60_000)
    case 'HOURLY':
      return Math.floor(date / 3_600_000)
    case 'DAILY':
      return Math.floor(date / dayMs)
    case 'WEEKLY':
      return Math.floor((date - firstMonday) / (7 * dayMs))
    case 'MONTHLY': {
      const at = new Date(date)
      return at.getUTCFullYear() * 12 + at.getUTCMonth()
    }
    case 'YEARLY':
      return new Date(date).getUTCFullYear()
  }
}

/** The same for two events only when they have one directory; those of several granularities may have it too. */
export const bucketKey = (kind: string, { name, date, granularity }: BucketHead): string =>
  `${kind} ${granularity} ${bucketPeriod(date, granularity)} ${name}`

/** Whether two events of one kind have the same {@link bucketKey}. */
export const isSameBucket = (a: BucketHead, b: BucketHead): boolean =>
  a.name === b.name &&
  a.granularity === b.granularity &&
  (a.date === b.date || bucketPeriod(a.date, a.granularity) === bucketPeriod(b.date, b.granularity))

/** What decides the bucket of an event. */
export type BucketHead = Pick<EventHead, 'name' | 'date' | 'granularity'>

/** How the directories of buckets are named where a directory is all there is: by parts of the date, or as tables of Hive have them. */
export const plainLayouts = ['dated', 'hive'] as const
/** Those, and that of the files of an Iceberg table. */
export const outputLayouts = [...plainLayouts, 'iceberg'] as const
export type OutputLayout = (typeof outputLayouts)[number]

/** How many characters of `yyyy/MM/dd/HH/mm` each granularity keeps. */
const pathLength: Record<Granularity, number> = { YEARLY: 4, MONTHLY: 7, WEEKLY: 10, DAILY: 10, HOURLY: 13, MINUTE: 16 }

/** The layout of the files of a type: refused events are in no table, for they are found by their directories. */
export const eventLayout = (name: string, layout: OutputLayout): OutputLayout =>
  layout === 'iceberg' && isRefusedName(name) ? 'dated' : layout

/**
 * The directory of an event below the output directory, in UTC. A week is named by its Monday (ISO 8601).
 * - `dated`: `<name>/yyyy[/MM[/dd[/HH[/mm]]]]`;
 * - `hive`: `<name>/dt=yyyy-MM-dd/hour=HH`, the day and hour in which the bucket begins. Every granularity has the same
 *   two columns of partitions, because a table has the same ones throughout;
 * - `iceberg`: `<name>/data/eventDate_hour=yyyy-MM-dd-HH`, the hour of the event itself, whatever its granularity.
 */
export const bucketPath = (head: BucketHead, layout: OutputLayout): string =>
  `${encodeEventName(head.name)}/${periodPath(head, eventLayout(head.name, layout))}`

/** The same below the directory of its type. */
export const periodPath = (
  { date, granularity }: Pick<BucketHead, 'date' | 'granularity'>,
  layout: OutputLayout,
): string => {
  if (layout === 'iceberg') return `${hourDirectory}${new Date(date).toISOString().slice(0, 13).replace('T', '-')}`
  // The Monday of the week of 1970-01-01 lies before the epoch; it is a valid date all the same.
  const start = granularity === 'WEEKLY' ? bucketPeriod(date, 'WEEKLY') * 7 * dayMs + firstMonday : date
  const iso = new Date(start).toISOString()
  const kept = pathLength[granularity]
  if (layout === 'dated') {
    return iso.slice(0, kept).replace('T', '/').replaceAll('-', '/').replace(':', '/')
  }
  // What the granularity does not keep is where its bucket begins.
  const [day = '', hour = ''] = (iso.slice(0, kept) + firstMoment.slice(kept)).split(/[T:]/)
  return `dt=${day}/hour=${hour}`
}

/** Below the directory of a table, in front of the hour. */
const hourDirectory = 'data/eventDate_hour='

/** The table that files of a directory are made for, by its own directory, and the hour of their events; undefined for those of no table. */
export const parseTableDirectory = (
  directory: string,
): { readonly table: string; readonly hour: number } | undefined => {
  const [, table, day, hour] = /^(.+)\/data\/eventDate_hour=(\d{4}-\d\d-\d\d)-(\d\d)$/.exec(directory) ?? []
  if (table === undefined) return undefined
  return { table, hour: Math.floor(Date.parse(`${day}T${hour}:00:00Z`) / 3_600_000) }
}

/** The first moment of a year: completes a date that ends early. */
const firstMoment = 'yyyy-01-01T00:00'
