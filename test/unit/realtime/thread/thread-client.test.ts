import { afterEach, describe, expect, test } from 'vitest'
import type { BrokerConnection } from '../../../../src/realtime/brokers/broker.ts'
import type { Message } from '../../../../src/realtime/message.ts'
import { createThreadClient } from '../../../../src/realtime/thread/thread-client.ts'

const closing: BrokerConnection[] = []
const clients: { close(): void }[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map(connection => connection.close()))
  for (const client of clients.splice(0)) client.close()
})

const module = new URL('../../../suites/faulty-client.ts', import.meta.url)
const message: Message = { eventName: 'A', date: 5, granularity: 'HOURLY', key: undefined, text: '{}', bytes: 202 }

/** A client that fails in the way that `topic` names. */
const setUp = (topic = '') => {
  const failures: Error[] = []
  const client = createThreadClient({
    url: new URL('kafka://127.0.0.1'),
    topic,
    ttlMs: 0,
    persistent: false,
    onFailure: error => failures.push(error),
    module,
    maxHeapMb: 32,
  })
  clients.push(client)
  const connect = async (signal = new AbortController().signal): Promise<BrokerConnection> => {
    const connection = await client.connect(signal)
    closing.push(connection)
    return connection
  }
  return { connect, failures, client }
}

/** Threads of this process that run. */
const threads = (): number => {
  const { workers } = process.report.getReport() as unknown as { readonly workers: readonly unknown[] }
  return workers.length
}
const threadsAre = (count: number): Promise<void> => expect.poll(threads).toBe(count)

describe('what a client throws is a lost connection, and a new one can be had', () => {
  test.each(['timer', 'immediate', 'tick', 'promise', 'emitter', 'sync', 'text', 'exit', 'heap'])(
    '%s',
    async way => {
      const { connect, failures } = setUp()
      const connection = await connect()
      const beside = connection.send('slow', [message])
      expect(await beside).toEqual(['sent'])
      expect(await connection.send(way, [message, message])).toEqual(['cut', 'cut'])
      expect(await connection.lost).toContain('the client of the broker failed: ')
      expect(failures).toHaveLength(1)
      // Late callers of the connection get the reason.
      expect(await connection.send('fine', [message])).toEqual(['again'])
      expect(await (await connect()).send('fine', [message])).toEqual(['sent'])
    },
    60_000,
  )

  test.each(['fails to connect', 'fails to start'])('%s', async topic => {
    const { connect, failures } = setUp(topic)
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect(connect()).rejects.toThrow('the client of the broker failed: Cannot read properties')
      expect(failures).toHaveLength(attempt)
    }
  })
})

test('an attempt ends when it is given up', async () => {
  const { connect, failures } = setUp('never connects')
  const stop = new AbortController()
  const failed = expect(connect(stop.signal)).rejects.toThrow('closed')
  stop.abort()
  await failed
  await expect(connect(stop.signal)).rejects.toThrow()
  expect(failures).toEqual([])
})

test('a client that does not close is ended, and what was under way is to be sent again', async () => {
  const { connect, failures } = setUp('never closes')
  const connection = await connect()
  const waiting = connection.send('timer that never comes', [message])
  expect(await waiting).toEqual(['sent'])
  await connection.close()
  expect(await connection.lost).toBe('closed')
  expect(failures).toEqual([])
})

test('what became of the messages over which a connection ends is heard before its end', async () => {
  const { connect, failures } = setUp()
  const connection = await connect()
  expect(await connection.send('hangs up', [message, message])).toEqual(['cut', 'cut'])
  expect(await connection.lost).toBe('it hung up')
  expect(failures).toEqual([])
})

test('the signal of an attempt that succeeded does not end its connection', async () => {
  const { connect } = setUp()
  const stop = new AbortController()
  const connection = await connect(stop.signal)
  stop.abort()
  expect(await connection.send('fine', [message])).toEqual(['sent'])
})

test('of threads without a connection one is kept, for the next one, until the client is closed', async () => {
  await threadsAre(0)
  const { connect, failures, client } = setUp()
  const connections = await Promise.all([connect(), connect()])
  expect(threads()).toBe(2)
  for (const connection of connections) await connection.send('hangs up', [message])
  await threadsAre(1)
  await connect()
  expect(threads()).toBe(1)
  await closing.at(-1)?.close()
  await threadsAre(0)
  const last = await connect()
  await last.send('hangs up', [message])
  await last.lost
  expect(threads()).toBe(1)
  client.close()
  await threadsAre(0)
  expect(failures).toEqual([])
})
