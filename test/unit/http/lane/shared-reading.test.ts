import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSharedReading } from '../../../../src/http/lane/shared-reading.ts'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'

const toPort = (server: ReturnType<typeof createServer>): number => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe('createSharedReading', () => {
  const server = createServer({ allowHalfOpen: true, noDelay: true })
  const open: Socket[] = []
  beforeEach(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy()
    server.close()
    await once(server, 'close')
  })

  /** A connection from both of its sides. */
  const pair = async (): Promise<{ readonly client: Socket; readonly socket: Socket }> => {
    const taken = once(server, 'connection')
    const client = connect({ port: toPort(server), host: '127.0.0.1', noDelay: true })
    const [socket] = (await taken) as [Socket]
    open.push(client, socket)
    return { client, socket }
  }

  /** Waits until the received texts, by either path, have this length together. */
  const gather = (socket: Socket) => {
    const shared: Buffer[] = []
    const usual: Buffer[] = []
    const all: Buffer[] = []
    let told = (): void => {}
    const take = (ones: Buffer[]) => (bytes: Buffer) => {
      ones.push(bytes)
      all.push(bytes)
      told()
    }
    const text = (ones: readonly Buffer[]): string => Buffer.concat(ones).toString('latin1')
    const onData = take(usual)
    socket.on('data', onData)
    return {
      onBytes: take(shared),
      onData,
      until: (length: number): Promise<void> =>
        new Promise(resolve => {
          told = () => {
            if (text(all).length >= length) resolve()
          }
          told()
        }),
      get shared() {
        return text(shared)
      },
      get usual() {
        return text(usual)
      },
      get all() {
        return text(all)
      },
    }
  }

  test('gives bytes that stay as they are, of several connections, and none of them as data', async () => {
    const reading = createSharedReading()
    const [a, b] = [await pair(), await pair()]
    const [ofA, ofB] = [gather(a.socket), gather(b.socket)]
    reading.begin(a.socket, ofA.onBytes)
    reading.begin(b.socket, ofB.onBytes)
    let [sentA, sentB] = ['', '']
    for (let i = 0; i < 40; i++) {
      const [more, other] = [String(i % 10).repeat(7_000 + i), 'x'.repeat(i + 1)]
      a.client.write(more)
      b.client.write(other)
      sentA += more
      sentB += other
      await Promise.all([ofA.until(sentA.length), ofB.until(sentB.length)])
    }
    expect([ofA.shared === sentA, ofB.shared === sentB]).toEqual([true, true])
    expect([ofA.usual, ofB.usual]).toEqual(['', ''])
  })

  test('does not read a paused connection ahead of what was put back', async () => {
    const reading = createSharedReading()
    const { client, socket } = await pair()
    const came = gather(socket)
    reading.begin(socket, came.onBytes)
    client.write('a')
    await came.until(1)
    socket.pause()
    socket.unshift(Buffer.from('b'))
    client.write('c')
    // Asks for more, as Node does when it looks how much there is.
    socket.read(0)
    while (socket.readableLength + came.all.length < 3) await nextTurn()
    socket.resume()
    await came.until(3)
    client.write('d')
    await came.until(4)
    expect([came.all, came.shared.includes('d')]).toEqual(['abcd', true])
  })

  test('ends: later bytes are data, and wait while they are not read', async () => {
    const reading = createSharedReading()
    const { client, socket } = await pair()
    const came = gather(socket)
    reading.begin(socket, came.onBytes)
    client.write('a')
    await came.until(1)
    reading.end(socket)
    const more = 'b'.repeat(4_000_000)
    client.write(more)
    await came.until(more.length + 1)
    expect([came.shared, came.usual === more]).toEqual(['a', true])

    socket.off('data', came.onData).on('readable', () => {})
    client.write(Buffer.alloc(64_000_000))
    await once(socket, 'readable')
    for (let turn = 0; turn < 200; turn++) await nextTurn()
    expect(socket.readableLength).toBeLessThan(1_000_000)
  })

  test('reports the end of a connection as usual', async () => {
    const reading = createSharedReading()
    const { client, socket } = await pair()
    const came = gather(socket)
    reading.begin(socket, came.onBytes)
    const ended = once(socket, 'end')
    client.end('last')
    await ended
    expect(came.shared).toBe('last')
  })
})
