import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../../../src/errors.ts'
import { createTestCollector, type FakeSpool, outcomeOf, post } from '../fakes.ts'

const E = '{"eventName":"A","payload":{"x":1}}'
const partial = `[${E},7]`
const headers = { 'idempotency-key': 'k-1' }

/** Holds the spool back until it is called. */
const hold = (spool: FakeSpool): (() => void) => {
  let open = (): void => undefined
  spool.gate = new Promise(resolve => {
    open = resolve
  })
  return () => open()
}

/** Until everything that waits for promises alone has run. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('Idempotency-Key', () => {
  test('a replay is answered as the first time and kept once', async () => {
    const { collector, spool } = createTestCollector()
    const first = await outcomeOf(await post(collector, partial, { headers }))
    const second = await post(collector, partial, { headers })
    expect(await outcomeOf(second)).toEqual(first)
    expect(second.headers.get('warning')).toBe('199 sluice "1 accepted, 1 rejected"')
    expect(spool.batches).toHaveLength(1)
    expect(collector.counters.POST_Json_API).toMatchObject({ requests: 2, replays: 1, received: 2, accepted: 1 })
  })
  test('the same body without a key, or with another, counts again', async () => {
    const { collector, spool } = createTestCollector()
    await post(collector, E, { headers })
    await post(collector, E)
    await post(collector, E, { headers: { 'idempotency-key': 'k-2' } })
    expect(spool.batches).toHaveLength(3)
  })
  test.each([
    ['another body', `${E} `, {}],
    ['another date', E, { query: '?date=2009-01-02' }],
    ['another type', E, { type: 'text/plain' }],
  ])('%s is 422', async (_, body, init) => {
    const { collector, spool } = createTestCollector()
    await post(collector, E, { headers })
    expect((await post(collector, body, { ...init, headers })).status).toBe(422)
    expect(spool.batches).toHaveLength(1)
  })
  test('a key in flight waits; only one of many is kept', async () => {
    const { collector, spool } = createTestCollector()
    const open = hold(spool)
    const requests = Array.from({ length: 5 }, () => post(collector, E, { headers }))
    await settle()
    const other = post(collector, `${E}${E}`, { headers })
    open()
    expect((await other).status).toBe(422)
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(spool.batches).toHaveLength(1)
  })
  test('when the first one fails, the next in line is the first', async () => {
    const { collector, spool } = createTestCollector()
    const open = hold(spool)
    spool.failure = new SluiceError('unavailable', 'disk')
    const first = post(collector, E, { headers })
    const others = Promise.all([post(collector, E, { headers }), post(collector, E, { headers })])
    await settle()
    spool.failure = undefined
    open()
    expect((await first).status).toBe(503)
    expect((await others).map(({ status }) => status)).toEqual([202, 202])
    expect(spool.batches).toHaveLength(1)
  })
  test('one that waits after nothing but failures gets an error, to be retried later', async () => {
    const { collector, spool } = createTestCollector()
    await post(collector, E, { headers })
    const fingerprint = spool.batches[0]?.idempotency?.fingerprint ?? ''
    let asked = 0
    spool.recall = () => {
      asked++
      const outcome = Promise.reject(new Error('failed'))
      outcome.catch(() => undefined)
      return { matches: text => text === fingerprint, isKept: false, outcome }
    }
    expect((await post(collector, E, { headers })).status).toBe(503)
    expect(asked).toBe(8)
  })
  test.each([
    ['', 202],
    ['a'.repeat(255), 202],
    ['a'.repeat(256), 400],
    ['clé', 400],
    ['tab\there', 400],
  ])('key %j', async (key, status) => {
    const { collector } = createTestCollector()
    const given = key === '' ? {} : { 'idempotency-key': key }
    expect((await post(collector, E, { headers: given })).status).toBe(status)
  })
  test('an empty key is refused', async () => {
    const { collector } = createTestCollector()
    expect((await post(collector, E, { headers: { 'idempotency-key': '' } })).status).toBe(400)
  })
})
