import { FormatError } from '../../errors.ts'
import { checkFieldList, encodeFields, maxFields as maxFieldIds, thriftType } from '../../formats/thrift/field-list.ts'
import type { Granularity } from '../../spool/batch.ts'
import { maxEventDate } from '../../spool/bucket.ts'
import { createEventBudget } from '../event-limits.ts'
import { type EnvelopeEvent, readObjectStream } from './object-stream.ts'

/** The event of one entry; its name is the category. */
export type LogEvent = {
  readonly date: number
  readonly granularity: Granularity
  /** Other than the category only where an envelope says so. */
  readonly name?: string
  /** One field list, whole. */
  readonly payload: Uint8Array
}

/**
 * Reads the message of an entry, `<ms since the epoch>:<data>` as the predecessor took it; runs of `:` count as one.
 * The data is the first of these that it can be:
 *
 * 1. in base64, a Java object stream with an event of its own date (see `object-stream.ts`) and the category's name;
 * 2. in base64 of either alphabet, other characters skipped, exactly one field list;
 * 3. text, as it is: the event's field 1.
 *
 * The text before data of the first two kinds is ignored. A message without a timestamp is text, whole: nothing that
 * was sent is left out.
 * @param maxFields of a field list; one with more is text
 */
export const parseLogMessage = (
  category: string,
  message: Uint8Array,
  receivedAt: number,
  maxFields: number = maxFieldIds,
): LogEvent => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const start = skipColons(bytes, 0)
  const colon = bytes.indexOf(separator, start)
  if (colon < 0) return toText(bytes, receivedAt)
  const dataStart = skipColons(bytes, colon)
  const stamp = bytes.toString('latin1', start, Math.min(colon, start + maxStampLength))
  const isStamp = stampForm.test(stamp)
  if (hasThirdPart(bytes, dataStart) && !longStamp.test(stamp)) return toText(bytes, receivedAt)
  const date = (isStamp ? toDate(stamp) : undefined) ?? receivedAt
  const decoded = Buffer.from(bytes.toString('latin1', dataStart), 'base64')
  const envelope = readObjectStream(decoded)
  if (envelope) return toEvent(category, envelope, maxFields) ?? toText(bytes, receivedAt)
  if (isFieldList(decoded, maxFields)) return { date, granularity: 'HOURLY', payload: decoded }
  return isStamp ? toText(bytes.subarray(dataStart), date) : toText(bytes, receivedAt)
}

const separator = 0x3a
/** Longer ones are not dates. */
const maxStampLength = 24
const stampForm = /^[+-]?\d+$/
/** Only after this many digits may the data hold `:`; `12:30:45 …` is a time of day, not a date and its data. */
const longStamp = /^\d{12,}$/

const skipColons = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (bytes[at] === separator) at++
  return at
}

const hasThirdPart = (bytes: Buffer, dataStart: number): boolean => {
  const colon = bytes.indexOf(separator, dataStart)
  return colon !== -1 && skipColons(bytes, colon) < bytes.length
}

const toDate = (stamp: string): number | undefined => {
  const date = Number(stamp)
  return date >= 0 && date <= maxEventDate ? date + 0 : undefined
}

/** Undefined for an event of another name, or one that cannot be stored as it says. */
const toEvent = (
  category: string,
  { typeName, name, date, granularity, payload }: EnvelopeEvent,
  maxFields: number,
): LogEvent | undefined => {
  const isGood = typeName === category && date >= 0 && date <= maxEventDate && isFieldList(payload, maxFields)
  return isGood ? { date, granularity, name, payload } : undefined
}

/** Whole, so that text which happens to begin like one stays text. */
const isFieldList = (bytes: Uint8Array, maxFields: number): boolean => {
  // Most text fails here already, without the price of an error.
  if (bytes.at(-1) !== thriftType.stop || (bytes[0] === thriftType.stop && bytes.length > 1)) return false
  try {
    const budget = maxFields < maxFieldIds ? createEventBudget('thrift', maxFields) : undefined
    return checkFieldList(bytes, 0, bytes.length, budget) === bytes.length
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

const toText = (text: Uint8Array, date: number): LogEvent => {
  const payload = encodeFields([{ id: 1, type: thriftType.string, value: text }])
  return { date, granularity: 'HOURLY', payload }
}
