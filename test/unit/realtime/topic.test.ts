import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkKafkaTemplate, maxKafkaTopicLength, toAmqpAddress, toKafkaTopic } from '../../../src/realtime/topic.ts'

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
  ])('%s of %s is %s', (template, name, want) => expect(toKafkaTopic(template, name)).toBe(want))

  test('is a name that Kafka takes, and another one for every event name', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(names, names, (one, other) => {
        const topics = [one, other].map(name => toKafkaTopic('{eventName}', name))
        for (const topic of topics) expect(topic).toMatch(/^(?!\.\.?$)[A-Za-z0-9._-]{1,249}$/)
        expect(topics[0] === topics[1]).toBe(one === other)
      }),
    )
  })

  test('too long ones are cut, and still differ', () => {
    const [one, other] = ['a', 'b'].map(end => toKafkaTopic('{eventName}', `${'ä'.repeat(100)}${end}`))
    expect(one).toHaveLength(maxKafkaTopicLength)
    expect(other).toHaveLength(maxKafkaTopicLength)
    expect(one).not.toBe(other)
  })
})

test.each(['', 'a b', 'topic://{eventName}', 'ä{eventName}'])('checkKafkaTemplate refuses %j', template => {
  expect(() => checkKafkaTemplate(template)).toThrow(RangeError)
})
test('checkKafkaTemplate takes what Kafka takes', () => expect(() => checkKafkaTemplate('e.{eventName}')).not.toThrow())
