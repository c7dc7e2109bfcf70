import { randomBytes } from 'node:crypto'
import { stringifyJson } from '../formats/json.ts'
import { Float64, type Value } from '../formats/number.ts'
import { createSequenceFileWriter, type SequenceFileWriter } from '../formats/sequence-file/writer.ts'
import { createSmileWriter } from '../formats/smile/writer.ts'
import { encodeEnvelope } from '../formats/thrift/envelope.ts'
import { decodeFields, type ThriftField, thriftType } from '../formats/thrift/field-list.ts'
import type { ExpandedEvent } from './expand.ts'
import type { OutputFormat } from './ledger-state.ts'

/** Gathers the events of one bucket file. */
export type Encoder = {
  /** File name extension, without a dot in front and without that of a codec. */
  readonly extension: string
  /** Adds an event whole, or throws and adds nothing. */
  add(event: ExpandedEvent): void
  finish(): Uint8Array
}

/** One encoder per output format and kind of event. */
export const createEncoder = (format: OutputFormat, kind: ExpandedEvent['kind']): Encoder => encoders[format][kind]()

/** Class names that the predecessor's readers know. */
const classNames = {
  key: 'com.ning.metrics.serialization.thrift.hadoop.TBooleanWritable',
  thrift: 'com.ning.metrics.serialization.thrift.ThriftEnvelope',
  smile: 'com.ning.metrics.serialization.smile.SmileOutputStream',
} as const

/** The key of every record: a struct whose field 1 is true. */
const trueKey = Uint8Array.of(2, 0, 1, 1, 0)

/** One Smile array of envelopes; back references span all of it, as in the predecessor's files. */
const smile = (): Encoder => {
  const writer = createSmileWriter()
  writer.startArray()
  return {
    extension: 'smile',
    add: event => writer.write(toEnvelope(event)),
    finish: () => {
      writer.endArray()
      return writer.take()
    },
  }
}

/** `.thrift` records one after another, as they were kept. */
const thrift = (): Encoder => {
  const records: Uint8Array[] = []
  return {
    extension: 'thrift',
    add: event => {
      if (event.kind === 'thrift') records.push(event.bytes)
    },
    finish: () => Buffer.concat(records),
  }
}

const sequenceFile = (valueClass: string, toValue: (event: ExpandedEvent) => Uint8Array): Encoder => {
  const writer: SequenceFileWriter = createSequenceFileWriter({
    keyClass: classNames.key,
    valueClass,
    sync: randomBytes(16),
  })
  return {
    extension: 'seq',
    add: event => writer.append(trueKey, toValue(event)),
    finish: () => writer.finish(),
  }
}

/** `{"eventName", "payload"}` per line: a file can be posted again. */
const jsonLines = (): Encoder => {
  const lines: string[] = []
  return {
    extension: 'jsonl',
    add: event => void lines.push(`${stringifyJson(toEnvelope(event))}\n`),
    finish: () => Buffer.from(lines.join('')),
  }
}

/** Type name and payload; date and granularity have no place in it, as of old. */
const toThriftEnvelope = (event: ExpandedEvent): Uint8Array =>
  event.kind === 'thrift' ? encodeEnvelope(event.record) : new Uint8Array()

/** i32 length and name in ISO-8859-1, then a Smile array that holds the payload. */
const toSmileBucket = (event: ExpandedEvent): Uint8Array => {
  const name = Buffer.from(event.head.name, 'latin1')
  const length = Buffer.alloc(4)
  length.writeInt32BE(name.length)
  const writer = createSmileWriter()
  writer.startArray()
  writer.write(event.kind === 'smile' ? event.payload : thriftPayload(event))
  writer.endArray()
  return Buffer.concat([length, name, writer.take()])
}

const toEnvelope = (event: ExpandedEvent): Value => ({
  eventName: event.head.name,
  payload: event.kind === 'smile' ? event.payload : thriftPayload(event),
})

/** Thrift fields under their ids, with the date and granularity of their record. */
const thriftPayload = ({ head, record }: Extract<ExpandedEvent, { kind: 'thrift' }>): Value => {
  const payload: { [key: string]: Value } = { eventDate: head.date, eventGranularity: head.granularity }
  for (const field of decodeFields(record.payload)) payload[field.id] = toValue(field)
  return payload
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The wire does not tell text from binary: bytes that are no UTF-8 stay bytes, and become base64 in JSON. */
const toValue = (field: ThriftField): Value => {
  if (field.type === thriftType.double) return Number.isInteger(field.value) ? new Float64(field.value) : field.value
  if (field.type !== thriftType.string) return field.value
  try {
    return utf8.decode(field.value)
  } catch {
    return field.value
  }
}

const encoders: Record<OutputFormat, Record<ExpandedEvent['kind'], () => Encoder>> = {
  native: { smile, thrift },
  sequencefile: {
    smile: () => sequenceFile(classNames.smile, toSmileBucket),
    thrift: () => sequenceFile(classNames.thrift, toThriftEnvelope),
  },
  jsonl: { smile: jsonLines, thrift: jsonLines },
}
