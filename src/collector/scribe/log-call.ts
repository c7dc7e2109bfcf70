import { GrowingBytes } from '../../bytes/growing-bytes.ts'
import { FormatError, SluiceError } from '../../errors.ts'
import { encodeRecord } from '../../formats/thrift/envelope-stream.ts'
import { encodeFields } from '../../formats/thrift/field-list.ts'
import type { ThriftReader } from '../../formats/thrift/reader.ts'
import { decodeThriftText } from '../../formats/thrift/text.ts'
import { type ThriftField, thriftType, toTypeName } from '../../formats/thrift/types.ts'
import { maxStructBytes } from '../../formats/thrift/writer.ts'
import type { EventHead } from '../../spool/batch.ts'
import { checkEventName } from '../../spool/bucket.ts'
import { maxEventBytes, tooManyBytes } from '../event-limits.ts'
import { createRejections, type Parsed, tooManyEvents } from '../parsed.ts'
import type { WorkSteps } from '../work-turns.ts'
import { type LogEvent, parseLogMessage } from './log-message.ts'

/** The result of a `Log` call. */
export const resultCode = { ok: 0, tryLater: 1 } as const

/** The events of a call, and how many entries it has, good and bad. */
export type LogCall = {
  readonly parsed: Parsed
  readonly entries: number
  /** Whether an entry is among them that is over the limits of an event. */
  readonly isOverLimits: boolean
}

/** What a call may hold. */
export type LogLimits = { readonly maxEvents: number; readonly maxValues: number }

/**
 * The event name for an entry whose category is missing, or cannot be the name of an event: the category is its field
 * 2.
 */
export const unnamed = 'unnamed'

/**
 * Reads the arguments of `Log`: a struct with `1: list<LogEntry>`, each `1: string category, 2: string message`; other
 * fields are skipped. Every entry with a message becomes an event, so that nothing vanishes which is answered OK; only
 * one over the limits of an event is a rejection, and changes nothing for the others.
 * @throws FormatError `thrift` for a struct that cannot be read, SluiceError `too-large` for more than `maxEvents`
 */
export function* readLogCall(reader: ThriftReader, receivedAt: number, limits: LogLimits): WorkSteps<LogCall> {
  const rejections = createRejections()
  const events: EventHead[] = []
  // Many records would be there twice while they are put together.
  const body = reader.left > longBytes ? new GrowingBytes(maxStructBytes) : undefined
  const records: Uint8Array[] = []
  let entries = 0
  let isOverLimits = false
  const names: KnownName[] = []
  const take = (entry: LogEntry, index: number): void => {
    const event = readEvent(entry, receivedAt, names, limits.maxValues)
    if (typeof event === 'string') {
      isOverLimits ||= event === tooManyBytes
      rejections.add(index, 'bad-event', event)
      if (entry.message) rejections.keep(index, entry.message)
      return
    }
    const { typeName: name, date, granularity } = event
    events.push({ index: events.length, name, date, granularity })
    const record = encodeRecord(event)
    if (body) body.append(record)
    else records.push(record)
  }
  for (let type = reader.fieldType(); type !== thriftType.stop; type = reader.fieldType()) {
    const id = reader.i16()
    if (id !== 1 || type !== thriftType.list) reader.skip(type)
    else {
      const count = readListHead(reader)
      if (entries + count > limits.maxEvents) throw tooManyEvents(limits.maxEvents)
      for (let i = 0; i < count; i++) {
        take(readEntry(reader), entries + i)
        yield
      }
      entries += count
    }
  }
  const parsed: Parsed = { format: 'thrift', body: body?.bytes() ?? Buffer.concat(records), events, rejections }
  return { parsed, entries, isOverLimits }
}

/** Arguments longer than this are read in turns. */
export const longBytes = 256 * 1024

type LogEntry = { readonly category: Uint8Array | undefined; readonly message: Uint8Array | undefined }

/** The count is checked against what is left: an entry takes a byte at least. */
const readListHead = (reader: ThriftReader): number => {
  const at = reader.offset
  const type = reader.fieldType()
  const count = reader.i32()
  if (count !== 0 && type !== thriftType.struct) {
    throw new FormatError('thrift', at, `expected a list of structs, found one of ${toTypeName(type)}`)
  }
  if (count >= 0 && count <= reader.left) return count
  throw new FormatError('thrift', at, `expected at most ${reader.left} entries in what is left, found ${count}`)
}

const readEntry = (reader: ThriftReader): LogEntry => {
  let category: Uint8Array | undefined
  let message: Uint8Array | undefined
  for (let type = reader.fieldType(); type !== thriftType.stop; type = reader.fieldType()) {
    const id = reader.i16()
    if (type !== thriftType.string || id < 1 || id > 2) reader.skip(type)
    else if (id === 1) category = reader.binary()
    else message = reader.binary()
  }
  return { category, message }
}

type NamedEvent = LogEvent & { readonly typeName: string }

/** A category that is the name of an event. */
type KnownName = { readonly bytes: Uint8Array; readonly name: string }

/** The most names remembered within a call: it usually holds few. */
const maxKnownNames = 8

/** @param known names that were checked; more are added */
const readEvent = (
  { category, message }: LogEntry,
  receivedAt: number,
  known: KnownName[],
  maxValues: number,
): NamedEvent | string => {
  if (message === undefined) return 'The entry has no message'
  if (message.length > maxEventBytes) return tooManyBytes
  const typeName = category && toName(category, known)
  if (typeName !== undefined) {
    const { date, granularity, name = typeName, payload } = parseLogMessage(typeName, message, receivedAt, maxValues)
    return { typeName, name, date, granularity, payload }
  }
  const fields: ThriftField[] = [{ id: 1, type: thriftType.string, value: message }]
  if (category) fields.push({ id: 2, type: thriftType.string, value: category })
  return { typeName: unnamed, date: receivedAt, granularity: 'HOURLY', payload: encodeFields(fields) }
}

/** Undefined for what cannot be the name of an event. */
const toName = (category: Uint8Array, known: KnownName[]): string | undefined => {
  for (const { bytes, name } of known) if (isSame(bytes, category)) return name
  if (category.length > maxCategoryBytes) return undefined
  const name = decodeThriftText(category)
  try {
    checkEventName(name)
  } catch (error) {
    if (error instanceof SluiceError) return undefined
    throw error
  }
  if (known.length < maxKnownNames) known.push({ bytes: category, name })
  return name
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Longer ones cannot be event names. */
const maxCategoryBytes = 1_024
