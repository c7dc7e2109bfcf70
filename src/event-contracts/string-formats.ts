/** Formats of texts that are checked; any other is a note for people. */
import { isIPv4, isIPv6 } from 'node:net'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const day = /^(\d{4})-(\d\d)-(\d\d)$/
const time = /^([01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
/** No such text is longer. */
const maxLength = 64

const isDay = (text: string): boolean => {
  if (!day.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  // The engine takes February 30 for a day of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const isTime = (text: string): boolean => text.length <= maxLength && time.test(text)

/** As RFC 3339 and others have them. */
export const stringFormats: Readonly<Record<string, (text: string) => boolean>> = {
  date: text => text.length === 10 && isDay(text),
  time: isTime,
  'date-time': text => /^[Tt ]$/.test(text.charAt(10)) && isDay(text.slice(0, 10)) && isTime(text.slice(11)),
  uuid: text => text.length === 36 && uuid.test(text),
  ipv4: text => text.length <= maxLength && isIPv4(text),
  ipv6: text => text.length <= maxLength && isIPv6(text),
}

/** Their names. */
export const checkedFormats: ReadonlySet<string> = new Set(Object.keys(stringFormats))
