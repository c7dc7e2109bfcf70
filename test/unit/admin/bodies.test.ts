import { expect, test } from 'vitest'
import { createTestAdmin } from '../../suites/test-admin.ts'

const MiB = 2 ** 20
const pieceBytes = 64 * 2 ** 10

/** A body that comes as fast as it is read, and does not end before `end`; how many bytes of it were read. */
const createBody = (bytes: number) => {
  let sent = 0
  const ended = Promise.withResolvers<void>()
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        if (sent === bytes) {
          await ended.promise
          return controller.close()
        }
        controller.enqueue(new Uint8Array(pieceBytes).fill(0x20))
        sent += pieceBytes
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, sent: () => sent, end: ended.resolve }
}

test.each(['/rpc', '/jolokia'])('bodies to %s are bounded over all requests', async path => {
  const { fetch } = await createTestAdmin()
  const post = async (body: ReadableStream<Uint8Array> | string, length: number): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'content-length': String(length) }
    const init = { method: 'POST', headers, body, duplex: 'half' as const }
    return (await fetch(new Request(`http://localhost${path}`, init))).status
  }
  const alone = await post('{}', 2)
  const bodies = Array.from({ length: 100 }, () => createBody(MiB))
  const read = (): number => bodies.reduce((sum, body) => sum + body.sent(), 0)
  const answers = bodies.map(({ stream }) => post(stream, MiB))
  for (let turn = 0; turn < 200; turn++) await new Promise(resolve => setImmediate(resolve))
  // Some are read whole; of the others no more than a piece beyond what all may hold was looked at.
  expect(read()).toBeGreaterThan(4 * MiB)
  expect(read()).toBeLessThan(16 * MiB + 100 * pieceBytes)
  // A small one that comes whole has room beside them.
  expect(await post('{}', 2)).toBe(alone)
  for (const { end } of bodies) end()
  const statuses = new Set(await Promise.all(answers))
  statuses.delete(503)
  expect(statuses.size).toBe(1)
  expect(await post('{}', 2)).toBe(alone)
})
