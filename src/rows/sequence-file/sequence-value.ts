import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import type { Budget } from '../../formats/budget.ts'
import type { Value } from '../../formats/number.ts'
import { readVint } from '../../formats/sequence-file/vint.ts'
import { type SmileColumns, SmileRowReader } from '../../formats/smile-rows.ts'
import { decodeEnvelope } from '../../formats/thrift/envelope.ts'
import { maxRowColumns, numberedColumns, recordColumn } from '../columns.ts'
import { createEventRows } from '../events.ts'
import { toNothing } from '../format.ts'
import { BatchSize } from '../limits.ts'
import { noRegistrar, type Registrar } from '../registrar/registrar.ts'
import type { Row } from '../row.ts'
import type { RowContext, RowSerializer } from '../serializers/serializer.ts'
import { checkTextColumns, toTextRow } from '../text/text-rows.ts'
import { createThriftRows } from '../thrift.ts'
import { toEnvelopeText } from './envelope-text.ts'
import type { SequenceFileSerialization } from './serializations.ts'
import { toTextOrBytes } from './text-or-bytes.ts'
import { type Writable, writables } from './writables.ts'

/**
 * Makes rows of one value's bytes; most values are one row.
 * @param row number of the first of them, and the offset of what holds the value, for errors
 */
export type ToRows = (bytes: Buffer, row: number, offset: number) => Iterable<Row> | AsyncIterable<Row>

/**
 * Finds the start of the text in the value from `start` to `end`; the text is all of the rest.
 * @throws FormatError `writable`, `text`
 */
export type FindText = (bytes: Buffer, start: number, end: number) => number

export type SequenceValueRows = {
  readonly name: string
  readonly toRows: ToRows
  /** Of the most frequent class, whose values may be rows without a view and a list for each. */
  readonly findText?: FindText
}

export type SequenceValueOptions = {
  readonly keyClass: string
  readonly valueClass: string
  readonly path: string
  readonly raw: boolean
  readonly nulls: boolean
  readonly registrar: Registrar
  readonly serializers: readonly RowSerializer[]
  readonly serializations: readonly SequenceFileSerialization[]
  /** Of one row; refilled here. */
  readonly budget: Budget
}

/** Envelopes and Smile by the names of 2010 and later. */
const envelopeClasses = [
  'com.ning.metrics.serialization.thrift.ThriftEnvelope',
  'com.ning.serialization.ThriftEnvelope',
]
const smileClasses = [
  'com.ning.metrics.serialization.smile.SmileOutputStream',
  'com.ning.metrics.serialization.smile.SmileBucket',
  'com.ning.serialization.SmileOutputStream',
]

/**
 * How values of a class become rows: by a custom row serializer that accepts the class, by a custom deserializer of the
 * class, or as the gateway always did.
 * @throws FormatError `sequence file`: the class is unknown
 */
export const createSequenceValueRows = (options: SequenceValueOptions): SequenceValueRows => {
  const { keyClass, valueClass, path, raw, nulls, registrar, serializers, serializations, budget } = options
  const nothing = toNothing(nulls)
  const context: RowContext = { path, suffix: '', head: new Uint8Array(0), keyClass, valueClass }
  const serializer = serializers.find(candidate => candidate.accepts(context))
  const deserialize = findDeserializer(valueClass, serializations)
  if (serializer && !raw) {
    // A class that only the row serializer knows is returned as bytes.
    const toValue = deserialize ?? ((bytes: Buffer): unknown => bytes)
    return { name: serializer.name, toRows: bytes => serializer.toRows(registrar, toValue(bytes), context) }
  }
  const name = `sequencefile (${valueClass.slice(valueClass.lastIndexOf('.') + 1)})`
  const custom = serializations.some(({ classNames }) => classNames.includes(valueClass)) ? deserialize : undefined
  const toRows = custom
    ? toCustomRows(custom, raw)
    : (envelopeRows({ valueClass, raw, registrar, budget, nothing }) ??
      smileRows({ valueClass, raw, registrar, budget, nothing }) ??
      writableRows(valueClass, raw))
  if (toRows) return { name, toRows, ...(!custom && !raw && valueClass === textClass ? { findText } : {}) }
  throw new FormatError(
    'sequence file',
    0,
    `unknown value class ${valueClass}: add a module that knows it to io.serializations, or to io.row.serializations; the class is named`,
  )
}

const textClass = 'org.apache.hadoop.io.Text'

/** A Text: vint length, UTF-8. */
const findText: FindText = (bytes, start, end) => {
  // A length below 128 is one byte.
  let from = start + 1
  const first = bytes[start] ?? 0
  if (first >= 0x80 || first !== end - from) {
    const { value: length, end: at } = readVint(bytes, start)
    if (length !== end - at)
      throw new FormatError('writable', 0, `expected a text of ${end - at} bytes, found ${length}`)
    from = at
  }
  checkTextColumns(bytes, from, end, 0, maxRowColumns)
  return from
}

/** What a row serializer gets as `value`. */
const findDeserializer = (valueClass: string, serializations: readonly SequenceFileSerialization[]) => {
  const custom = serializations.find(({ classNames }) => classNames.includes(valueClass))
  if (custom) return (bytes: Buffer): unknown => custom.deserialize(bytes, valueClass)
  if (envelopeClasses.includes(valueClass)) return decodeEnvelope
  const writable = writables.get(valueClass)
  return writable && ((bytes: Buffer): unknown => writable.read(bytes))
}

const toCustomRows = (deserialize: (bytes: Buffer) => unknown, raw: boolean): ToRows => {
  const rows = createEventRows({ registrar: noRegistrar })
  return bytes => {
    const value = deserialize(bytes)
    if (raw) return [toRecord(typeof value === 'string' ? value : JSON.stringify(value))]
    if (typeof value === 'string') return [toTextRow(value)]
    return [rows.fromValue(value as Value)]
  }
}

type EventValues = Pick<SequenceValueOptions, 'valueClass' | 'raw' | 'registrar' | 'budget'> & {
  readonly nothing: ReturnType<typeof toNothing>
}

const envelopeRows = ({ valueClass, raw, registrar, budget, nothing }: EventValues): ToRows | undefined => {
  if (!envelopeClasses.includes(valueClass)) return undefined
  if (raw) return bytes => [toRecord(toEnvelopeText(decodeEnvelope(bytes)))]
  const toRow = createThriftRows(registrar, budget, nothing)
  return (bytes, row, offset) => {
    budget.refill(row, offset)
    const { typeName, payload } = decodeEnvelope(bytes)
    return [toRow(typeName, payload)]
  }
}

/** `length:4 name document`: the name of all events in the document, an array of payloads. */
const smileRows = ({ valueClass, raw, registrar, budget, nothing }: EventValues): ToRows | undefined => {
  if (!smileClasses.includes(valueClass)) return undefined
  const rows = createEventRows({ registrar, nullValue: nothing, absentValue: nothing })
  return function* (bytes, first, offset) {
    const nameBytes = bytes.length >= 4 ? bytes.readInt32BE() : -1
    if (nameBytes < 0 || nameBytes > bytes.length - 4) {
      throw new FormatError('smile value', 0, `expected a name within ${bytes.length} bytes, found ${nameBytes}`)
    }
    const eventName = bytes.toString('latin1', 4, 4 + nameBytes)
    const document = bytes.subarray(4 + nameBytes)
    if (raw) return yield toRecord(document.toString('utf8'))
    const reader = new SmileRowReader(budget)
    let row = first
    for (let at = 0; at < document.length; ) {
      // Some at a time: a value may hold any number of them.
      const found: Row[] = []
      const size = new BatchSize()
      const add = (element: Value | SmileColumns): boolean => {
        found.push(rows.fromPayload(eventName, element))
        return size.add(budget)
      }
      try {
        at += reader.read(document.subarray(at), true, add, { row, offset })
      } finally {
        yield* found
      }
      row += found.length
    }
  }
}

const writableRows = (valueClass: string, raw: boolean): ToRows | undefined => {
  const writable = writables.get(valueClass)
  if (!writable) return undefined
  if (raw) return bytes => [toRecord(writable.toText(writable.read(bytes)))]
  if (valueClass.endsWith('.Text') || valueClass.endsWith('.UTF8')) {
    return bytes => [toTextRow(writable.toText(writable.read(bytes)))]
  }
  if (valueClass.endsWith('.BytesWritable')) return bytes => [toBytesRow(writable, bytes)]
  const names = numberedColumns(1)
  return bytes => [{ names, values: [writable.read(bytes)] }]
}

/** As in the original the column is the second one. Bytes that are UTF-8 are text, others stay bytes. */
const toBytesRow = (writable: Writable, bytes: Buffer): Row => {
  const value = writable.read(bytes)
  if (!(value instanceof Uint8Array)) return { names: bytesColumn, values: [value] }
  return { names: bytesColumn, values: [toTextOrBytes(value)] }
}

const bytesColumn: readonly string[] = ['col-1']

const toRecord = (text: string): Row => ({ names: recordColumn, values: [text] })
