import type { Value } from '../../src/formats/number.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, type ThriftField, thriftType } from '../../src/formats/thrift/field-list.ts'

/** JSON events in another format: Smile, or Thrift as one field list (single) and as an envelope stream (a batch). */
export type BinaryKind = (typeof binaryKinds)[number]

const binaryKinds = ['smile', 'smile-batch', 'thrift', 'thrift-batch'] as const

/** Whether a request of this kind is a POST of something else than JSON. */
export const isBinaryKind = (kind: string): kind is BinaryKind => binaryKinds.some(one => one === kind)

/** What differs from a POST of JSON. */
export type BinaryPost = { readonly query: string; readonly contentType: string; readonly body: Uint8Array }

/** The same events as those of a JSON body, one event or an array, as a client of the other format would send them. */
export const createBinaryPost = (kind: BinaryKind, json: string): BinaryPost => {
  const events: BenchEvent[] = [JSON.parse(json)].flat()
  switch (kind) {
    case 'smile':
    case 'smile-batch': {
      const writer = createSmileWriter()
      const value: Value = JSON.parse(json)
      writer.write(value)
      return { query: '', contentType: 'application/json+smile', body: writer.take() }
    }
    case 'thrift': {
      const [event] = events
      if (event === undefined) throw new RangeError('There is no event to send')
      const date = new Date(event.payload.eventDate).toISOString()
      const query = `?name=${event.eventName}&date=${date}`
      return { query, contentType: 'application/thrift', body: toFields(event) }
    }
    case 'thrift-batch': {
      const records = events.map(event =>
        encodeRecord({
          typeName: event.eventName,
          date: event.payload.eventDate,
          granularity: 'HOURLY',
          payload: toFields(event),
        }),
      )
      return { query: '', contentType: 'application/thrift', body: Buffer.concat(records) }
    }
  }
}

/** As `createEvent` makes them. */
type BenchEvent = {
  readonly eventName: string
  readonly payload: Readonly<Record<string, number | string | boolean | readonly string[]>> & {
    readonly eventDate: number
  }
}

/** The payload's values in their order; a list is not a primitive and becomes its texts, joined. */
const toFields = ({ payload }: BenchEvent): Uint8Array =>
  encodeFields(Object.values(payload).map((value, i) => toField(i + 1, value)))

const toField = (id: number, value: number | string | boolean | readonly string[]): ThriftField => {
  if (typeof value === 'boolean') return { id, type: thriftType.bool, value }
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return { id, type: thriftType.double, value }
    return { id, type: thriftType.i64, value: BigInt(value) }
  }
  return { id, type: thriftType.string, value: Buffer.from(typeof value === 'string' ? value : value.join(' ')) }
}
