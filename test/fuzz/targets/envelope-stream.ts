import { parseEnvelopeEvents, parseFieldListEvent } from '../../../src/collector/parsers/thrift.ts'
import { runAtOnce } from '../../../src/collector/work-turns.ts'
import { encodeRecord, readRecords } from '../../../src/formats/thrift/envelope-stream.ts'
import { checkFieldList, encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { tried } from '../tried.ts'

/** Streams of Thrift envelopes: what `.thrift` files hold, and what is posted as `application/thrift`. */
export const name = 'envelope-stream'

export const dictionary = ['HOURLY', 'DAILY', 'minute', Uint8Array.of(10), Uint8Array.of(0, 0, 0, 5), Uint8Array.of(0)]

const payload = encodeFields([
  { id: 1, type: thriftType.string, value: Buffer.from('text') },
  { id: 2, type: thriftType.i64, value: -1n },
  { id: 3, type: thriftType.double, value: 0.5 },
  { id: 4, type: thriftType.bool, value: true },
])

export const corpus = (): Uint8Array[] => {
  const records = ['HOURLY', 'daily', 'NEVER'].map((granularity, i) =>
    encodeRecord({ date: 1_304_459_794_698 * i, granularity, typeName: 'Hello', payload }),
  )
  return [...records, Buffer.concat(records), payload]
}

/** A record that is read survives being written; what the collector keeps can be read back as it says. */
export const run = (bytes: Uint8Array): void => {
  tried(() => {
    for (const record of readRecords(bytes)) {
      const written = tried(() => encodeRecord(record))
      const [again] = written ? readRecords(written) : [record]
      const { date, granularity, typeName, payload } = record
      if (again?.date !== date || again.granularity !== granularity || again.typeName !== typeName) {
        throw new Error(`the record at byte ${record.start} is another one once it is written`)
      }
      if (Buffer.compare(again.payload, payload) !== 0) throw new Error('a payload changes')
    }
  })
  for (const parse of [
    () => runAtOnce(parseEnvelopeEvents(new Uint8Array(bytes), { maxEvents: 1_000, maxValues: 1_000 })),
    () => parseFieldListEvent(bytes, { name: 'Hello', date: 1, granularity: 'HOURLY', maxValues: 1_000 }),
  ]) {
    const parsed = tried(parse)
    if (!parsed) continue
    const kept = [...readRecords(parsed.body)]
    if (kept.length < parsed.events.length) throw new Error('fewer records are kept than are counted')
    for (const { index, name } of parsed.events) {
      const record = kept[index]
      if (record?.typeName !== name) throw new Error(`record ${index} is another event`)
      if (checkFieldList(record.payload) !== record.payload.length) throw new Error('a payload that is no field list')
    }
  }
}
