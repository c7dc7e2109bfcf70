import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkKafkaTemplate,
  maxKafkaTopicLength,
  toAmqpAddress,
  toKafkaTopic,
  toKafkaTopicBeside,
} from '../../../../src/realtime/brokers/topic.ts'

describe('toAmqpAddress', () => {
  test.each([
    ['{eventName}', 'PageView', 'topic://PageView'],
    ['{eventName}', 'a.b-c_d', 'topic://a.b-c_d'],
    ['{eventName}', 'a*b>c,d?e:f g', 'topic://a%2Ab%3Ec%2Cd%3Fe%3Af%20g'],
    ['{eventName}', 'Käse', 'topic://K%C3%A4se'],
    ['events.{eventName}', '$&', 'topic://events.%24%26'],
    ['queue://{eventName}', 'A', 'queue://A'],
    ['/exchanges/events/{eventName}', 'A', '/exchanges/events/A'],
    ['all', 'A', 'topic://all'],
    ['{eventName}.{eventName}', 'A', 'topic://A.A'],
    ['{eventName}', 'ActiveMQ.Advisory.Connection', 'topic://%41ctiveMQ.Advisory.Connection'],
    ['queue://{eventName}', 'ActiveMQ.DLQ', 'queue://%41ctiveMQ.DLQ'],
    ['{eventName}', 'ActiveMQ', 'topic://ActiveMQ'],
    ['e.{eventName}', 'ActiveMQ.DLQ', 'topic://e.ActiveMQ.DLQ'],
  ])('%s of %s is %s', (template, name, want) => expect(toAmqpAddress(template, name)).toBe(want))
})

describe('toKafkaTopic', () => {
  test.each([
    ['{eventName}', 'PageView', 'PageView'],
    ['{eventName}', 'a.b-c_d', 'a.b-c_d'],
    ['{eventName}', 'a b', 'a_x20b'],
    ['{eventName}', 'Käse', 'K_xC3_xA4se'],
    ['{eventName}', 'a_x20b', 'a_x5Fx20b'],
    ['{eventName}', '.', '_x2E'],
    ['{eventName}', '..', '_x2E_x2E'],
    ['events.{eventName}', '..', 'events...'],
    ['{eventName}', '__consumer_offsets', '_x5F_consumer_offsets'],
    ['{eventName}', '__', '_x5F_'],
    ['{eventName}', '__a_x', '_x5F_a_x5Fx'],
    ['{eventName}', '_schemas', '_schemas'],
    ['_{eventName}', '_share_group_state', '_x5F_share_group_state'],
    ['events.{eventName}', '__transaction_state', 'events.__transaction_state'],
  ])('%s of %s is %s', (template, name, want) => expect(toKafkaTopic(template, name)).toBe(want))

  test('is a name that Kafka takes, and another one for every event name', () => {
    const names = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }),
      fc.string({ unit: fc.constantFrom('_', 'x', '5', 'F', '.'), minLength: 1, maxLength: 8 }),
    )
    fc.assert(
      fc.property(names, names, (one, other) => {
        const topics = [one, other].map(name => toKafkaTopic('{eventName}', name))
        for (const topic of topics) expect(topic).toMatch(/^(?!\.\.?$|__)[A-Za-z0-9._-]{1,249}$/)
        expect(topics[0] === topics[1]).toBe(one === other)
      }),
    )
  })

  test.each(['{eventName}', 'e.{eventName}'])('%s: only what is longer than Kafka takes is cut', template => {
    for (let length = 1; length <= 255; length++) {
      const whole = template.replace('{eventName}', 'n'.repeat(length))
      const topic = toKafkaTopic(template, 'n'.repeat(length))
      if (whole.length <= maxKafkaTopicLength) expect(topic).toBe(whole)
      else expect(topic).toHaveLength(maxKafkaTopicLength)
    }
  })

  test('too long ones are cut, and still differ', () => {
    const [one, other] = ['a', 'b'].map(end => toKafkaTopic('{eventName}', `${'ä'.repeat(100)}${end}`))
    expect(one).toHaveLength(maxKafkaTopicLength)
    expect(other).toHaveLength(maxKafkaTopicLength)
    expect(one).not.toBe(other)
  })
})

describe('toKafkaTopicBeside', () => {
  test.each([
    ['page.view', [], 'page.view'],
    ['page.view', ['page.view', 'other'], 'page.view'],
    ['page.view', ['page_view'], 'page_x2Eview'],
    ['page_view', ['page.view'], 'page_x5Fview'],
    ['a.b_c', ['a_b.c'], 'a_x2Eb_c'],
    ['a.b_c', ['a_b_c', 'a_x2Eb.c'], 'a.b_x5Fc'],
  ])('%s beside %j is %s', (name, others, want) => expect(toKafkaTopicBeside('{eventName}', name, others)).toBe(want))

  test('names of any kind go together, each by a topic of its own', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '.', '_', 'x', '2'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 4 }), names => {
        const topics: string[] = []
        for (const one of names) topics.push(toKafkaTopicBeside('{eventName}', one, topics))
        expect(new Set(topics).size).toBe(names.length)
        for (const topic of topics) expect(toKafkaTopicBeside('{eventName}', 'zz', [topic])).toBe('zz')
      }),
    )
  })
})

test.each(['', '__{eventName}', '__consumer_offsets', 'a b', 'topic://{eventName}', 'ä{eventName}'])(
  'checkKafkaTemplate refuses %j',
  template => {
    expect(() => checkKafkaTemplate(template)).toThrow(RangeError)
  },
)
test('checkKafkaTemplate takes what Kafka takes', () => expect(() => checkKafkaTemplate('e.{eventName}')).not.toThrow())
