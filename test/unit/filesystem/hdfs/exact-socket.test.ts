import { expect, test } from 'vitest'
import { ExactSocket } from '../../../../src/filesystem/hdfs/socket/exact-socket.ts'
import type { Protection } from '../../../../src/filesystem/hdfs/socket/protection.ts'
import { listen } from './fake-nodes.ts'

test('what arrived and was not read is let go when it is ended, and stays readable when the other side ends', async () => {
  const { host, port } = await listen(socket => socket.end('bytes'))
  const [ended, destroyed] = [new ExactSocket({ host, port }), new ExactSocket({ host, port })]
  await Promise.all([ended.closed, destroyed.closed])
  destroyed.destroy(new Error('enough'))
  expect([ended.arrived, destroyed.arrived]).toEqual([5, 0])
  expect(String(await ended.read(5))).toBe('bytes')
  expect(() => destroyed.read(5)).toThrow('the connection was closed')
})

const slowly = (busyMs: number): Protection => {
  const work = function* (bytes: Uint8Array): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += 10_000) {
      const end = performance.now() + busyMs
      while (performance.now() < end);
      yield Buffer.from(bytes.subarray(at, at + 10_000))
    }
  }
  return { seal: parts => work(Buffer.concat(parts)), open: work }
}
const words = Buffer.from(Uint8Array.from({ length: 600_000 }, (_, at) => (at * 31) % 251))

test('protected bytes that arrived are all read, although the other side has ended by then, without delay', async () => {
  const { host, port } = await listen(socket => socket.end(words))
  const socket = new ExactSocket({ host, port })
  socket.protect(slowly(1))
  let turns = 0
  const turn = setInterval(() => turns++, 0)
  for (const [at, length] of [
    [0, 1],
    [1, 99_999],
    [100_000, 500_000],
  ] as const) {
    expect(words.subarray(at, at + length).equals(await socket.read(length))).toBe(true)
  }
  clearInterval(turn)
  expect(turns).toBeGreaterThan(10)
  await expect(async () => await socket.read(1)).rejects.toThrow('the connection was closed')
  socket.destroy(new Error('enough'))
})

test('what is sent protected arrives in its order, and counts as not sent until it is', async () => {
  const arrived: Buffer[] = []
  const { host, port } = await listen(socket => void socket.on('data', bytes => arrived.push(bytes)))
  const socket = new ExactSocket({ host, port })
  socket.protect(slowly(1))
  const taken: number[] = []
  socket.write([words.subarray(0, 5), words.subarray(5, 550_000)], () => taken.push(1))
  socket.write([words.subarray(550_000)], () => taken.push(2))
  expect([socket.isFull, taken]).toEqual([true, []])
  await socket.drained()
  expect([socket.isFull, taken]).toEqual([false, [1, 2]])
  await expect.poll(() => Buffer.concat(arrived).equals(words)).toBe(true)
  socket.destroy(new Error('enough'))
})

test('what is damaged ends it', async () => {
  const { host, port } = await listen(socket => socket.write(words))
  const socket = new ExactSocket({ host, port })
  const open = (): never => {
    throw new Error('damaged')
  }
  socket.protect({ seal: parts => parts, open })
  await expect(async () => await socket.read(1)).rejects.toThrow('damaged')
  expect(String(await socket.closed)).toBe('Error: damaged')
})
