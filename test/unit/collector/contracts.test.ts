import { describe, expect, test } from 'vitest'
import type { CollectorOptions } from '../../../src/collector/collector.ts'
import { createValidator } from '../../../src/collector/validation/validator.ts'
import { compileContract } from '../../../src/event-contracts/compile-contract.ts'
import type { ContractMode } from '../../../src/event-contracts/contract.ts'
import type { Value } from '../../../src/formats/number.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { createTestCollector, D, post, storedEvents } from './fakes.ts'

const schemas: Readonly<Record<string, object>> = {
  Order: { properties: { id: { type: 'integer', maximum: 2 ** 53 - 1 }, total: { type: 'number', minimum: 0 } } },
  Strict: { 'x-sluice-validation': 'reject', required: ['id'] },
  Loose: { 'x-sluice-validation': 'warn', required: ['id'] },
  Free: { 'x-sluice-validation': 'off', required: ['id'] },
  Aside: { required: ['id'] },
}
const contracts = new Map(
  Object.entries(schemas).map(([type, schema]) => {
    // So far beyond 2^53 that only exact numbers tell it.
    const text = JSON.stringify(schema).replace(String(2 ** 53 - 1), '9223372036854775807')
    return [type, compileContract({ type, file: `${type}.json`, texts: new Map([[`${type}.json`, text]]) })]
  }),
)
const start = (mode: ContractMode, options: Partial<CollectorOptions> = {}) =>
  createTestCollector(
    {},
    {
      validate: createValidator({ lookup: () => undefined, contracts: () => contracts, mode: () => mode }),
      ...options,
    },
  )

const event = (eventName: string, payload: string): string => `{"eventName":"${eventName}","payload":${payload}}`
const big = '{"id":9223372036854775807}'
const tooBig = '{"id":9223372036854775808}'
const detail = 'Order /id is the number 9223372036854775808; expected at most 9223372036854775807'

type Report = {
  readonly accepted: number
  readonly rejected: number
  readonly errors: readonly { readonly index: number; readonly code: string; readonly detail: string }[]
  readonly mismatches?: readonly { readonly index: number; readonly detail: string }[]
}
const reportOf = async (response: Response): Promise<Report> => (await response.json()) as Report

describe('numbers beyond 2^53 are compared as they were sent', () => {
  test.each<[string, string]>([
    ['an array', `[${event('Order', big)},${event('Order', tooBig)}]`],
    ['one after another', `${event('Order', big)}\n${event('Order', tooBig)}`],
    ['a long body', `[${event('Order', big)},${' '.repeat(300_000)}${event('Order', tooBig)}]`],
    ['an escaped name', `[${event('Order', big)},${event('Order', tooBig.replace('id', '\\u0069d'))}]`],
    [
      'a long body with an escaped name',
      `[${event('Order', big)},${' '.repeat(300_000)}${event('Order', tooBig.replace('{', '{"total":1.0,').replace('id', '\\u0069d'))}]`,
    ],
  ])('%s', async (_, body) => {
    const { collector } = start('warn')
    expect((await reportOf(await post(collector, body))).mismatches).toEqual([{ index: 1, detail }])
  })

  test('Smile', async () => {
    const { collector } = start('warn')
    const events: Value = [2n ** 63n - 1n, 2n ** 63n].map(id => ({ eventName: 'Order', payload: { id } }))
    const response = await post(collector, encodeSmile(events), { type: 'application/smile' })
    expect((await reportOf(response)).mismatches).toEqual([{ index: 1, detail }])
  })
})

const encodeSmile = (value: Value): Uint8Array => {
  const writer = createSmileWriter()
  writer.write(value)
  return writer.take()
}

test('fields of Thrift have the names of the properties, in their order', async () => {
  const { collector } = start('warn')
  const records = [-1, 1].map(total =>
    encodeRecord({
      typeName: 'Order',
      date: D,
      granularity: 'HOURLY',
      payload: encodeFields([
        { id: 1, type: thriftType.i64, value: 5n },
        { id: 2, type: thriftType.double, value: total },
      ]),
    }),
  )
  const response = await post(collector, Buffer.concat(records), { type: 'application/thrift' })
  const words = 'Order /total is the number -1; expected at least 0'
  expect((await reportOf(response)).mismatches).toEqual([{ index: 0, detail: words }])
})

describe('what becomes of an event is said by its contract, else by the settings', () => {
  const all = ['Strict', 'Loose', 'Free', 'Aside', 'Unknown'].map(name => event(name, '{}'))

  test.each<[ContractMode, { errors: number[]; mismatches: number[]; stored: string[] }]>([
    ['off', { errors: [0], mismatches: [1], stored: ['Loose', 'Free', 'Aside', 'Unknown'] }],
    ['warn', { errors: [0], mismatches: [1, 3], stored: ['Loose', 'Free', 'Aside', 'Unknown'] }],
    ['reject', { errors: [0, 3], mismatches: [1], stored: ['Loose', 'Free', 'Unknown'] }],
  ])('%s', async (mode, want) => {
    const { collector, spool } = start(mode)
    const response = await post(collector, `[${all.join()}]`)
    const { accepted, rejected, errors, mismatches = [] } = await reportOf(response)
    expect(errors.map(({ index }) => index)).toEqual(want.errors)
    expect(mismatches.map(({ index }) => index)).toEqual(want.mismatches)
    expect([accepted, rejected]).toEqual([5 - want.errors.length, want.errors.length])
    expect(storedEvents(spool).map(({ name }) => name)).toEqual(want.stored)
    const kept =
      want.mismatches.length === 1 ? '1 does not fit its schema' : `${want.mismatches.length} do not fit their schemas`
    expect(response.headers.get('warning')).toContain(
      `${kept}: Loose /id is missing; expected a value, for it is required`,
    )
    const counts = collector.counters.POST_Json_API
    expect([counts.accepted, counts.malformed]).toEqual([5 - want.errors.length, want.errors.length])
    expect([...counts.mismatches.keys()].sort()).toEqual(
      mode === 'off' ? ['Loose', 'Strict'] : ['Aside', 'Loose', 'Strict'],
    )
  })

  test('set-aside: accepted, counted for its type, and stored apart with the reason', async () => {
    const { collector, spool } = start('set-aside')
    const { accepted, rejected } = await reportOf(
      await post(collector, `[${event('Aside', '{}')},${event('Aside', '{"id":1}')}]`),
    )
    expect([accepted, rejected]).toEqual([2, 0])
    expect(storedEvents(spool)).toMatchObject([
      {
        name: '/Aside',
        payload: {
          kind: 'set-aside',
          position: 0,
          type: 'Aside',
          code: 'schema-mismatch',
          detail: 'Aside /id is missing; expected a value, for it is required',
          sent: event('Aside', '{}'),
        },
      },
      { name: 'Aside', payload: { id: 1 } },
    ])
    expect([...collector.counters.POST_Json_API.byType]).toEqual([['Aside', 2]])
  })
})
