import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventDefaults, Parsed } from '../../../src/collector/parsed.ts'
import { parseJsonEvents } from '../../../src/collector/parsers/json.ts'
import { toUtf8Json } from '../../../src/collector/parsers/json-text.ts'
import { parseLongJson } from '../../../src/collector/parsers/long-json.ts'
import { SluiceError } from '../../../src/errors.ts'
import { jsonElements } from '../../../src/formats/json-elements.ts'
import type { Value } from '../../../src/formats/number.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { createTestCollector, now, outcomeOf, post, storedEvents } from './fakes.ts'

const defaults: EventDefaults = { date: now, granularity: 'HOURLY', maxEvents: 1_000, maxValues: 1_000 }

/** Turns after every look, so that each place to wait at is tried. */
const turns = () => {
  let taken = 0
  return {
    isOver: () => true,
    next: async () => {
      taken++
    },
    get taken() {
      return taken
    },
  }
}

/** What is kept and what is reported, or the code of the error. */
const outcome = async (parse: () => Parsed | Promise<Parsed>) => {
  try {
    const { events, rejections, body } = await parse()
    const elements = Array.from(jsonElements(body), ({ start, end }) => Buffer.from(body).toString('utf8', start, end))
    return {
      kept: events.map(({ index, name }) => [name, JSON.parse(elements[index] ?? '')]),
      errors: rejections.count,
    }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return error.code
  }
}

const short = (body: string) => outcome(() => parseJsonEvents(Buffer.from(body), defaults))
const long = (body: string | Buffer) =>
  outcome(async () => parseLongJson(await toUtf8Json(Buffer.from(body), turns(), () => {}), defaults, turns()))

const E = (n: number): string => `{"eventName":"A","payload":{"n":${n},"s":"é\\"}{"}}`
const R = (n: number): string => `{"payload":{"n":${n}},"eventName":"B"}`

describe('a name with an escape, which this engine can take for that of an event before', () => {
  // What it has read lasts, so each way has names of its own.
  test.each([
    ['a', short],
    ['b', long],
  ])('is what it says: %s', async (member, parse) => {
    const begin = `{"${member}":1,"payload":{},`
    const misleading = `${begin}"\\\\u0065ven":"B"}`
    await parse(misleading)
    JSON.parse(misleading)
    const body = `${begin}"\\u0065ventName":"A"}`
    expect(await parse(body)).toMatchObject({ kept: [['A', expect.anything()]], errors: 0 })
  })
})

describe('a long body gives the events that a short one gives', () => {
  test.each([
    ['one', E(1)],
    ['an array', ` [ ${E(1)} , ${R(2)} ] `],
    ['lines', `${E(1)}\n${R(2)}\r\n`],
    ['one behind the other', `${E(1)}${R(2)}${E(3)}`],
    ['arrays', `[${E(1)}][] [${E(2)},${R(3)}]`],
    ['bad ones', `[${E(1)},{"eventName":"A"},7,null,"x",[1],[${E(5)}],${E(2)},{}]`],
    ['a mark', `\ufeff${E(1)}`],
    ['nothing', ''],
    ['blanks', ' \n\n '],
    ['an empty array', '[ ]'],
    ['garbage', 'garbage'],
    ['garbage between', `${E(1)} garbage ${E(2)} }} ${E(3)}`],
    ['cut off', `[${E(1)},${E(2).slice(0, 20)}`],
    ['a missing brace', `[${E(1)},${E(2).slice(0, -1)},${E(3)},${R(4)}]`],
    ['a missing quote', `[${E(1)},{"eventName":"A","payload":{"x":"abc}},${E(2)},${R(3)},${E(4)}]`],
    ['the name behind the payload', `${R(1)}\n${R(2).slice(0, -3)}\n${R(3)}\n${R(4)}`],
    ['an event in a damaged one', `{"a":[${E(1)},,${E(2)}`],
    ['words glued to a value', `${E(1)} 5x ${E(2)}`],
    ['a bad escape', `[${E(1)},{"eventName":"A","payload":{"x":"\\q"}},${E(2)}]`],
    ['a number that is none', `[${E(1)},{"eventName":"A","payload":{"x":01}},${E(2)}]`],
    ['an absurd exponent', `[${E(1)},{"eventName":"A","payload":{"x":1e99999999999}},${E(2)}]`],
    ['twenty thousand digits', `[${E(1)},{"eventName":"A","payload":{"x":${'9'.repeat(20_000)}}},${E(2)}]`],
    ['too many values', `[${E(1)},{"eventName":"A","payload":{"x":[${'0,'.repeat(1_000)}0]}},${E(2)}]`],
    ['too deep', `[${E(1)},{"eventName":"A","payload":{"x":${'['.repeat(600)}${']'.repeat(600)}}},${E(2)}]`],
  ])('%s', async (_, body) => {
    const want = await short(body)
    expect(await long(body)).toEqual(want)
    if (want === 'bad-event') return
    const wide = Buffer.from(body, 'utf16le')
    if (!body.startsWith('\ufeff') && body.length > 2) expect(await long(wide)).toEqual(want)
  })
  test('too many events', async () => {
    expect(await long(E(1).repeat(1_001))).toBe('too-large')
  })
  test('any events with any damage in one of them: none of the others is lost', async () => {
    const damage = fc.record({
      at: fc.nat(),
      drop: fc.integer({ min: 0, max: 3 }),
      add: fc.constantFrom('', '}', '"', 'x'),
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 6 }), fc.nat(), damage, async (count, which, { at, drop, add }) => {
        const events = Array.from({ length: count }, (_, n) => E(n))
        const bad = which % count
        const text = events[bad] ?? ''
        events[bad] = text.slice(0, at % text.length) + add + text.slice((at % text.length) + drop)
        const result = await long(events.join('\n'))
        const names = typeof result === 'string' ? [] : result.kept.map(([, value]) => JSON.stringify(value))
        const others = events.filter((_, n) => n !== bad && n !== bad + 1)
        for (const other of others) expect(names).toContain(JSON.stringify(JSON.parse(other)))
      }),
      { numRuns: 300 },
    )
  })
})

describe('S6: an event over the limits is refused alone, in every format', () => {
  const smile = (...events: Value[]): Buffer => {
    const writer = createSmileWriter()
    writer.startArray()
    for (const event of events) writer.write(event)
    writer.endArray()
    return Buffer.from(writer.take())
  }
  const event = (x: Value): { [key: string]: Value } => ({ eventName: 'A', payload: { x } })
  const record = (fields: number): Uint8Array =>
    encodeRecord({
      typeName: 'A',
      date: now,
      granularity: 'HOURLY',
      payload: encodeFields(Array.from({ length: fields }, (_, id) => ({ id, type: thriftType.bool, value: true }))),
    })
  const many = Array(40).fill({})
  const padding = 'x'.repeat(300_000)
  const values = /(?:more than|at most) 20 values/
  test.each([
    ['JSON', 'application/json', Buffer.from(JSON.stringify([event(1), event(many), event(3)])), 2],
    [
      'JSON, in an object',
      'application/json',
      Buffer.from(JSON.stringify([event(1), event(Object.fromEntries(many.map((_, i) => [`n${i}`, i]))), event(3)])),
      2,
    ],
    ['long JSON', 'application/json', Buffer.from(JSON.stringify([event(padding), event(many), event(3)])), 2],
    [
      'long JSON lines',
      'application/json',
      Buffer.from([padding, many, 3].map(x => JSON.stringify(event(x))).join('\n')),
      2,
    ],
    ['Smile', 'application/json+smile', smile(event('s'), event(many), event('s')), 2],
    ['long Smile', 'application/json+smile', smile(event(padding), event([many, 'later']), event('later')), 2],
    ['Thrift', 'application/thrift', Buffer.concat([record(3), record(40), record(5)]), 2],
    [
      'long Thrift',
      'application/thrift',
      Buffer.concat([record(3), record(40), ...Array(10_000).fill(record(5))]),
      10_001,
    ],
  ])('%s: too many values', async (_, type, body, accepted) => {
    const { collector, spool } = createTestCollector({ maxValuesPerEvent: 20 })
    const response = await post(collector, body, { type })
    expect(response.headers.get('warning')).toBe(`199 sluice "${accepted} accepted, 1 rejected"`)
    const { errors } = await outcomeOf(response)
    expect(errors).toMatchObject([{ index: 1, code: 'bad-event', detail: expect.stringMatching(values) }])
    expect(storedEvents(spool)).toHaveLength(accepted)
    expect(storedEvents(spool).map(({ payload }) => payload)).not.toContain(undefined)
  })
  test.each([
    ['JSON', 'application/json', (...events: Value[]) => Buffer.from(JSON.stringify(events))],
    ['Smile', 'application/json+smile', smile],
  ])('%s: too many bytes', async (_, type, encode) => {
    const { collector, spool } = createTestCollector()
    const body = encode(event('s'), event('y'.repeat(17 * 2 ** 20)), event('t'))
    const { errors } = await outcomeOf(await post(collector, body, { type }))
    expect(errors).toMatchObject([{ index: 1, detail: expect.stringMatching(/16777216 bytes/) }])
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual([{ x: 's' }, { x: 't' }])
  })
  test('in a long body it is not even parsed: it may contain invalid JSON', async () => {
    const { collector } = createTestCollector({ maxValuesPerEvent: 20 })
    const bad = `{"eventName":"A","payload":{"x":[${'"\\q",'.repeat(40)}0]}}`
    const { errors } = await outcomeOf(await post(collector, `${JSON.stringify(event(padding))}${bad}`))
    expect(errors).toMatchObject([{ index: 1, detail: expect.stringMatching(values) }])
  })
  test('Thrift: a stream without one good record is refused', async () => {
    const { collector, spool } = createTestCollector({ maxValuesPerEvent: 20 })
    const response = await post(collector, Buffer.concat([record(40), record(40)]), { type: 'application/thrift' })
    expect([response.status, spool.batches.length]).toEqual([400, 0])
    expect(await response.json()).toMatchObject({
      code: 'bad-event',
      detail: expect.stringMatching(/no good Thrift record/),
    })
  })
})
