import { describe, expect, test, vi } from 'vitest'
import { parseJson } from '../../../../src/formats/json.ts'
import { fromMembers } from '../../../../src/formats/members.ts'
import { Float64, type Value } from '../../../../src/formats/number.ts'
import { readSequenceFile, readSequenceFileHeader } from '../../../../src/formats/sequence-file/reader.ts'
import { readSmileElements } from '../../../../src/formats/smile/reader.ts'
import { decodeEnvelope } from '../../../../src/formats/thrift/envelope.ts'
import { encodeRecord, readRecords } from '../../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, type ThriftField, thriftType } from '../../../../src/formats/thrift/field-list.ts'
import type { DecodedEvent, Payload } from '../../../../src/spool/events/decode-events.ts'
import { createEncoder, type EncoderOptions } from '../../../../src/spool/events/encoders.ts'
import { readJsonLines } from '../../../foreign/read-json-lines.ts'

const date = 1_230_865_445_006
const smileEvent = (payload: { [key: string]: Value }, name = 'Hello'): DecodedEvent => ({
  kind: 'smile',
  head: { index: 0, name, date, granularity: 'HOURLY' },
  payload,
  isTyped: true,
})
const thriftEvent = (fields: readonly ThriftField[]): DecodedEvent => {
  const bytes = encodeRecord({ date, granularity: 'HOURLY', typeName: 'Hello', payload: encodeFields(fields) })
  const [record] = readRecords(bytes)
  if (!record) throw new Error('no record')
  return { kind: 'thrift', head: { index: 0, name: 'Hello', date, granularity: 'HOURLY' }, record, bytes }
}
const encode = (
  format: 'native' | 'sequencefile' | 'jsonl',
  events: readonly DecodedEvent[],
  options: Partial<EncoderOptions> = {},
): Uint8Array => {
  const encoder = createEncoder(format, events[0]?.kind ?? 'smile', { codec: 'none', envelope: true, ...options })
  for (const event of events) encoder.add(event)
  return encoder.finish()
}
const world = thriftEvent([{ id: 1, type: thriftType.string, value: Buffer.from('World') }])

describe('createEncoder', () => {
  test('.thrift holds the records as they were kept', () => {
    const one =
      '0a0000011e954c308e00000006484f55524c590b00000000000548656c6c6f0b00010000000d0b000100000005576f726c640000'
    expect(Buffer.from(encode('native', [world, world])).toString('hex')).toBe(one + one)
  })

  test('.smile is one array of envelopes', () => {
    const bytes = encode('native', [smileEvent({ a: 1 }), smileEvent({ a: 'x' })])
    expect(bytes.subarray(0, 5)).toEqual(Uint8Array.of(0x3a, 0x29, 0x0a, 0x03, 0xf8))
    expect([...readSmileElements(bytes)]).toEqual([
      { eventName: 'Hello', payload: { a: 1 } },
      { eventName: 'Hello', payload: { a: 'x' } },
    ])
  })

  test('a sequence file of Thrift events has an envelope for each', () => {
    const records = [...readSequenceFile(encode('sequencefile', [world, world]))]
    expect(records.map(({ value }) => decodeEnvelope(value).typeName)).toEqual(['Hello', 'Hello'])
  })

  test.each([
    ['none', 'DefaultCodec'],
    ['deflate', 'DefaultCodec'],
    ['gzip', 'GzipCodec'],
    ['zstd', 'ZStandardCodec'],
  ] as const)(
    'a sequence file compressed with %s names %s in its header, and holds the same records',
    (codec, want) => {
      for (const events of [[world, world], [smileEvent({ a: 1 })]]) {
        const bytes = encode('sequencefile', events, { codec })
        expect(readSequenceFileHeader(bytes)).toMatchObject({
          codecClass: `org.apache.hadoop.io.compress.${want}`,
          compression: 'block',
        })
        expect([...readSequenceFile(bytes)]).toEqual([...readSequenceFile(encode('sequencefile', events))])
      }
    },
  )

  test('a sequence file has no lzf', () => {
    expect(() => encode('sequencefile', [world], { codec: 'lzf' })).toThrow('lzf')
  })

  test('a sequence file of Smile events has many payloads in one value, and no value shares its block', () => {
    const events = Array.from({ length: 3_000 }, (_, i) => smileEvent({ n: i, text: 'x'.repeat(400) }, '日本'))
    const values = [...readSequenceFile(encode('sequencefile', events))].map(({ value }) => Buffer.from(value))
    expect(values.length).toBe(3)
    const payloads = values.flatMap(value => {
      const length = value.readInt32BE(0)
      expect(value.toString('latin1', 4, 4 + length)).toBe('%E6%97%A5%E6%9C%AC')
      return [...readSmileElements(value.subarray(4 + length))]
    })
    expect(payloads.map(payload => (payload as { n: number }).n)).toEqual(events.map((_, i) => i))
  })

  test('jsonl: fields of Thrift under their ids, exact; binary as base64, NaN as a string', () => {
    const event = thriftEvent([
      { id: 3, type: thriftType.i64, value: 9_007_199_254_740_993n },
      { id: 1, type: thriftType.double, value: 1 },
      { id: 2, type: thriftType.double, value: Number.NaN },
      { id: 4, type: thriftType.string, value: Uint8Array.of(0xff, 0x00) },
      { id: 5, type: thriftType.string, value: Buffer.from('é\n') },
      { id: 6, type: thriftType.bool, value: true },
    ])
    const text = Buffer.from(encode('jsonl', [event])).toString()
    expect(text.endsWith('}\n')).toBe(true)
    expect(parseJson(text)).toEqual({
      eventName: 'Hello',
      payload: fromMembers([
        ['eventDate', date],
        ['eventGranularity', 'HOURLY'],
        ['3', 9_007_199_254_740_993n],
        ['1', new Float64(1)],
        ['2', 'NaN'],
        ['4', '/wA='],
        ['5', 'é\n'],
        ['6', true],
      ]),
    })
  })

  test.each([
    ['{"a":1}', '{"eventName":"Hello","a":1}'],
    [
      '{"b":"\\u2028","10":1.0,"2":9007199254740993}',
      '{"eventName":"Hello","b":"\u2028","10":1.0,"2":9007199254740993}',
    ],
    ['{"__proto__":{"a":1},"\\u0000":1}', '{"eventName":"Hello","__proto__":{"a":1},"\\u0000":1}'],
    ['{"payload":{"a":1}}', '{"eventName":"Hello","payload":{"a":1}}'],
    ['{"a":1,"eventName":"mine"}', '{"a":1,"eventName":"mine"}'],
    ['{"a":1,"eventName":null}', '{"a":1,"eventName":null}'],
  ])('jsonl without an envelope: %s is the line %s', (payload, want) => {
    const event = smileEvent(parseJson(payload) as Payload)
    expect(Buffer.from(encode('jsonl', [event, event], { envelope: false })).toString()).toBe(`${want}\n${want}\n`)
  })

  test('jsonl without an envelope holds the same events for its readers', () => {
    const dated = { eventDate: date, eventGranularity: 'HOURLY' }
    for (const events of [[smileEvent({ a: 1n, ...dated }), smileEvent({ payload: {}, ...dated })], [world]]) {
      const read = [true, false].map(envelope => readJsonLines(encode('jsonl', events, { envelope })))
      expect(read[0]).toMatchObject(events.map(() => ({ name: 'Hello' })))
      expect(read[1]).toEqual(read[0])
    }
  })

  test('jsonl: no text is made of a whole file, which may be longer than any text', () => {
    const encoder = createEncoder('jsonl', 'smile', { codec: 'none', envelope: true })
    const lengths: number[] = []
    const from = vi.spyOn(Buffer, 'from').mockImplementation((text: unknown) => {
      lengths.push(String(text).length)
      return new TextEncoder().encode(String(text)) as Buffer<ArrayBuffer>
    })
    for (let n = 0; n < 40; n++) encoder.add(smileEvent({ n, text: 'é'.repeat(300_000) }))
    const bytes = encoder.finish()
    from.mockRestore()
    expect(Math.max(...lengths)).toBeLessThan(2 << 20)
    const found = new TextDecoder().decode(bytes).match(/"n":\d+/g)
    expect(found).toEqual(Array.from({ length: 40 }, (_, n) => `"n":${n}`))
  })

  test('an event that cannot be written leaves the ones around it alone', () => {
    const encoder = createEncoder('native', 'smile', { codec: 'none', envelope: true })
    encoder.add(smileEvent({ a: 1 }))
    expect(() => encoder.add(smileEvent({ a: '\ud800' }))).toThrow()
    encoder.add(smileEvent({ a: 2 }))
    expect([...readSmileElements(encoder.finish())].length).toBe(2)
  })
})
