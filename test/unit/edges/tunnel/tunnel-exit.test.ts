import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTunnelExit } from '../../../../src/edges/tunnel/tunnel-exit.ts'

const head = Buffer.from(JSON.stringify({ remoteAddress: '192.0.2.1', remotePort: 7, encrypted: true }))
const toFrame = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16LE(bytes.length)
  return Buffer.concat([length, bytes])
}

const open = async (maxHeadMs = 5_000) => {
  const taken: Socket[] = []
  const exit = await openTunnelExit(socket => void taken.push(socket), { maxHeadMs })
  const clients: Socket[] = []
  onTestFinished(async () => {
    for (const socket of [...clients, ...taken]) socket.destroy()
    await exit.close()
  })
  const enter = (): Socket => {
    const client = connect({ path: exit.paths[0] ?? '' })
    clients.push(client)
    client.on('error', () => {})
    return client
  }
  return { taken, enter }
}

describe('the exit of a tunnel', () => {
  test('takes a connection with what its head says, in pieces too', async () => {
    const { taken, enter } = await open()
    const client = enter()
    for (const byte of toFrame(head)) {
      client.write(Buffer.from([byte]))
      await new Promise(resolve => setImmediate(resolve))
    }
    client.write('more')
    await expect.poll(() => taken).toHaveLength(1)
    expect(taken[0]).toMatchObject({ remoteAddress: '192.0.2.1', remotePort: 7, encrypted: true })
  })

  test.each([
    ['no JSON', toFrame(Buffer.from('GET / HTTP/1.1'))],
    ['JSON of something else', toFrame(Buffer.from('[1]'))],
    ['nothing', toFrame(Buffer.alloc(0))],
    ['a text', toFrame(Buffer.from('"x"'))],
    ['null', toFrame(Buffer.from('null'))],
  ])('ends one that begins with %s, and takes the next', async (_, bytes) => {
    const { taken, enter } = await open()
    const client = enter()
    client.write(bytes)
    await once(client.resume(), 'close')
    expect(taken).toEqual([])
    enter().write(toFrame(head))
    await expect.poll(() => taken).toHaveLength(1)
  })

  test.each([
    ['says nothing', Buffer.alloc(0)],
    ['stops within its head', toFrame(head).subarray(0, 9)],
  ])('ends one that %s', async (_, bytes) => {
    const { taken, enter } = await open(20)
    const client = enter()
    client.write(bytes)
    await once(client.resume(), 'close')
    expect(taken).toEqual([])
  })

  test('leaves one alone whose head came in time', async () => {
    const { taken, enter } = await open(20)
    const client = enter()
    client.write(toFrame(head))
    await expect.poll(() => taken).toHaveLength(1)
    // One that is ended, later than the first would have been.
    await once(enter().resume(), 'close')
    expect(taken[0]?.destroyed).toBe(false)
  })
})
