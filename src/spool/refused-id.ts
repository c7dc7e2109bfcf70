/**
 * Ids of refused events are UUIDs of version 8 (RFC 9562 §5.8). The first 48 bits are the time of receipt in ms, so ids are in
 * order of time; the last 24 are of the CRC of the directory of its type. So an id says in which directory its row is. Those of
 * version 7, which were made before, say the hour alone.
 */
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { encodeEventName } from './bucket.ts'
import { toRefusedName } from './refused.ts'

/** Makes one. @param when ms since the epoch @param type empty where it is not known */
export const createRefusedId = (when: number, type: string): string => {
  const random = randomUUID().slice(15, -typePartLength)
  return `${toTimePart(when)}-8${random}${toTypePart(encodeEventName(toRefusedName(type)))}`
}

/** The time that an id holds; undefined for what is no such id. */
export const timeOfRefusedId = (id: string): number | undefined =>
  form.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined

/** What an id says of the directory of its type: what {@link toTypePart} makes of it; undefined where it says nothing. */
export const typePartOf = (id: string): string | undefined =>
  id[versionAt] === '8' ? id.slice(-typePartLength) : undefined

/** @param directory of a type, below the directory of all types */
export const toTypePart = (directory: string): string =>
  crc32(directory).toString(16).padStart(8, '0').slice(-typePartLength)

/** Not above any id of that time or later, and above all others. */
export const firstRefusedId = (when: number): string => `${toTimePart(when)}-7000-8000-000000000000`

/** All ids that are within a text. */
export const refusedIdsIn = (text: string): readonly string[] => text.match(somewhere) ?? []

const shape = String.raw`[\da-f]{8}-[\da-f]{4}-[78][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}`
const form = new RegExp(`^${shape}$`)
const somewhere = new RegExp(shape, 'g')

const versionAt = 14
const typePartLength = 6

const maxTime = 2 ** 48 - 1

const toTimePart = (when: number): string => {
  const hex = Math.min(maxTime, Math.max(0, Math.floor(when)))
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
