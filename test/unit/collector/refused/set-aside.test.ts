import { expect, test } from 'vitest'
import { setAside } from '../../../../src/collector/refused/set-aside.ts'
import { contentTypes } from '../../../../src/collector/refused/slice-events.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../../src/formats/thrift/field-list.ts'
import { type Batch, type BodyFormat, bodyFormats } from '../../../../src/spool/batch.ts'
import { decodeEvents } from '../../../../src/spool/events/decode-events.ts'

const values = ['one', 'two', 'three', 'four']
const envelopes = values.map(value => ({ eventName: 'Order', payload: { value } }))
const date = Date.UTC(2026, 0, 1)

const records = values.map(value =>
  encodeRecord({
    typeName: 'Order',
    date,
    granularity: 'HOURLY',
    payload: encodeFields([{ id: 1, type: thriftType.string, value: Buffer.from(value) }]),
  }),
)

const bodies: Readonly<Record<BodyFormat, () => Uint8Array>> = {
  json: () => Buffer.from(JSON.stringify(envelopes)),
  smile: () => {
    const writer = createSmileWriter()
    writer.startArray()
    for (const one of envelopes) writer.write(one)
    writer.endArray()
    return writer.take()
  },
  thrift: () => Buffer.concat(records),
}

test.each(bodyFormats)('%s: rows replace events, and the others stay as they are', format => {
  const head = (index: number) => ({ index, name: 'Order', date, granularity: 'DAILY' as const })
  const receivedAt = date + 5
  // The third one is not kept at all.
  const events = [head(0), head(1), head(3)]
  const batch: Batch = { api: 'POST_Json_API', caller: '10.0.0.1', receivedAt, format, events, body: bodies[format]() }
  const misfit = (index: number) => ({ index, name: 'Order', detail: `no ${index}`, action: 'set-aside' as const })
  const made = setAside(batch, [misfit(1), misfit(3)], index => index + 10)
  expect(made.events.map(({ index, name }) => [index, name])).toEqual([
    [0, 'Order'],
    [1, '/Order'],
    [2, '/Order'],
  ])
  const decoded = [...decodeEvents(made)]
  expect(decoded[0]).toMatchObject({ kind: format === 'thrift' ? 'thrift' : 'smile', head: { granularity: 'DAILY' } })
  for (const [i, index] of [1, 3].entries()) {
    const event = decoded[i + 1]
    if (event?.kind !== 'smile') throw new Error('A row is no Thrift, whatever it stands in')
    const { payload } = event
    expect(payload).toMatchObject({
      kind: 'set-aside',
      peer: '10.0.0.1',
      detail: `no ${index}`,
      position: index + 10,
      contentType: contentTypes[format],
      isReplayable: true,
    })
    const { sent, sentBase64 } = payload
    const bytes = typeof sentBase64 === 'string' ? Buffer.from(sentBase64, 'base64') : Buffer.from(sent as string)
    const alone = [...decodeEvents({ format, body: bytes, events: [head(0)] })]
    expect(JSON.stringify(alone)).toContain(
      format === 'thrift' ? JSON.stringify([...Buffer.from(values[index] ?? '')]).slice(1, -1) : values[index],
    )
  }
})
