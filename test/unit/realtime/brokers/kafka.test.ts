import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createKafkaClient } from '../../../../src/realtime/brokers/kafka.ts'

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})
const brokerAt = (url: string, topic = '{eventName}') =>
  createKafkaClient({ url: new URL(url), topic, ttlMs: 0, persistent: false })
const listen = async (says: string): Promise<number> => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    if (says !== '') socket.end(Buffer.from(says, 'latin1'))
    closing.push(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('createKafkaClient', () => {
  test.each([['kafka://broker?sasl=gssapi', '{eventName}', 'sasl=GSSAPI']])(
    '%s with topic %s is refused',
    async (url, topic, message) => {
      await expect(brokerAt(url, topic)).rejects.toThrow(message)
    },
  )

  test('a missing broker is an error', async () => {
    const broker = await brokerAt('kafka://127.0.0.1:1')
    await expect(broker.connect(new AbortController().signal)).rejects.toThrow('127.0.0.1:1')
  })

  test('a peer that hangs up is an error', async () => {
    const broker = await brokerAt(`kafka://127.0.0.1:${await listen('HTTP/1.1 400 Bad Request\r\n\r\n')}`)
    await expect(broker.connect(new AbortController().signal)).rejects.toThrow()
  })

  test('a peer that says nothing does not hold up the end', async () => {
    const broker = await brokerAt(`kafka://127.0.0.1:${await listen('')}`)
    const stop = new AbortController()
    const failed = expect(broker.connect(stop.signal)).rejects.toThrow()
    await new Promise(done => setImmediate(done))
    stop.abort()
    await failed
  })
})
