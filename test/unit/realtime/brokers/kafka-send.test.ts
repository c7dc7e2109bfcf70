import { readFileSync } from 'node:fs'
import * as kafka from '@platformatic/kafka'
import { describe, expect, test } from 'vitest'
import { toPartition } from '../../../../src/realtime/brokers/kafka.ts'
import { createKafkaSend, type KafkaRecord } from '../../../../src/realtime/brokers/kafka-send.ts'
import type { Message } from '../../../../src/realtime/message.ts'

const messages = (count: number): Message[] =>
  Array.from({ length: count }, (_, i) => ({
    eventName: 'A',
    date: 5,
    granularity: 'DAILY',
    key: i === 0 ? 'k' : undefined,
    text: `${i}`,
    bytes: 202,
  }))
const protocolError = (apiId: string, canRetry: boolean): Error =>
  Object.assign(new Error('the server said so'), { code: 'PLT_KFK_PROTOCOL', apiId, canRetry })
/** As the client library wraps them. */
const wrapped = (error: Error): Error =>
  Object.assign(new AggregateError([Object.assign(new Error('response'), { errors: [error] })]), { code: 'x' })

/** A cluster that says `error` to every request with one of the texts. */
const send = (texts: readonly string[], error: Error) => {
  const taken: KafkaRecord[] = []
  const to = createKafkaSend(async records => {
    if (records.some(({ value }) => texts.includes(value))) throw error
    taken.push(...records)
  }, toPartition(kafka))
  return { taken, to }
}

describe('createKafkaSend', () => {
  test('says what an event is in headers', async () => {
    const { taken, to } = send([], new Error())
    expect(await to('T', messages(2))).toEqual(['sent', 'sent'])
    const headers = { eventName: 'A', eventDate: '5', eventGranularity: 'DAILY' }
    expect(taken).toEqual([
      { topic: 'T', key: 'k', partition: expect.any(Number), value: '0', headers },
      { topic: 'T', value: '1', headers },
    ])
  })
  test('says which trace it belongs to, where that is known', async () => {
    const { taken, to } = send([], new Error())
    const [first, second] = messages(2)
    await to('T', [{ ...first, traceparent: '00-a-b-01' } as Message, second as Message])
    expect(taken.map(({ headers }) => headers['traceparent'])).toEqual(['00-a-b-01', undefined])
  })
  test.each([1, 2, 7, 64])('one bad message of %i costs no other', async count => {
    for (const bad of new Set([0, count >> 1, count - 1])) {
      const { taken, to } = send([`${bad}`], wrapped(protocolError('MESSAGE_TOO_LARGE', false)))
      const want = messages(count).map((_, i) =>
        i === bad ? { refused: expect.stringContaining('TOO_LARGE') } : 'sent',
      )
      expect(await to('T', messages(count))).toEqual(want)
      expect(taken.map(({ value }) => Number(value))).toEqual([...Array(count).keys()].filter(i => i !== bad))
    }
  })
  test.each([
    ['a network error', new Error('ECONNRESET')],
    ['an error that may pass', wrapped(protocolError('NOT_ENOUGH_REPLICAS', true))],
    ['no error at all', Object.assign(new Error('odd'), { errors: [null, 'text', 5] })],
  ])('%s means again', async (_, error) => {
    const { to } = send(['1'], error)
    expect(await to('T', messages(3))).toEqual(['again', 'again', 'again'])
  })
  const userError = Object.assign(new Error('Unknown topic T.'), { code: 'PLT_KFK_USER' })
  test.each([
    ['of the broker', protocolError('INVALID_RECORD', false)],
    ['of the client', userError],
    ['within others', wrapped(userError)],
    ['as the cause of another', new Error('failed', { cause: userError })],
  ])('a refusal %s costs the one message', async (_, error) => {
    const { to } = send(['1'], error)
    expect(await to('T', messages(3))).toEqual(['sent', { refused: expect.any(String) }, 'sent'])
  })
  test('an error that is its own cause means again', async () => {
    const error = new Error('round')
    error.cause = error
    expect(await send(['1'], error).to('T', messages(2))).toEqual(['again', 'again'])
  })
  test('a loss in the middle of the halves keeps the younger ones waiting', async () => {
    let calls = 0
    const to = createKafkaSend(async () => {
      calls++
      throw calls === 1 ? protocolError('INVALID_RECORD', false) : new Error('ECONNRESET')
    }, toPartition(kafka))
    expect(await to('T', messages(4))).toEqual(['again', 'again', 'again', 'again'])
    expect(calls).toBe(2)
  })
})

/** What Java's client (kafka-clients 4.1.0) says: `Utils.toPositive(Utils.murmur2(key))`. */
const vectors: readonly (readonly [string, number])[] = JSON.parse(
  readFileSync(new URL('../../../fixtures/kafka-partitions.json', import.meta.url), 'utf8'),
)

test("a key's partition is the one of Java's client", async () => {
  const { taken, to } = send([], new Error())
  const [first] = messages(1)
  await to(
    'T',
    vectors.map(([key]) => ({ ...(first as Message), key })),
  )
  expect(taken.map(({ key, partition }) => [key, partition])).toEqual(vectors)
})
