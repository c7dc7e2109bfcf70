import { describe, expect, test } from 'vitest'
import type { Value } from '../../../src/formats/number.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { type DecodedEvent, decodeEvents } from '../../../src/spool/events/decode-events.ts'
import { createTestCollector, D, now, outcomeOf, post, storedEvents, whole } from './fakes.ts'

const E = '{"eventName":"A","payload":{"x":1}}'
const bad = '{"eventName":"A","payload":7}'
const event = (payload: string, name = '"A"'): string => `{"eventName":${name},"payload":${payload}}`

/** Status, events kept, events refused. */
type Want = readonly [status: number, accepted?: number, rejected?: number]

describe('POST JSON: bodies (J1–J6, J10, J12, J14; where a row differs, the design decides)', () => {
  const rows: [name: string, body: string | Uint8Array, want: Want][] = [
    ['one event', E, [202, 1, 0]],
    ['concatenated', `${E} ${E}`, [202, 2, 0]],
    ['concatenated without a blank', `${E}${E}`, [202, 2, 0]],
    ['lines', `${E}\n${E}\r\n${E}\n`, [202, 3, 0]],
    ['array', `[${E},${E}]`, [202, 2, 0]],
    ['J2: commas between', `${E} , ${E}`, [202, 2, 0]],
    ['J2: a missing comma', `[${E} ${E}]`, [202, 2, 0]],
    ['J2: arrays one after another', `[${E}][${E}]`, [202, 2, 0]],
    ['J2: garbage behind', `${E} garbage`, [202, 1, 1]],
    ['garbage before and between', `garbage ${E} {{{ ${E}`, [202, 2, 2]],
    ['cut off within the second', `[${E},${E.slice(0, 20)}`, [202, 1, 1]],
    ['J3: empty array', '[]', [202, 0, 0]],
    ['J3: empty array in spaces', ' [ ] ', [202, 0, 0]],
    ['J3: a number', '5', [202, 0, 1]],
    ['J3: null', 'null', [202, 0, 1]],
    ['J3: a string', '"x"', [202, 0, 1]],
    ['J3: an array in an array', '[[]]', [202, 0, 1]],
    ['J3: empty', '', [400]],
    ['blanks', ' \n ', [400]],
    ['garbage', 'garbage', [400]],
    ['an open array', '[', [400]],
    ['an open event', E.slice(0, -1), [400]],
    ['J4: no members', '{}', [202, 0, 1]],
    ['J4: no eventName', '{"payload":{"x":1}}', [202, 0, 1]],
    ['J4: empty eventName', event('{"x":1}', '""'), [202, 0, 1]],
    ['J4: no payload', '{"eventName":"A"}', [202, 0, 1]],
    ['J4: payload {} holds optional fields only', event('{}'), [202, 1, 0]],
    ['J4: payload []', event('[]'), [202, 0, 1]],
    ['J4: payload null', event('null'), [202, 0, 1]],
    ['J4: payload "s"', event('"s"'), [202, 0, 1]],
    ['J6: payload [1] is no object', event('[1]'), [202, 0, 1]],
    ['J5: eventName null is no name', event('{"x":1}', 'null'), [202, 0, 1]],
    ['eventName with a slash', event('{"x":1}', '"../evil"'), [202, 0, 1]],
    ['J10: the bad one in the middle', `${E}${bad}${E}`, [202, 2, 1]],
    ['J10: in an array', `[${E},${bad},${E}]`, [202, 2, 1]],
    ['J12: byte order mark', `\ufeff${E}`, [202, 1, 0]],
    ['J12: UTF-16LE', Buffer.from(`[${E}]`, 'utf16le'), [202, 1, 0]],
    ['J12: UTF-16BE with mark', Buffer.from(`\ufeff${E}`, 'utf16le').swap16(), [202, 1, 0]],
    ['UTF-32BE', utf32be(E), [202, 1, 0]],
    ['UTF-16 cut within a character', Buffer.from(E, 'utf16le').subarray(0, -1), [400]],
    ['J14: single quotes', "{'eventName':'A','payload':{'x':1}}", [400]],
    ['J14: NaN', event('{"x":NaN}'), [400]],
    ['extra members', '{"a":1,"eventName":"A","b":[],"payload":{"x":1}}', [202, 1, 0]],
    ['a duplicate key: the last counts', '{"eventName":7,"eventName":"A","payload":1,"payload":{}}', [202, 1, 0]],
    ['__proto__ gives nothing', '{"__proto__":{"eventName":"A","payload":{}}}', [202, 0, 1]],
  ]
  test.each(rows)('%s', async (_, body, [status, accepted = 0, rejected = 0]) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, body)
    expect(response.status).toBe(status)
    expect(storedEvents(spool)).toHaveLength(accepted)
    expect(storedEvents(spool).every(({ name, payload }) => name === 'A' && typeof payload === 'object')).toBe(true)
    if (status !== 202) return
    if (rejected === 0) {
      expect(response.headers.has('warning')).toBe(false)
      expect(await outcomeOf(response)).toEqual({ accepted, rejected, errors: [] })
    } else {
      expect(response.headers.get('warning')).toBe(`199 sluice "${accepted} accepted, ${rejected} rejected"`)
      const outcome = await outcomeOf(response)
      expect([outcome.accepted, outcome.rejected, outcome.errors.length]).toEqual([accepted, rejected, rejected])
    }
  })
})

describe('POST JSON: names (J5)', () => {
  test.each([
    ['42', '42'],
    ['true', 'true'],
    ['"Ünïcode name"', 'Ünïcode name'],
  ])('eventName %s', async (json, name) => {
    const { collector, spool } = createTestCollector()
    await post(collector, event('{"x":1}', json))
    expect(storedEvents(spool).map(stored => stored.name)).toEqual([name])
  })
})

describe('POST JSON: when an event was received', () => {
  test.each([
    ['short', ''],
    ['long', ' '.repeat(300_000)],
  ])('is when its body was there: %s', async (_, blanks) => {
    const clock = { ms: now }
    const { collector, spool } = createTestCollector({}, { clock: { now: () => clock.ms, monotonicMs: () => 0 } })
    const answered = post(collector, `${E}${event(`{"eventDate":${D}}`)}${blanks}`)
    clock.ms += 5_000
    await answered
    expect(spool.batches).toMatchObject([{ receivedAt: now + 5_000 }])
    expect(storedEvents(spool).map(({ date }) => date)).toEqual([now + 5_000, D])
  })

  test('a date that is given counts', async () => {
    const { collector, spool } = createTestCollector()
    await post(collector, E, { query: '?date=2009-01-02T03:04:05.006Z' })
    expect(spool.batches).toMatchObject([{ receivedAt: now, events: [{ date: D }] }])
  })
})

describe('POST JSON: dates and granularity (J7–J9, J13)', () => {
  const hour = 'A/2009/01/02/03'
  const rows: [payload: string, want: string | undefined, query?: string][] = [
    [`{"eventDate":${D}}`, hour],
    [`{"eventDate":${D}.9}`, hour],
    [`{"eventDate":"2009-01-02T03:04:05.006Z"}`, hour],
    [`{"eventDate":"2009-01-02T05:04:05+02:00"}`, hour],
    [`{"eventDate":"${D}"}`, hour],
    ['{"eventDate":0}', 'A/1970/01/01/00'],
    ['{"eventDate":null}', 'A/2020/02/02/03'],
    ['{"eventDate":null,"eventGranularity":null}', 'A/2009/01/02', '?date=2009-01-02&gr=DAILY'],
    ['{"eventDate":true}', undefined],
    ['{"eventDate":-1}', undefined],
    ['{"eventDate":253402300800000}', undefined],
    ['{"eventDate":1e300}', undefined],
    ['{"eventDate":"soon"}', undefined],
    ['{"eventDate":{}}', undefined],
    [`{"eventDate":${D},"eventGranularity":"MINUTE"}`, `${hour}/04`],
    [`{"eventDate":${D},"eventGranularity":"daily"}`, 'A/2009/01/02'],
    [`{"eventDate":${D},"eventGranularity":""}`, undefined],
    [`{"eventDate":${D},"eventGranularity":null}`, hour],
    [`{"eventDate":${D},"eventGranularity":5}`, undefined],
    ['{}', 'A/2020/02/02/03'],
    ['{}', hour, '?date=2009-01-02T03:04:05.006Z'],
    ['{}', 'A/2009/01/02', '?date=2009-01-02&gr=DAILY&name=Z'],
    [`{"eventDate":${D},"eventGranularity":"YEARLY"}`, 'A/2009', '?date=2011-01-01&gr=DAILY'],
  ]
  test.each(rows)('%s %s %s', async (payload, want, query = '') => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, event(payload), { query })
    expect(response.status).toBe(202)
    expect(storedEvents(spool)[0]?.path).toBe(want)
  })
  test.each(['?date=zzz', '?date='])('%s is refused', async query => {
    const { collector } = createTestCollector()
    expect((await post(collector, E, { query })).status).toBe(400)
  })
})

describe('null means a date and a granularity that are not set', () => {
  const unset = { eventName: 'A', payload: { eventDate: null, x: 1, eventGranularity: null } }
  const cases = ['short', 'long'].flatMap(length =>
    (['json', 'smile'] as const).map(format => {
      const value = length === 'short' ? unset : { ...unset, padding: 'y'.repeat(300_000) }
      return [length, format, format === 'json' ? JSON.stringify(value) : encodeSmile(value)] as const
    }),
  )
  test.each(cases)('%s %s', async (_, format, body) => {
    const { collector, spool } = createTestCollector()
    const type = format === 'json' ? 'application/json' : 'application/json+smile'
    const response = await post(collector, body, { type, query: '?date=2009-01-02T03:04:05.006Z&gr=DAILY' })
    expect(await outcomeOf(response)).toEqual(whole(1))
    expect(storedEvents(spool)).toMatchObject([{ path: 'A/2009/01/02', date: D }])
    const payloads = spool.batches.flatMap(batch => Array.from(decodeEvents(batch), toStoredPayload))
    expect(payloads).toEqual([{ eventDate: D, x: 1, eventGranularity: 'DAILY' }])
  })
})

describe('POST JSON: the data of a CloudEvent in binary mode, whose door is not open', () => {
  const cloudEvent = { 'ce-specversion': '1.0', 'ce-type': 'shop.order', 'ce-id': '1', 'ce-source': '/shop' }
  const nested = '{"Records":[{"eventName":"ObjectCreated:Put"}]}'
  const rows: [name: string, body: string | Uint8Array, status: number, type?: string][] = [
    ['an object', '{"total":12}', 415],
    ['an object of which a part has an eventName', nested, 415],
    ['several objects', '{"total":12} {"total":13}', 415],
    ['an array', '[1,2]', 415],
    ['an empty array', '[]', 415],
    ['a number', '5', 415],
    ['a long object', `{"text":"${'y'.repeat(300_000)}"}`, 415],
    ['Smile', encodeSmile({ total: 12 }), 415, 'application/json+smile'],
    ['text/plain', '{"total":12}', 415, 'text/plain'],
    ['an event', E, 202],
    ['an event of Smile', encodeSmile({ eventName: 'A', payload: { total: 12 } }), 202, 'application/json+smile'],
    ['a long event', `{"eventName":"A","payload":{"text":"${'y'.repeat(300_000)}"}}`, 202],
    ['an event after other data', `{"total":12} ${E}`, 202],
    ['an event that is refused', bad, 202],
    ['an event with a name that is null', '{"eventName":null,"payload":{}}', 202],
    ['data with too many values', `{"x":[${'1,'.repeat(200_000)}1]}`, 415],
    ['data with a number that nothing could hold', `{"x":${'9'.repeat(20_000)}}`, 415],
  ]
  test.each(rows)('%s', async (_, body, status, type = 'application/json') => {
    const { collector, spool } = createTestCollector({ doors: new Set() })
    const response = await post(collector, body, { type, headers: cloudEvent })
    expect(response.status).toBe(status)
    if (status === 202) return
    const detail = expect.stringContaining('ce-specversion')
    expect(await response.json()).toMatchObject({ code: 'unsupported-media-type', detail })
    expect(spool.batches).toEqual([])
  })
  test.each(['{"total":12}', '[]'])('without its headers %s stays a 202', async body => {
    const { collector } = createTestCollector()
    expect((await post(collector, body)).status).toBe(202)
  })
})

describe('POST JSON: what the spool gets', () => {
  test('a clean body as it was sent, rejected events included', async () => {
    const { collector, spool } = createTestCollector()
    const body = ` [ ${E} , ${bad},\n{"eventName":"B","payload":{"n":1.10,"big":12345678901234567890}} ] `
    await post(collector, body)
    const [batch] = spool.batches
    expect(Buffer.from(batch?.body ?? []).toString()).toBe(body)
    expect(batch?.events).toEqual([
      { index: 0, name: 'A', date: now, granularity: 'HOURLY' },
      { index: 2, name: 'B', date: now, granularity: 'HOURLY' },
    ])
    expect(batch).toMatchObject({ api: 'POST_Json_API', format: 'json' })
    expect(batch).not.toHaveProperty('idempotency')
  })
  test('of another body the good events as one array, each as it was sent', async () => {
    const { collector, spool } = createTestCollector()
    const good = '{"eventName":"B","payload":{"n":1.10,"s":"é"}}'
    const response = await post(collector, `\ufeff${E} ${bad} ${good} {`)
    expect(Buffer.from(spool.batches[0]?.body ?? []).toString()).toBe(`[${E},${good}]`)
    expect((await outcomeOf(response)).errors.map(({ index }) => index)).toEqual([1, 3])
  })
  test('an event with bytes that are not UTF-8 is refused alone', async () => {
    const { collector, spool } = createTestCollector()
    const body = Buffer.concat([
      Buffer.from(`[${E},{"eventName":"A","payload":{"x":"`),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(`"}},{"eventName":"é","payload":{"x":"\u65e5"}}]`),
    ])
    const response = await post(collector, body)
    expect((await outcomeOf(response)).errors).toMatchObject([{ index: 1, code: 'bad-event' }])
    expect(storedEvents(spool).map(({ name, payload }) => [name, payload])).toEqual([
      ['A', { x: 1 }],
      ['é', { x: '\u65e5' }],
    ])
  })
  const deep = (levels: number): string => event(`{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`)
  test.each([
    ['deep nesting', deep(100_000)],
    ['a number of ten thousand digits', event(`{"x":${'9'.repeat(20_000)}}`)],
    ['a number with an absurd exponent', event('{"x":1e-99999999999}')],
  ])('%s is refused alone: no format could hold it', async (_, hostile) => {
    const { collector, spool } = createTestCollector()
    const response = await post(collector, `[${E},${hostile},${E}]`)
    expect(response.status).toBe(202)
    expect((await outcomeOf(response)).rejected).toBe(1)
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual([{ x: 1 }, { x: 1 }])
  })
  test.each([
    ['a text', '{"x":"a\\ud83d"}', { x: 'a\ufffd' }, 'a lone surrogate became U+FFFD'],
    ['a name', '{"\\uDE00":1}', { '\ufffd': 1 }, 'a lone surrogate became U+FFFD'],
    [
      'twice',
      '{"x":"\\ude00\\ud83d","y":"\\ud83d\\ude00 \\\\ud83d"}',
      { x: '\ufffd\ufffd', y: '😀 \\ud83d' },
      '2 lone surrogates became U+FFFD',
    ],
  ])('a lone surrogate in %s becomes U+FFFD, counted in the Warning', async (_, payload, want, warning) => {
    for (const padding of ['', ' '.repeat(300_000)]) {
      const { collector, spool } = createTestCollector()
      const response = await post(collector, `[${E},${event(payload)}]${padding}`)
      expect(response.status).toBe(202)
      expect(response.headers.get('warning')).toBe(`199 sluice "2 accepted, 0 rejected, ${warning}"`)
      expect(await outcomeOf(response)).toEqual(whole(2))
      expect(storedEvents(spool).map(stored => stored.payload)).toEqual([{ x: 1 }, want])
    }
  })
  test.each([
    ['seconds', '{"eventDate":1700000000}', 1_700_000_000, 'eventDate of 1 looks like seconds'],
    ['seconds with a fraction', '{"eventDate":1700000000.5}', 1_700_000_000, 'eventDate of 1 looks like seconds'],
    ['ms', '{"eventDate":1700000000000}', 1_700_000_000_000, undefined],
    ['a small number', '{"eventDate":5}', 5, undefined],
    ['a text of digits', '{"eventDate":"1700000000"}', 1_700_000_000, undefined],
    ['a day', '{"eventDate":"20090102"}', Date.UTC(2009, 0, 2), undefined],
  ])('a date of %s: what looks like seconds is named in the Warning', async (_, payload, date, warning) => {
    for (const padding of ['', ' '.repeat(300_000)]) {
      const { collector, spool } = createTestCollector()
      const response = await post(collector, `[${E},${event(payload)}]${padding}`)
      expect(response.status).toBe(202)
      if (warning === undefined) expect(response.headers.get('warning')).toBeNull()
      else expect(response.headers.get('warning')).toContain(warning)
      expect(await outcomeOf(response)).toEqual(whole(2))
      expect(spool.batches[0]?.events[1]?.date).toBe(date)
    }
  })
  test('what looks alike is kept', async () => {
    const { collector, spool } = createTestCollector()
    const kept = [
      deep(400),
      event('{"x":"\\ud83d\\ude00"}'),
      event('{"x":0,"y":"3e12345678"}'),
      event(`{"x":"${'9'.repeat(20_000)}"}`),
      event('{"x":1e400,"y":0.0}'),
    ]
    const response = await post(collector, `[${kept.join(',')}]`)
    expect([response.status, await outcomeOf(response)]).toEqual([202, whole(kept.length)])
    expect(storedEvents(spool)).toHaveLength(kept.length)
  })
  test('errors are listed up to the hundredth, counted beyond', async () => {
    const { collector } = createTestCollector()
    const outcome = await outcomeOf(await post(collector, `[${Array(250).fill(bad).join(',')}]`))
    expect([outcome.rejected, outcome.errors.length]).toEqual([250, 100])
  })
})

function encodeSmile(value: Value): Uint8Array {
  const writer = createSmileWriter()
  writer.write(value)
  return writer.take()
}

function toStoredPayload(event: DecodedEvent): unknown {
  return event.kind === 'smile' ? event.payload : undefined
}

function utf32be(text: string): Uint8Array {
  return Buffer.from(Array.from(text, char => [0, 0, 0, char.charCodeAt(0)]).flat())
}
