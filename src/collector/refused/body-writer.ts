import { createSmileWriter } from '../../formats/smile/writer.ts'
import { encodeRecord } from '../../formats/thrift/envelope-stream.ts'
import { encodeFields } from '../../formats/thrift/field-list.ts'
import { thriftType } from '../../formats/thrift/types.ts'
import type { BodyFormat } from '../../spool/batch.ts'
import { rowField } from '../../spool/refused.ts'
import { type RefusedRow, toRowEvent } from './refused-row.ts'
import type { EventSlice } from './slice-events.ts'

/** A body that is put together from events of another one of its format, and rows of refused events. */
export type BodyWriter = {
  readonly event: (slice: EventSlice) => void
  readonly row: (row: RefusedRow) => void
  readonly finish: () => Uint8Array
}

/** Begins a body. */
export const createBodyWriter = (format: BodyFormat): BodyWriter => writers[format]()

const json = (): BodyWriter => {
  const pieces: Uint8Array[] = []
  const add = (piece: Uint8Array): void => void pieces.push(pieces.length === 0 ? open : comma, piece)
  return {
    event: slice => add(slice.bytes()),
    row: row => add(Buffer.from(JSON.stringify(toRowEvent(row)))),
    finish: () => Buffer.concat([...pieces, close]),
  }
}

const open = Buffer.from('[')
const comma = Buffer.from(',')
const close = Buffer.from(']')

const smile = (): BodyWriter => {
  const writer = createSmileWriter()
  writer.startArray()
  return {
    event: ({ value = null }) => writer.write(value),
    row: row => {
      const { eventName, payload } = toRowEvent(row)
      writer.write({ eventName, payload: { ...payload } })
    },
    finish: () => {
      writer.endArray()
      return writer.take()
    },
  }
}

const thrift = (): BodyWriter => {
  const records: Uint8Array[] = []
  return {
    event: slice => void records.push(slice.bytes()),
    row: row => {
      const { eventName, payload } = toRowEvent(row)
      const value = Buffer.from(JSON.stringify(payload))
      const fields = encodeFields([{ id: rowField, type: thriftType.string, value }])
      records.push(
        encodeRecord({ typeName: eventName, date: Number(row.when), granularity: 'HOURLY', payload: fields }),
      )
    },
    finish: () => Buffer.concat(records),
  }
}

const writers: Readonly<Record<BodyFormat, () => BodyWriter>> = { json, smile, thrift }
