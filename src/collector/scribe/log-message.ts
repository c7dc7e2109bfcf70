import { FormatError } from '../../errors.ts'
import { checkFieldList, encodeFields, thriftType } from '../../formats/thrift/field-list.ts'
import type { Granularity } from '../../spool/batch.ts'
import { maxEventDate } from '../../spool/bucket.ts'
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
 * Reads the message of an entry, `<ms since the epoch>:<data>` as the predecessor took it. Runs of `:` count as one, and a
 * first part that is no date stands for the time of receipt. The data is the first of these that it can be:
 *
 * 1. in base64, a Java object stream with an event of its own date (see `object-stream.ts`);
 * 2. in base64 of either alphabet, other characters skipped, exactly one field list;
 * 3. text, as it is: the event's field 1.
 *
 * @returns why there is no event, where the message has no such form
 */
export const parseLogMessage = (category: string, message: Uint8Array, receivedAt: number): LogEvent | string => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const start = skipColons(bytes, 0)
  const colon = bytes.indexOf(separator, start)
  const dataStart = colon === -1 ? bytes.length : skipColons(bytes, colon)
  if (dataStart === bytes.length) return 'The message is not of the form <timestamp>:<data>'
  const stamp = bytes.toString('latin1', start, Math.min(colon, start + maxStampLength))
  if (hasThirdPart(bytes, dataStart) && !longStamp.test(stamp)) {
    return 'The message has more than two parts, and the first is no timestamp'
  }
  const date = toDate(stamp) ?? receivedAt
  const decoded = Buffer.from(bytes.toString('latin1', dataStart), 'base64')
  const envelope = readObjectStream(decoded)
  if (envelope) return checkEnvelope(category, envelope)
  const payload = isFieldList(decoded) ? decoded : toTextField(bytes.subarray(dataStart))
  return { date, granularity: 'HOURLY', payload }
}

const separator = 0x3a
/** Longer ones are no date. */
const maxStampLength = 24
const stampForm = /^[+-]?\d+$/
/** Only in front of so many digits may the data hold `:`; `12:30:45 …` is a time of day, not a date and its data. */
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
  if (!stampForm.test(stamp)) return undefined
  const date = Number(stamp)
  return date >= 0 && date <= maxEventDate ? date + 0 : undefined
}

const checkEnvelope = (category: string, { typeName, name, date, granularity, payload }: EnvelopeEvent) => {
  if (typeName !== category) return 'The message holds an event of another name than its category'
  if (date < 0 || date > maxEventDate) return 'The message holds an event with a date outside the years 1970 to 9999'
  if (!isFieldList(payload)) return 'The message holds an event whose payload is no list of Thrift fields'
  return { date, granularity, name, payload }
}

/** Whole, so that text which happens to begin like one stays text. */
const isFieldList = (bytes: Uint8Array): boolean => {
  // Most text fails here already, without the price of an error.
  if (bytes.at(-1) !== thriftType.stop || (bytes[0] === thriftType.stop && bytes.length > 1)) return false
  try {
    return checkFieldList(bytes) === bytes.length
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

const toTextField = (text: Uint8Array): Uint8Array => encodeFields([{ id: 1, type: thriftType.string, value: text }])
