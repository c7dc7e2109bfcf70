/**
 * Ids of refused events are UUIDs of version 7 (RFC 9562 §5.7): the first 48 bits are the time of receipt in ms. So they are
 * in order of time, and an id says in which hour's directory its row is.
 */
import { randomUUID } from 'node:crypto'

/** Makes one. @param when ms since the epoch */
export const createRefusedId = (when: number): string => {
  const random = randomUUID()
  return `${toTimePart(when)}-7${random.slice(15)}`
}

/** The time that an id holds; undefined for what is no such id. */
export const timeOfRefusedId = (id: string): number | undefined =>
  form.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined

/** Not above any id of that time or later, and above all others. */
export const firstRefusedId = (when: number): string => `${toTimePart(when)}-7000-8000-000000000000`

const form = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

const maxTime = 2 ** 48 - 1

const toTimePart = (when: number): string => {
  const hex = Math.min(maxTime, Math.max(0, Math.floor(when)))
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
