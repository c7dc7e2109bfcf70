import { decompressLzf } from '../../../src/codecs/lzf.ts'
import { FormatError, SluiceError } from '../../../src/errors.ts'
import { parseJson } from '../../../src/formats/json.ts'
import { splitJsonSequence } from '../../../src/formats/json-sequence.ts'
import { readSmileElements } from '../../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { readRecords, type ThriftRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { checkFieldList } from '../../../src/formats/thrift/field-list.ts'
import type { Batch, EventHead } from '../../../src/spool/batch.ts'
import { checkEventName, maxEventDate, parseGranularity } from '../../../src/spool/bucket.ts'
import { type HeadDefaults, toHead } from './event-head.ts'
import { nextRecord } from './next-record.ts'

/** Most bytes that an LZF file may unfold into. */
const maxUnpackedBytes = 2 ** 30

/** The most events in one request of the spool, and about the most bytes. */
const maxBatchEvents = 10_000
const maxBatchBytes = 8 << 20

/** What a file of the predecessor holds, in portions. */
export type ReadItem =
  | { readonly kind: 'batch'; readonly batch: Batch }
  /** One event, or a stretch of bytes, that cannot be read. */
  | { readonly kind: 'unreadable'; readonly detail: string }

/** The format of a file: what it begins with decides; the name only where that says nothing. */
export const formatOf = (bytes: Uint8Array, suffix: string): Batch['format'] | undefined => {
  if (bytes[0] === 0x3a && bytes[1] === 0x29 && bytes[2] === 0x0a) return 'smile'
  if (bytes[0] === 0x5b || bytes[0] === 0x7b) return 'json'
  if (suffix === 'smile' || suffix === 'json' || suffix === 'thrift') return suffix
  return undefined
}

/** Unfolds LZF, which the predecessor's files do not announce. @throws FormatError */
export const unpackOldFile = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0x5a && bytes[1] === 0x56 ? decompressLzf(bytes, maxUnpackedBytes) : bytes

/** All events of a file that can be read, as they are stored, whatever damage lies between them. */
export const readOldEvents = (
  bytes: Uint8Array,
  format: Batch['format'],
  defaults: HeadDefaults,
): Generator<ReadItem, void, undefined> => {
  switch (format) {
    case 'smile':
      return readSmile(bytes, defaults)
    case 'json':
      return readJson(bytes, defaults)
    case 'thrift':
      return readThrift(bytes)
  }
}

function* readSmile(bytes: Uint8Array, defaults: HeadDefaults): Generator<ReadItem, void, undefined> {
  let writer = createSmileWriter()
  let events: EventHead[] = []
  const flush = (): ReadItem => {
    writer.endArray()
    const batch: Batch = { api: 'POST_Smile_API', format: 'smile', events, body: writer.take() }
    writer = createSmileWriter()
    writer.startArray()
    events = []
    return { kind: 'batch', batch }
  }
  writer.startArray()
  try {
    for (const value of readSmileElements(bytes)) {
      try {
        const head = toHead(value, events.length, defaults)
        writer.write(value)
        events.push(head)
      } catch (error) {
        yield unreadable(error)
      }
      if (isLarge(events.length, writer.byteLength)) yield flush()
    }
  } catch (error) {
    // Back references span the file: nothing after damage can be trusted.
    yield unreadable(error)
  }
  if (events.length > 0) yield flush()
}

function* readJson(bytes: Uint8Array, defaults: HeadDefaults): Generator<ReadItem, void, undefined> {
  let texts: string[] = []
  let events: EventHead[] = []
  let length = 0
  const flush = (): ReadItem => {
    const batch: Batch = { api: 'POST_Json_API', format: 'json', events, body: Buffer.from(`[${texts.join(',')}]`) }
    texts = []
    events = []
    length = 0
    return { kind: 'batch', batch }
  }
  for (const item of splitJsonSequence(new TextDecoder().decode(bytes))) {
    if (item.kind === 'empty') continue
    try {
      if (item.kind === 'error') throw item.error
      events.push(toHead(parseJson(item.text), events.length, defaults))
      length += texts.push(item.text) && item.text.length
    } catch (error) {
      yield unreadable(error)
    }
    if (isLarge(events.length, length)) yield flush()
  }
  if (events.length > 0) yield flush()
}

function* readThrift(bytes: Uint8Array): Generator<ReadItem, void, undefined> {
  let records: Uint8Array[] = []
  let events: EventHead[] = []
  let length = 0
  const flush = (): ReadItem => {
    const batch: Batch = { api: 'POST_Thrift_API', format: 'thrift', events, body: Buffer.concat(records) }
    records = []
    events = []
    length = 0
    return { kind: 'batch', batch }
  }
  for (let at = 0; at < bytes.length; ) {
    const start = at
    try {
      for (const record of readRecords(bytes.subarray(start))) {
        at = start + record.end
        try {
          events.push(toThriftHead(record, events.length))
          records.push(bytes.subarray(start + record.start, at))
          length += record.end - record.start
        } catch (error) {
          yield unreadable(error)
        }
        if (isLarge(events.length, length)) yield flush()
      }
      at = bytes.length
    } catch (error) {
      const next = nextRecord(bytes, at + 1)
      yield { kind: 'unreadable', detail: `bytes ${at} to ${next - 1}: ${(error as Error).message}` }
      at = next
    }
  }
  if (events.length > 0) yield flush()
}

const toThriftHead = (record: ThriftRecord, index: number): EventHead => {
  const granularity = parseGranularity(record.granularity)
  if (granularity === undefined) throw new SluiceError('bad-event', `Unknown granularity ${record.granularity}`)
  if (record.date < 0 || record.date > maxEventDate) throw new SluiceError('bad-event', `${record.date} is not a date`)
  checkEventName(record.typeName)
  checkFieldList(record.payload)
  return { index, name: record.typeName, date: record.date, granularity }
}

const isLarge = (events: number, bytes: number): boolean => events >= maxBatchEvents || bytes >= maxBatchBytes

const unreadable = (error: unknown): ReadItem => {
  if (!(error instanceof FormatError) && !(error instanceof SluiceError)) throw error
  return { kind: 'unreadable', detail: error.message }
}
