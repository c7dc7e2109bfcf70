import { jsonElements } from '../../formats/json-elements.ts'
import type { Value } from '../../formats/number.ts'
import { readSmileElements } from '../../formats/smile/reader.ts'
import { createSmileWriter } from '../../formats/smile/writer.ts'
import { readRecords } from '../../formats/thrift/envelope-stream.ts'
import type { Batch, BodyFormat } from '../../spool/batch.ts'

/** The content type of a body that has one event of such a body. */
export const contentTypes: Readonly<Record<BodyFormat, string>> = {
  json: 'application/json',
  smile: 'application/json+smile',
  thrift: 'application/thrift',
}

/** An event of a body. */
export type EventSlice = {
  /** Position in the body. */
  readonly index: number
  /** For Smile, where names are shared by all events: the value of the event's bytes. */
  readonly value?: Value
  /** The event as a body of its own; a view where its format has such. */
  readonly bytes: () => Uint8Array
}

/** Those events of a body that are asked for. @param indexes their positions */
export function* sliceEvents(
  { format, body }: Pick<Batch, 'format' | 'body'>,
  indexes: Iterable<number>,
): Generator<EventSlice> {
  const wanted = new Set(indexes)
  let index = 0
  for (const slice of slices[format](body)) {
    if (wanted.size === 0) return
    if (wanted.delete(index)) yield { index, ...slice }
    index++
  }
}

const slices: Readonly<Record<BodyFormat, (body: Uint8Array) => Generator<Omit<EventSlice, 'index'>>>> = {
  *json(body) {
    for (const { start, end } of jsonElements(body)) yield { bytes: () => body.subarray(start, end) }
  },
  *smile(body) {
    for (const value of readSmileElements(body)) yield { value, bytes: () => toSmile(value) }
  },
  *thrift(body) {
    for (const { start, end } of readRecords(body)) yield { bytes: () => body.subarray(start, end) }
  },
}

const toSmile = (value: Value): Uint8Array => {
  const writer = createSmileWriter()
  writer.write(value)
  return writer.take()
}
