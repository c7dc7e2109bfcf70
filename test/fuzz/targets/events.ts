import { parseJsonEvents } from '../../../src/collector/parsers/json.ts'
import { parseSmileEvents } from '../../../src/collector/parsers/smile.ts'
import { runAtOnce } from '../../../src/collector/work-turns.ts'
import { stringifyJson } from '../../../src/formats/json.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import { decodeEvents, type EncodedEvents } from '../../../src/spool/events/decode-events.ts'
import { createEncoder } from '../../../src/spool/events/encoders.ts'
import { createSentEvents } from '../../../src/spool/events/sent-events.ts'
import { decodeBatch, encodeBatch } from '../../../src/spool/segment/record.ts'
import { toJsonValue } from '../../foreign/json-value.ts'
import { tried } from '../tried.ts'
import { toWords } from '../words.ts'

/** Bodies of posted events, JSON or Smile by their first byte, on their whole way: parsed, kept, expanded, encoded. */
export const name = 'events'

const text = [
  '{"eventName":"Hello","payload":{"eventDate":1304459794698,"eventGranularity":"HOURLY","hello":"world"}}',
  '[{"eventName":"a","payload":{"n":[1,-0.0,1e5,12345678901234567890,null]}},{"eventName":"","payload":{}}]',
  '{"eventName":"a","payload":{"eventDate":"2009-01-02T03:04Z"}}\n{"eventName":"b","payload":{"s":"\\ud83d\\ude00"}}',
  '[{"eventName":"a","payload":{"x":1}},oops,{"eventName":"b","payload":{"eventGranularity":"NEVER"}}',
  '{"eventName":7,"payload":{"__proto__":{"a":1},"constructor":[[[]]]}}',
]

export const dictionary = [
  ...toWords(`
    { } [ ] , : " 1e400 1e-9999999 "eventName": "payload":{ null "eventDate": "eventGranularity":
    "__proto__":
  `),
  '\\',
  '\\ud800',
  '\ufeff',
  ':)\n',
  Uint8Array.of(0xfa),
  Uint8Array.of(0xfb),
]

export const corpus = (): Uint8Array[] => [
  ...text.map(one => Buffer.from(one)),
  ...text.slice(0, 2).map(one => {
    const writer = createSmileWriter()
    writer.write(JSON.parse(one))
    return writer.take()
  }),
]

const defaults = { date: 1_577_934_245_006, granularity: 'HOURLY', maxEvents: 1_000, maxValues: 100_000 } as const

/** An event that is accepted is there until the file that goes to the file system. */
export const run = (bytes: Uint8Array): void => {
  const isSmile = bytes[0] === 0x3a
  const parsed = tried(() =>
    isSmile ? runAtOnce(parseSmileEvents(bytes, defaults)) : parseJsonEvents(bytes.slice(), defaults),
  )
  if (!parsed || parsed.events.length === 0) return
  const { format, body, events } = parsed
  const batch: Batch = { api: isSmile ? 'POST_Smile_API' : 'POST_Json_API', format, body, events }
  const record = encodeBatch(batch, 1)
  const payload = new Uint8Array(record.byteLength)
  record.write(payload, 0)
  const encoders = (['native', 'jsonl', 'sequencefile'] as const).map(one =>
    createEncoder(one, 'smile', { codec: 'none', envelope: true }),
  )
  const kept = decodeBatch(payload)
  let count = 0
  for (const event of decodeEvents(kept)) {
    for (const encoder of encoders) encoder.add(event)
    if (event.kind === 'smile') JSON.parse(stringifyJson(event.payload))
    count += 1
  }
  if (count !== events.length) throw new Error(`${count} of ${events.length} accepted events are left`)
  const [, anew] = encoders.map(encoder => toText(encoder.finish()))
  if (toValues(anew) !== toValues(writeAsSent(kept))) throw new Error('Lines say something else as they came')
}

/** The lines of events that need not be parsed for them. */
const writeAsSent = (batch: EncodedEvents): string => {
  const encoder = createEncoder('jsonl', 'smile', { codec: 'none', envelope: true })
  for (const event of sentEvents(batch)) encoder.add(event)
  return toText(encoder.finish())
}

const sentEvents = createSentEvents()

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const toValues = (lines = ''): string => JSON.stringify(lines.split('\n').slice(0, -1).map(toJsonValue))
