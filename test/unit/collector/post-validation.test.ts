import { describe, expect, test } from 'vitest'
import type { CollectorOptions } from '../../../src/collector/collector.ts'
import { maxCountedTypes, otherTypes } from '../../../src/collector/counters.ts'
import type { ExpectedField } from '../../../src/collector/validation/field-schema.ts'
import { createValidator } from '../../../src/collector/validation/validator.ts'
import { SluiceError } from '../../../src/errors.ts'
import type { Value } from '../../../src/formats/number.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import type { Outcome } from '../../../src/spool/batch.ts'
import { createTestCollector, D, get, outcomeOf, post, storedEvents, whole } from './fakes.ts'

const schemas: ReadonlyMap<string, readonly ExpectedField[]> = new Map([
  [
    'Order',
    [
      { id: 1, name: 'total', type: 'double' },
      { id: 2, name: 'count', type: 'integer' },
    ],
  ],
  ['Small', [{ id: 1, name: 'count', type: 'byte' }]],
])
const lookup = (name: string): readonly ExpectedField[] | undefined => schemas.get(name)
const validate = createValidator({ lookup })
const collectorWith = (options: Partial<CollectorOptions> = {}) => createTestCollector({}, { validate, ...options })

const event = (payload: unknown, eventName = 'Order') => JSON.stringify({ eventName, payload })
const good = event({ total: 1.5 })
const bad = event({ total: 'much' })
const detail = 'Order.total is a string; expected double'

describe('collector.validation=warn', () => {
  test('the event is stored; Warning and body name it', async () => {
    const { collector, spool } = collectorWith()
    const response = await post(collector, `[${good},${bad}]`)
    expect(response.status).toBe(202)
    expect(response.headers.get('warning')).toBe(
      `199 sluice "2 accepted, 0 rejected, 1 does not fit its schema: ${detail}"`,
    )
    expect(await response.json()).toEqual({ accepted: 2, rejected: 0, errors: [], mismatches: [{ index: 1, detail }] })
    expect(storedEvents(spool)).toHaveLength(2)
  })

  test('events that fit, or have no schema, are answered as usual', async () => {
    const { collector, spool } = collectorWith()
    const response = await post(collector, `[${good},${event({ anything: [1] }, 'Unknown')}]`)
    expect([response.status, response.headers.has('warning')]).toEqual([202, false])
    expect(await outcomeOf(response)).toEqual(whole(2))
    expect(storedEvents(spool)).toHaveLength(2)
  })

  test.each([
    ['an array with a bad event', `[${bad},7,${bad}]`, [0, 2], [1]],
    ['events one after another', `${good}${bad}`, [1], []],
    ['a body that is written anew', `garbage ${bad} {{{ ${good}${bad}`, [1, 4], [0, 2]],
    ['a bad event in front', `7 ${bad}`, [1], [0]],
  ])('positions are those of the request: %s', async (_, body, mismatched, refused) => {
    const { collector } = collectorWith()
    const { errors, mismatches } = await reportOf(await post(collector, body))
    expect(mismatches?.map(one => one.index)).toEqual(mismatched)
    expect(errors.map(one => one.index)).toEqual(refused)
  })

  test('at most 100 are listed, all are counted, by type', async () => {
    const { collector } = collectorWith()
    const body = `[${[...Array(150).fill(bad), event({ count: 'x' }, 'Small')].join(',')}]`
    const response = await post(collector, body)
    expect(response.headers.get('warning')).toContain('151 do not fit their schemas: Order.total is a string')
    expect((await reportOf(response)).mismatches).toHaveLength(100)
    expect(collector.counters.POST_Json_API.mismatches).toEqual(
      new Map([
        ['Order', 150],
        ['Small', 1],
      ]),
    )
  })

  test('names are counted in a bounded number', async () => {
    const { collector } = collectorWith({ validate: createValidator({ lookup: () => [] }) })
    const names = Array.from({ length: maxCountedTypes + 2 }, (_, index) => event({ x: 1 }, `n${index}`))
    await post(collector, `[${names.join(',')}]`)
    expect(collector.counters.POST_Json_API.mismatches.size).toBe(maxCountedTypes + 1)
    expect(collector.counters.POST_Json_API.mismatches.get(otherTypes)).toBe(2)
  })

  test('names of the client make no header of their own, and no longer one than the contract allows', async () => {
    const { collector } = collectorWith({ validate: createValidator({ lookup: () => [] }) })
    const hostile = `"\\é\u0007"`.repeat(40)
    const response = await post(collector, event({ [hostile]: 1 }, 'ü'.repeat(40)))
    const warning = response.headers.get('warning') ?? ''
    expect(warning).toMatch(
      /^199 sluice "1 accepted, 0 rejected, 1 does not fit its schema: (?:[ !#-[\]-~]|\\["\\])*"$/,
    )
    expect(warning.length).toBeLessThan(1_000)
  })

  test('events that were not kept are not counted', async () => {
    const { collector, spool } = collectorWith()
    spool.failure = new SluiceError('overloaded', 'full')
    expect((await post(collector, bad)).status).toBe(503)
    expect(collector.counters.POST_Json_API.mismatches.size).toBe(0)
  })

  test('filtered events are not compared', async () => {
    const { collector } = createTestCollector(
      { filters: { host: [], ip: [], useragent: [], path: [], 'event-type': ['Order'] } },
      { validate },
    )
    expect((await post(collector, bad)).headers.has('warning')).toBe(false)
  })

  test('a replay gets the same answer, and counts once', async () => {
    const { collector } = collectorWith()
    const init = { headers: { 'idempotency-key': 'k' } }
    const first = await post(collector, `${good}${bad}`, init)
    const again = await post(collector, `${good}${bad}`, init)
    expect(again.headers.get('warning')).toBe(first.headers.get('warning'))
    expect(await again.text()).toBe(await first.text())
    expect(collector.counters.POST_Json_API.mismatches.get('Order')).toBe(1)
  })

  test('a GET is answered without a body', async () => {
    const { collector, spool } = collectorWith()
    const response = await get(collector, '/1?v=Order,smuch')
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(response.headers.get('warning')).toContain('Order.total is string (11); expected double')
    expect(storedEvents(spool)).toHaveLength(1)
    expect((await get(collector, '/1?v=Order,d1.5')).headers.has('warning')).toBe(false)
  })
})

describe('collector.validation=reject', () => {
  const strict = (): ReturnType<typeof collectorWith> =>
    collectorWith({ validate: createValidator({ lookup, mode: () => 'reject' }) })

  test('the event is refused, its neighbours are kept', async () => {
    const { collector, spool } = strict()
    const response = await post(collector, `[${bad},7,${good},${bad}]`)
    expect(response.headers.get('warning')).toBe('199 sluice "1 accepted, 3 rejected"')
    const { accepted, rejected, errors } = await outcomeOf(response)
    expect([accepted, rejected]).toEqual([1, 3])
    expect(errors.map(({ index, code }) => [index, code])).toEqual([
      [0, 'schema-mismatch'],
      [1, 'bad-event'],
      [3, 'schema-mismatch'],
    ])
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual([{ total: 1.5 }])
    const { received, accepted: kept, malformed, mismatches } = collector.counters.POST_Json_API
    expect([received, kept, malformed, mismatches.get('Order')]).toEqual([4, 1, 3, 2])
  })

  test('nothing is stored when nothing fits', async () => {
    const { collector, spool } = strict()
    expect((await outcomeOf(await post(collector, bad))).rejected).toBe(1)
    expect(spool.batches).toEqual([])
  })

  test('Smile and envelopes are kept event by event', async () => {
    const { collector, spool } = strict()
    const events = [{ total: 1.5 }, { total: 'much' }].map(payload => ({ eventName: 'Order', payload }))
    await post(collector, encodeSmile(events), { type: 'application/json+smile' })
    const records = [1, 2].map(id =>
      encodeRecord({
        typeName: 'Order',
        date: D,
        granularity: 'HOURLY',
        payload: encodeFields([{ id, type: thriftType.double, value: 2.5 }]),
      }),
    )
    const response = await post(collector, Buffer.concat(records), { type: 'application/thrift' })
    const { errors } = await outcomeOf(response)
    expect(errors).toEqual([
      { index: 1, code: 'schema-mismatch', detail: 'Order.count is double (4); expected integer' },
    ])
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual([{ total: 1.5 }, { 1: 2.5 }])
  })

  test('a request that is one event by its form is refused whole', async () => {
    const { collector, spool } = strict()
    const body = encodeFields([{ id: 1, type: thriftType.i32, value: 1 }])
    const answers = [
      await get(collector, '/1?v=Order,smuch'),
      await post(collector, body, { query: '?name=Order', type: 'application/thrift' }),
    ]
    for (const response of answers) {
      expect(response.status).toBe(400)
      const problem: unknown = await response.json()
      expect(problem).toMatchObject({ detail: expect.stringMatching(/^Order\.total is .*; expected double$/) })
    }
    expect(spool.batches).toEqual([])
    expect(collector.counters.GET_API).toMatchObject({ received: 1, malformed: 1, rejected: 1, failures: 1 })
  })
})

type Report = Outcome & { readonly mismatches?: readonly { readonly index: number; readonly detail: string }[] }

const reportOf = async (response: Response): Promise<Report> => await outcomeOf(response)

const encodeSmile = (value: Value): Uint8Array => {
  const writer = createSmileWriter()
  writer.write(value)
  return writer.take()
}
