import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonEvents } from '../../../../src/collector/parsers/json.ts'
import type { EventHead } from '../../../../src/spool/batch.ts'
import { type DecodedEvent, decodeEvents, type EncodedEvents } from '../../../../src/spool/events/decode-events.ts'
import { createEncoder } from '../../../../src/spool/events/encoders.ts'
import { createSentEvents, SentEvent } from '../../../../src/spool/events/sent-events.ts'
import { toJsonValue } from '../../../foreign/json-value.ts'

const date = 1_230_865_445_006
const defaults = { date, granularity: 'HOURLY', maxEvents: 10_000, maxValues: 100_000 } as const
const sentEvents = createSentEvents()

const toLines = (events: Iterable<DecodedEvent>, envelope = true): readonly string[] => {
  const encoder = createEncoder('jsonl', 'smile', { codec: 'none', envelope })
  for (const event of events) encoder.add(event)
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(encoder.finish())
  expect(text === '' || text.endsWith('\n')).toBe(true)
  expect(text).not.toContain('\r')
  return text.split('\n').slice(0, -1)
}

/** What the collector keeps of a body. */
const keep = (body: string | Uint8Array): EncodedEvents =>
  parseJsonEvents(typeof body === 'string' ? Buffer.from(body) : body, defaults)

/** As it is kept, whatever a collector of today would do with it. */
const asItIs = (body: string, heads: readonly Partial<EventHead>[] = [{}]): EncodedEvents => ({
  format: 'json',
  body: Buffer.from(body),
  events: heads.map((head, index) => ({ index, name: 'Hello', date, granularity: 'HOURLY', ...head })),
})

const sameAsAnew = (batch: EncodedEvents): void => {
  for (const envelope of [true, false]) {
    const anew = toLines(decodeEvents(batch), envelope)
    const sent = toLines(sentEvents(batch), envelope)
    expect(sent.map(toJsonValue)).toEqual(anew.map(toJsonValue))
  }
}

const envelope = (payload: string): string => `{"eventName":"Hello","payload":${payload}}`
const dated = `"eventDate":${date},"eventGranularity":"HOURLY"`

test('an event with very many names leaves nothing behind for the one after it', () => {
  const names = Array.from({ length: 1_100 }, (_, i) => `"n${i}":0`)
  const [many, few] = [names, names.slice(1_000)].map(some => envelope(`{${some.join(',')}}`))
  const events = [...sentEvents(keep(`[${many},${few}]`))]
  expect(events.map(event => event instanceof SentEvent)).toEqual([false, true])
})

describe('an event of JSON is written', () => {
  test.each([
    ['with what it lacks at its end', '{"a":1}', `{"a":1,${dated}}`],
    ['with a date of its own', '{"eventDate":1,"a":2}', '{"eventDate":1,"a":2,"eventGranularity":"HOURLY"}'],
    [
      'with a granularity of its own',
      '{"eventGranularity":"DAILY"}',
      `{"eventGranularity":"DAILY","eventDate":${date}}`,
    ],
    [
      'with a granularity in any spelling',
      '{"eventGranularity":"daily"}',
      `{"eventGranularity":"daily","eventDate":${date}}`,
    ],
    ['with both', `{${dated},"a":[]}`, `{${dated},"a":[]}`],
    [
      'with a date in any spelling',
      '{"eventDate" : "2009-01-02T03:04Z" }',
      '{"eventDate" : "2009-01-02T03:04Z" ,"eventGranularity":"HOURLY"}',
    ],
    ['empty', '{ }', `{ ${dated}}`],
    [
      'with numbers digit by digit',
      '{"a":[1.0,-0,1E+2,9007199254740993,0.10]}',
      `{"a":[1.0,-0,1E+2,9007199254740993,0.10],${dated}}`,
    ],
    ['with its spaces', '{\t"a" : [ 1 , { } ]\t}', `{\t"a" : [ 1 , { } ]\t,${dated}}`],
    ['with its escapes', '{"a":"\\u0041\\/\\"}{\\\\"}', `{"a":"\\u0041\\/\\"}{\\\\",${dated}}`],
    ['with line separators that are none of JSON', '{"a":"\u2028\u0085"}', `{"a":"\u2028\u0085",${dated}}`],
    [
      'with equal names in different objects',
      '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
      `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}],${dated}}`,
    ],
    [
      'with nulls',
      '{"a":null,"x":{"eventDate":null,"eventGranularity":null}}',
      `{"a":null,"x":{"eventDate":null,"eventGranularity":null},${dated}}`,
    ],
    ['with names that objects treat apart', '{"b":1,"1":2,"__proto__":3}', `{"b":1,"1":2,"__proto__":3,${dated}}`],
  ])('as it came, %s: %s', (_what, payload, line) => {
    const batch = keep(envelope(payload))
    expect([...sentEvents(batch)].map(event => event instanceof SentEvent)).toEqual([true])
    expect(toLines(sentEvents(batch))).toEqual([envelope(line)])
    sameAsAnew(batch)
  })

  test.each([
    ['a line break', '{"a":\n1}'],
    ['a carriage return', '{"a":[\r1]}'],
    ['a name twice', '{"a":1,"b":2,"a":3}'],
    ['a name twice further in', '{"x":[{"a":1,"b":{},"a":3}]}'],
    ['a date twice', '{"eventDate":1,"eventDate":null}'],
    ['a name with an escape', '{"\\u0061":1,"a":2}'],
    ['a name with a quote', '{"\\"":1}'],
    ['the name of the date with an escape', '{"event\\u0044ate":null}'],
    ['null as its date', '{"eventDate": null}'],
    ['null as its granularity', '{"eventGranularity":null}'],
    ['very many names', `{${Array.from({ length: 1_100 }, (_, i) => `"n${i}":${i}`).join(',')}}`],
  ])('anew with %s: %s', (_what, payload) => {
    const batch = keep(envelope(payload))
    expect([...sentEvents(batch)].map(event => event instanceof SentEvent)).toEqual([false])
    expect(toLines(sentEvents(batch))).toEqual(toLines(decodeEvents(batch)))
  })

  test('rewritten where the payload occurs twice', () => {
    const batch = keep('{"payload":{"a":1},"eventName":"Hello","payload":{"b":2}}')
    expect(toLines(sentEvents(batch))).toEqual([envelope(`{"b":2,${dated}}`)])
  })

  test.each([
    ['{"payload":{"a":1},"eventName":"Hello"}'],
    ['{ "eventName" : "Hello",\r\n "payload" : {"a":1}\n }'],
    ['{"x":{"payload":{"b":1},"a":[{}]},"eventName":"Hello","y":[{"payload":{}}],"payload":{"a":1},"z":"}{"}'],
    ['{"eventName":"Other","payload":{"a":1}}'],
  ])('with the name that was taken, whatever is around its payload: %s', body => {
    const batch = asItIs(body)
    expect([...sentEvents(batch)][0]).toBeInstanceOf(SentEvent)
    expect(toLines(sentEvents(batch))).toEqual([envelope(`{"a":1,${dated}}`)])
    sameAsAnew(batch)
  })

  test.each([
    ['{ "a" : 1 }', `{"eventName":"Hello", "a" : 1 ,${dated}}`],
    ['{}', `{"eventName":"Hello",${dated}}`],
    ['{"eventDate":5}', '{"eventName":"Hello","eventDate":5,"eventGranularity":"HOURLY"}'],
    [`{"eventName":"mine",${dated}}`, `{"eventName":"mine",${dated}}`],
    ['{"x":{"eventName":1}}', `{"eventName":"Hello","x":{"eventName":1},${dated}}`],
  ])('without its envelope as it came: %s', (payload, line) => {
    const batch = keep(envelope(payload))
    expect([...sentEvents(batch)][0]).toBeInstanceOf(SentEvent)
    expect(toLines(sentEvents(batch), false)).toEqual([line])
    sameAsAnew(batch)
  })

  test('with the name and the granularity of its head, event by event', () => {
    const heads = [{ name: 'A"\n' }, { name: '日本', granularity: 'DAILY' as const }, { name: '日本' }, { date: 0 }]
    const batch = asItIs(`[${heads.map((_, i) => envelope(`{"n":${i},"eventDate":7}`)).join(' , ')}]`, heads)
    sameAsAnew(batch)
    expect(toLines(sentEvents(batch))[1]).toBe(
      '{"eventName":"日本","payload":{"n":1,"eventDate":7,"eventGranularity":"DAILY"}}',
    )
  })
})

describe('events of a batch', () => {
  const three = [envelope('{"n":0}'), envelope('{"n":1,"n":2}'), envelope('{"n":3}')]

  test.each([
    ['an array', `[${three.join(',')}]`],
    ['lines', three.join('\n')],
    ['lines of Windows, behind a mark', `\ufeff${three.join('\r\n')}\r\n`],
    ['one after another', three.join('')],
    ['some that were refused', `[5,"}",[{}],${three.join(',')},{"eventName":"","payload":{}}]`],
    ['broken off', `[${three.join(',')},{"eventName":"a","pay`],
  ])('each go as they came or anew: %s', (_what, body) => {
    const batch = keep(body)
    expect([...sentEvents(batch)].map(event => event instanceof SentEvent)).toEqual([true, false, true])
    sameAsAnew(batch)
  })

  test('may be asked for their payloads all the same', () => {
    const batch = keep(`[${three.join(',')}]`)
    const payloads = (events: Iterable<DecodedEvent>) =>
      [...events].map(event => event.kind === 'smile' && event.payload)
    expect(payloads(sentEvents(batch))).toEqual(payloads(decodeEvents(batch)))
  })

  test.each([
    ['a position that is not there', asItIs(envelope('{}'), [{ index: 7 }])],
    ['no payload', asItIs('{"eventName":"Hello"}')],
    ['a payload that is no object', asItIs('{"payload":[{}]}')],
    ['no object', asItIs(`[5,${envelope('{}')}]`)],
    ['half an event', asItIs('{"payload":{"a":1}')],
    ['half a text', asItIs('{"payload":{"a":"')],
    ['half an escape', asItIs('{"payload":{"a":"\\')],
    ['half a name', asItIs('{"payload":{"a')],
    ['nothing', asItIs('')],
  ])('that are not as they should be are refused as ever: %s', (_what, batch) => {
    expect(() => [...sentEvents(batch)]).toThrow(/spool record|json|JSON/)
    expect(() => [...decodeEvents(batch)]).toThrow(/spool record|json|JSON/)
  })

  test('too deep to look into are rewritten', () => {
    const deep = `{"a":${'['.repeat(499)}${']'.repeat(499)}}`
    const batch = asItIs(envelope(deep))
    expect([...sentEvents(batch)][0]).not.toBeInstanceOf(SentEvent)
    sameAsAnew(batch)
  })
})

describe('whatever is sent', () => {
  const space = fc.constantFrom('', '', '', ' ', '\t', '\n', '\r\n')
  const name = fc.constantFrom(
    ...'a b 1 01 __proto__ eventDate eventGranularity eventName payload constructor é \\u0000 😀 \\"'.split(' '),
    'event\\u0044ate',
    '\\u0061',
    '',
  )
  const number = fc.constantFrom('0', '-0', '1.0', '1e5', '1E-7', '9007199254740993', '-12345678901234567890.10', '0.1')
  const text = fc.constantFrom('""', '"x"', '"\\ud83d"', '"\\ud83d\\ude00"', '"\u2028"', '"\\n"', '"}{\\\\"', '"é\\"]"')
  const { value } = fc.letrec<{ value: string; object: string }>(tie => ({
    object: fc
      .array(fc.tuple(name, tie('value'), space), { maxLength: 5 })
      .map(all => `{${all.map(([key, one, gap]) => `${gap}"${key}"${gap}:${gap}${one}`).join(',')}}`),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(number, text, fc.constantFrom('null', 'true')),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }).map(all => `[${all.join(' ,')}]`),
    ),
  }))
  const when = fc.constantFrom(
    ...'1230865445006 "1230865445006" "2009-01-02T03:04Z" 1.5 null "20090102" 1e12 true'.split(' '),
  )
  const often = fc.constantFrom('"HOURLY"', '"hourly"', '"DAILY"', 'null', '"NEVER"')
  const member = fc.oneof(
    fc.tuple(name, value).map(([key, one]) => `"${key}":${one}`),
    when.map(one => `"eventDate":${one}`),
    often.map(one => `"eventGranularity" : ${one}`),
  )
  const payload = fc
    .tuple(fc.array(member, { maxLength: 6 }), space)
    .map(([all, gap]) => `{${gap}${all.join(`,${gap}`)}}`)
  const event = fc
    .tuple(fc.constantFrom('"Hello"', '"A\\u0042"', '7', '"é"'), payload, fc.boolean(), space, value)
    .map(([called, one, isBare, gap, other]) =>
      isBare
        ? `{"eventName":${called},"payload":${one}}`
        : `{${gap}"payload" :${one}${gap},"x":${other},"eventName":${called}}`,
    )
  const body = fc.oneof(
    event,
    fc.array(fc.oneof(event, value), { maxLength: 4 }).map(all => `[${all.join(', ')}]`),
    fc.array(event, { maxLength: 4 }).map(all => all.join('\n')),
  )

  test('a line says the same as the rewritten line', () => {
    let passed = 0
    fc.assert(
      fc.property(body, one => {
        let batch: EncodedEvents
        try {
          batch = keep(one)
        } catch {
          return
        }
        for (const found of sentEvents(batch)) if (found instanceof SentEvent) passed++
        sameAsAnew(batch)
      }),
      { numRuns: 2_000 },
    )
    expect(passed).toBeGreaterThan(200)
  })
})
