import { parseDateParameter, toEventDate } from '../../../src/collector/parsers/event-date.ts'
import { bucketKey, bucketPath, checkEventName, maxEventDate, parseGranularity } from '../../../src/spool/bucket.ts'
import { tried } from '../tried.ts'

/** Dates, granularities and event names, and the directory that they make; a line for each, or one for all. */
export const name = 'dates'

export const dictionary = [
  'T',
  'Z',
  'W',
  '-',
  ':',
  '.',
  ',',
  '+',
  '24',
  '60',
  '0000',
  '9999',
  '-W53',
  '-366',
  '%',
  '_',
  '/',
]

/** A date lies within the years that it may; a path has one directory for the name, and digits below it. */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  const lines = text.split('\n')
  const given = tried(() => parseDateParameter(lines[0] ?? ''))
  const date = given ?? toEventDate(text) ?? toEventDate(Number(lines[0])) ?? 0
  if (!Number.isInteger(date) || Object.is(date, -0) || date < 0 || date > maxEventDate) {
    throw new Error(`${date} is no date of an event`)
  }
  const granularity = parseGranularity(lines[1] ?? '') ?? 'MINUTE'
  const eventName = lines[2] ?? text
  if (tried(() => checkEventName(eventName) ?? true) === undefined) return
  const head = { name: eventName, date, granularity }
  const path = bucketPath(head, 'dated')
  if (!/^[A-Za-z0-9%-][A-Za-z0-9.\-_%]*\/\d{4}(\/\d\d){0,4}$/.test(path)) throw new Error(`the path ${path}`)
  if (decodeURIComponent(path.slice(0, path.indexOf('/'))) !== eventName) throw new Error(`${path} loses the name`)
  if (bucketKey('x', head) !== bucketKey('x', { ...head })) throw new Error('no stable bucket')
}
