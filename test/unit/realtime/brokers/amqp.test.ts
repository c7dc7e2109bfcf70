import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import rhea, { type Container, type EventContext } from 'rhea'
import { afterEach, describe, expect, test } from 'vitest'
import { createAmqpClient } from '../../../../src/realtime/brokers/amqp.ts'
import type { BrokerConnection, BrokerOptions } from '../../../../src/realtime/brokers/broker.ts'
import type { Message } from '../../../../src/realtime/message.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A peer made of the client library's own server side. */
const listen = async (setUp: (container: Container) => void, credit = 100): Promise<number> => {
  const container = rhea.create_container()
  container.on('disconnected', () => {})
  container.on('connection_error', () => {})
  setUp(container)
  const server: Server = container.listen({ port: 0, host: '127.0.0.1', receiver_options: { credit_window: credit } })
  closing.push(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const brokerAt = (port: number, more: Partial<BrokerOptions> = {}) =>
  createAmqpClient({
    url: new URL(`amqp://127.0.0.1:${port}`),
    topic: '{eventName}',
    ttlMs: 1_000,
    persistent: false,
    ...more,
  })
const connect = async (port: number, more?: Partial<BrokerOptions>): Promise<BrokerConnection> => {
  const connection = await brokerAt(port, more).connect(new AbortController().signal)
  closing.push(() => connection.close())
  return connection
}
const messages = (count: number, key?: string): Message[] =>
  Array.from({ length: count }, (_, i) => ({
    eventName: 'A',
    date: 1_767_323_045_000,
    granularity: 'HOURLY',
    key,
    text: `{"n":${i}}`,
    bytes: 208,
  }))

describe('createAmqpClient', () => {
  test('sends text with what it is in properties, and waits for the acknowledgement', async () => {
    const received: EventContext[] = []
    const port = await listen(container => container.on('message', context => received.push(context)))
    const connection = await connect(port, { persistent: true })
    expect(await connection.send('topic://A', messages(2, 'k'))).toEqual(['sent', 'sent'])
    expect(received.map(({ message }) => message)).toMatchObject(
      [0, 1].map(n => ({
        body: `{"n":${n}}`,
        durable: true,
        ttl: 1_000,
        content_type: 'application/json',
        group_id: 'k',
        application_properties: { eventName: 'A', eventDate: 1_767_323_045_000, eventGranularity: 'HOURLY' },
      })),
    )
    expect(received[0]?.receiver?.target.address).toBe('topic://A')
  })

  test('says who it is', async () => {
    const logins: string[] = []
    const port = await listen(container =>
      container.sasl_server_mechanisms.enable_plain((user: string, password: string) => {
        logins.push(`${user} ${password}`)
        return password === 'p@ss'
      }),
    )
    const url = (password: string): URL => new URL(`amqp://us%20er:${password}@127.0.0.1:${port}`)
    await connect(port, { url: url('p%40ss') })
    await expect(connect(port, { url: url('wrong') })).rejects.toThrow(/^wrong user or password$/)
    expect(logins).toEqual(['us er p@ss', 'us er wrong'])
  })

  test.each([
    ['accepted', 'sent'],
    ['released', { refused: 'the broker could not deliver the message' }],
    ['modified', { refused: 'the broker could not deliver the message' }],
    ['rejected', { refused: 'too large' }],
  ] as const)('a message that is %s', async (outcome, want) => {
    const port = await listen(container => {
      container.options['autoaccept'] = false
      container.on('message', ({ delivery }) => {
        if (outcome === 'accepted') delivery?.accept()
        else if (outcome === 'rejected')
          delivery?.reject({ condition: 'amqp:internal-error', description: 'too large' })
        else if (outcome === 'released') delivery?.release({ undeliverable_here: false, delivery_failed: false })
        else delivery?.modified({ undeliverable_here: true, delivery_failed: true })
      })
    })
    const connection = await connect(port)
    expect(await connection.send('topic://A', messages(1))).toEqual([want])
  })

  test('sends no more than the broker asks for', async () => {
    const received: EventContext[] = []
    const port = await listen(container => {
      container.on('receiver_open', ({ receiver }) => receiver?.add_credit(2))
      container.on('message', context => {
        received.push(context)
      })
    }, 0)
    const connection = await connect(port)
    const sent = connection.send('topic://A', messages(5))
    await expect.poll(() => received).toHaveLength(2)
    received[0]?.receiver?.add_credit(3)
    expect(await sent).toEqual(Array(5).fill('sent'))
  })

  test('a broker that goes away leaves what it has not acknowledged to be sent again', async () => {
    const contexts: EventContext[] = []
    const port = await listen(container => {
      container.options['autoaccept'] = false
      container.on('message', context => {
        contexts.push(context)
        if (contexts.length === 1) context.delivery?.accept()
        if (contexts.length === 3) context.connection.close({ condition: 'amqp:connection:forced', description: 'bye' })
      })
    })
    const connection = await connect(port)
    expect(await connection.send('topic://A', messages(3))).toEqual(['sent', 'cut', 'cut'])
    expect(await connection.lost).toContain('bye')
  })

  test('a link that the broker does not allow costs its messages, and no other topic', async () => {
    const port = await listen(container =>
      container.on('receiver_open', ({ receiver }) => {
        if (receiver?.target.address === 'topic://secret')
          receiver.close({ condition: 'amqp:unauthorized-access', description: 'no' })
      }),
    )
    const connection = await connect(port)
    const refused = { refused: 'topic://secret: no' }
    for (let i = 0; i < 2; i++) expect(await connection.send('topic://secret', messages(1))).toEqual([refused])
    expect(await connection.send('topic://A', messages(1))).toEqual(['sent'])
  })

  test('a missing broker is an error', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise(done => server.close(done))
    await expect(connect(port)).rejects.toThrow('ECONNREFUSED')
  })

  test.each([
    ['nothing', ''],
    ['something else', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['half a frame', 'AMQP\x03\x01\x00\x00\x7f\xff\xff\xff'],
  ])('a peer that says %s does not hold up the end', async (_, says) => {
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.write(Buffer.from(says, 'latin1'))
      closing.push(() => socket.destroy())
    }).listen(0, '127.0.0.1')
    closing.push(() => server.close())
    await once(server, 'listening')
    const stop = new AbortController()
    const connected = brokerAt((server.address() as AddressInfo).port).connect(stop.signal)
    const failed = expect(connected).rejects.toThrow()
    if (says !== '') await new Promise(done => setImmediate(done))
    stop.abort()
    await failed
  })
})
