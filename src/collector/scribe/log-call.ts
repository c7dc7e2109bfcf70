import { FormatError, SluiceError } from '../../errors.ts'
import { encodeRecord } from '../../formats/thrift/envelope-stream.ts'
import type { ThriftReader } from '../../formats/thrift/reader.ts'
import { toText } from '../../formats/thrift/text.ts'
import { thriftType, toTypeName } from '../../formats/thrift/types.ts'
import type { EventHead } from '../../spool/batch.ts'
import { checkEventName } from '../../spool/bucket.ts'
import { createRejections, type Parsed, tooManyEvents } from '../parsed.ts'
import { type LogEvent, parseLogMessage } from './log-message.ts'

/** The result of a `Log` call. */
export const resultCode = { ok: 0, tryLater: 1 } as const

/** The events of a call, and how many entries it has, good and bad. */
export type LogCall = { readonly parsed: Parsed; readonly entries: number }

/**
 * Reads the arguments of `Log`: a struct with `1: list<LogEntry>`, each `1: string category, 2: string message`; other
 * fields are passed over. An entry that makes no event is listed as a rejection and changes nothing for the others.
 * @throws FormatError `thrift` for a struct that cannot be read, SluiceError `too-large` for more than `maxEvents`
 */
export const readLogCall = (reader: ThriftReader, receivedAt: number, maxEvents: number): LogCall => {
  const rejections = createRejections()
  const events: EventHead[] = []
  const records: Uint8Array[] = []
  let entries = 0
  let lastName: string | undefined
  const take = (entry: LogEntry, index: number): void => {
    const event = readEvent(entry, receivedAt, lastName)
    if (typeof event === 'string') rejections.add(index, 'bad-event', event)
    else if (event instanceof SluiceError) rejections.add(index, 'bad-event-name', event.message)
    else {
      const { typeName: name, date, granularity } = event
      lastName = name
      events.push({ index: events.length, name, date, granularity })
      records.push(encodeRecord(event))
    }
  }
  for (let type = reader.fieldType(); type !== thriftType.stop; type = reader.fieldType()) {
    const id = reader.i16()
    if (id !== 1 || type !== thriftType.list) reader.skip(type)
    else {
      const count = readListHead(reader)
      if (entries + count > maxEvents) throw tooManyEvents(maxEvents)
      for (let i = 0; i < count; i++) take(readEntry(reader), entries + i)
      entries += count
    }
  }
  return { parsed: { format: 'thrift', body: Buffer.concat(records), events, rejections }, entries }
}

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

/** @param known a name that was checked; neighbours mostly share theirs */
const readEvent = (
  { category, message }: LogEntry,
  receivedAt: number,
  known: string | undefined,
): NamedEvent | SluiceError | string => {
  if (category === undefined) return 'The entry has no category'
  if (message === undefined) return 'The entry has no message'
  const typeName = toText(category.length > maxCategoryBytes ? category.subarray(0, maxCategoryBytes) : category)
  if (typeName !== known) {
    try {
      checkEventName(typeName)
    } catch (error) {
      if (error instanceof SluiceError) return error
      throw error
    }
  }
  const event = parseLogMessage(typeName, message, receivedAt)
  return typeof event === 'string' ? event : { ...event, typeName }
}

/** Longer ones are no event name, and one this long is refused as such. */
const maxCategoryBytes = 1_024
