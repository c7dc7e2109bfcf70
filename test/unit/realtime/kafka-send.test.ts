import { describe, expect, test } from 'vitest'
import { createKafkaSend, type KafkaRecord } from '../../../src/realtime/kafka-send.ts'
import type { Message } from '../../../src/realtime/message.ts'

const messages = (count: number): Message[] =>
  Array.from({ length: count }, (_, i) => ({
    eventName: 'A',
    date: 5,
    granularity: 'DAILY',
    key: i === 0 ? 'k' : undefined,
    text: `${i}`,
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
  })
  return { taken, to }
}

describe('createKafkaSend', () => {
  test('says what an event is in headers', async () => {
    const { taken, to } = send([], new Error())
    expect(await to('T', messages(2))).toEqual(['sent', 'sent'])
    const headers = { eventName: 'A', eventDate: '5', eventGranularity: 'DAILY' }
    expect(taken).toEqual([
      { topic: 'T', key: 'k', value: '0', headers },
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
  test('a loss in the middle of the halves keeps the younger ones waiting', async () => {
    let calls = 0
    const to = createKafkaSend(async () => {
      calls++
      throw calls === 1 ? protocolError('INVALID_RECORD', false) : new Error('ECONNRESET')
    })
    expect(await to('T', messages(4))).toEqual(['again', 'again', 'again', 'again'])
    expect(calls).toBe(2)
  })
})
