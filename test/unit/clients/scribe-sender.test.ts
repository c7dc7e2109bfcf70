import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createScribeSender, field } from '../../../clients/tracker/index.ts'

const ok = '0000001780010002000000034c6f67SEQ0800000000000000'
const tryLater = '0000001780010002000000034c6f67SEQ0800000000000100'

/**
 * A server that answers each frame as the test says: with the bytes, by hanging up (`hang up`), or not at all
 * (`silence`).
 */
const createRecorder = async (...replies: string[]) => {
  const frames: string[] = []
  const sockets: Socket[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', chunk => {
      frames.push(chunk.toString('hex'))
      const reply = replies.shift() ?? ok
      if (reply === 'hang up') socket.destroy()
      else if (reply !== 'silence')
        socket.write(Buffer.from(reply.replace('SEQ', chunk.toString('hex', 15, 19)), 'hex'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const sender = createScribeSender({ host: '127.0.0.1', port })
  onTestFinished(() => sender.close())
  return { sender, frames, sockets }
}

const hello = { eventName: 'Hello', fields: [field.text('World')], date: 1_230_865_445_006 }
const attempt = () => ({ key: '', from: 0, signal: new AbortController().signal })

describe('createScribeSender', () => {
  test('logs a batch as one call, over one connection', async () => {
    const { sender, frames, sockets } = await createRecorder()
    const record = sender.encode(hello, 0)
    expect(await sender.send([record], attempt())).toEqual({ kind: 'settled', rejected: [] })
    expect(await sender.send([record, record], attempt())).toEqual({ kind: 'settled', rejected: [] })
    expect(frames[0]).toBe(
      '0000004e80010001000000034c6f67000000000f00010c000000010b00010000000548656c6c6f0b000200000022' +
        '313233303836353434353030363a437741424141414142566476636d786b41413d3d0000',
    )
    expect(sockets).toHaveLength(1)
    expect(sender.describe(record)).toEqual({ category: 'Hello', message: '1230865445006:CwABAAAABVdvcmxkAA==' })
  })

  test.each([
    { name: 'is busy', reply: tryLater },
    { name: 'hangs up', reply: 'hang up' },
    { name: 'answers something else', reply: '00000003414243' },
    { name: 'announces a huge reply', reply: '7fffffff' },
    { name: 'answers twice', reply: ok + ok },
    { name: 'answers another call', reply: ok.replace('SEQ', '00000063') },
  ])('tries again when the server $name', async ({ reply }) => {
    const { sender } = await createRecorder(reply)
    const record = sender.encode(hello, 0)
    expect(await sender.send([record], attempt())).toMatchObject({ kind: 'retry' })
    expect(await sender.send([record], attempt())).toEqual({ kind: 'settled', rejected: [] })
  })

  test('stops waiting when told', async () => {
    const { sender } = await createRecorder('silence')
    const abort = new AbortController()
    const outcome = sender.send([sender.encode(hello, 0)], { key: '', from: 0, signal: abort.signal })
    abort.abort()
    expect(await outcome).toMatchObject({ kind: 'retry' })
  })

  test('a server that is not there is one that may come', async () => {
    const sender = createScribeSender({ host: '127.0.0.1', port: 1 })
    expect(await sender.send([sender.encode(hello, 0)], attempt())).toMatchObject({ kind: 'retry' })
  })

  test('refuses what a message cannot hold', () => {
    const sender = createScribeSender({ host: '127.0.0.1', port: 1 })
    expect(() => sender.encode({ ...hello, granularity: 'DAILY' }, 0)).toThrow(TypeError)
    expect(() => sender.encode({ ...hello, eventName: '' }, 0)).toThrow(TypeError)
  })
})
