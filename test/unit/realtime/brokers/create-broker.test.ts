import { expect, test } from 'vitest'
import { createBroker } from '../../../../src/realtime/brokers/create-broker.ts'

const brokerAt = (url: string, topic = '{eventName}') =>
  createBroker({ url: new URL(url), topic, ttlMs: 0, persistent: false, onFailure: () => {} })

test.each([
  ['kafka://user:secret@broker:9093/?sasl=scram-sha-512&bootstrap=other:1', 'kafka://broker:9093', 'a_x20b'],
  ['amqps://user:secret@broker', 'amqps://broker', 'topic://a%20b'],
])('%s shows no password and no option', (url, shown, topic) => {
  const broker = brokerAt(url)
  expect([broker.url, broker.toTopic('a b')]).toEqual([shown, topic])
})

test.each(['a b', '__{eventName}'])('topic %s is refused for Kafka', topic => {
  expect(() => brokerAt('kafka://broker', topic)).toThrow(RangeError)
})
