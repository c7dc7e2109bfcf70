/**
 * Events that the collector refused, or set aside, are events of the server's own: they go the way of all others, into the
 * log and to files, under names that no sender can use, for a sender's name has no `/`. Each is a row of one table.
 */
import type { RegisteredField } from './parquet/event-schema.ts'

/** The directory of all refused events, below the output directory. Hadoop and its like skip names with this first letter. */
export const refusedDirectory = '_refused'

/** The directory in it of events whose type could not be read. */
export const unknownType = '_unknown'

const mark = '/'

/** The name under which refused events of a type are kept. @param type empty where it is not known */
export const toRefusedName = (type: string): string => `${mark}${type}`

/** Whether events of a name are refused ones. */
export const isRefusedName = (name: string): boolean => name.charCodeAt(0) === 0x2f

/** The type of refused events; empty where it is not known. */
export const refusedTypeOf = (name: string): string => name.slice(mark.length)

/** The columns of the table, whatever the type: a member of each row, or null. */
const columnTypes = {
  id: 'string',
  kind: 'string',
  when: 'date',
  api: 'string',
  peer: 'string',
  code: 'string',
  detail: 'string',
  position: 'long',
  events: 'long',
  type: 'string',
  method: 'string',
  target: 'string',
  contentType: 'string',
  contentEncoding: 'string',
  headers: 'string',
  requestKey: 'string',
  bytes: 'long',
  isCut: 'boolean',
  isReplayable: 'boolean',
  sent: 'string',
  sentBase64: 'string',
  eventIds: 'string',
  fingerprint: 'string',
  dates: 'string',
  sender: 'string',
} as const

/** A column of refused events. */
export type RefusedColumn = keyof typeof columnTypes

/** The columns as a registry would have them. */
export const refusedFields: readonly RegisteredField[] = Object.entries(columnTypes).map(([name, type], i) => ({
  id: i + 1,
  name,
  type,
}))

/** The only field of a row in a body of Thrift records; it holds the row as JSON. */
export const rowField = 1
