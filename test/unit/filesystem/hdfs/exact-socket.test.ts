import { expect, test } from 'vitest'
import { ExactSocket } from '../../../../src/filesystem/hdfs/socket/exact-socket.ts'
import { listen } from './fake-nodes.ts'

test('what arrived and was not read is let go when it is ended, and stays readable when the other side ends', async () => {
  const { host, port } = await listen(socket => socket.end('bytes'))
  const [ended, destroyed] = [new ExactSocket({ host, port }), new ExactSocket({ host, port })]
  await Promise.all([ended.closed, destroyed.closed])
  destroyed.destroy(new Error('enough'))
  expect([ended.hasRest, destroyed.hasRest]).toEqual([true, false])
  expect(String(await ended.read(5))).toBe('bytes')
  expect(() => destroyed.read(5)).toThrow('the connection was closed')
})
