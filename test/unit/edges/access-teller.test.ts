import { expect, test, vi } from 'vitest'
import { createAccessTeller } from '../../../src/edges/access-teller.ts'
import type { Access } from '../../../src/http/access/access.ts'

const access: Access = {
  listener: 'server',
  peer: '127.0.0.1',
  forwardedFor: undefined,
  user: undefined,
  at: 0,
  durationMs: 0,
  method: 'GET',
  target: '/a',
  httpVersion: '1.1',
  status: 200,
  bytes: 0,
  referer: undefined,
  userAgent: undefined,
  traceparent: undefined,
}
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('requests of a turn go in one message; what the main thread does not take is bounded, and told of', async () => {
  const taken = new Int32Array(1)
  const sent: number[] = []
  const warn = vi.fn()
  const { tell, close } = createAccessTeller({
    taken,
    logger: { warn },
    send: accesses => void sent.push(accesses.length),
  })
  for (let i = 0; i < 10_002; i++) tell(access)
  await turn()
  expect(sent).toEqual([10_000])
  expect(warn.mock.calls).toEqual([[{ missing: 1 }, 'lines of the access log are missing']])
  Atomics.add(taken, 0, 10_000)
  for (let i = 0; i < 3; i++) tell(access)
  await turn()
  expect(sent).toEqual([10_000, 3])
  close()
  expect(sent).toEqual([10_000, 3])
})

test('those of the last turn are reported before it is closed, and how many are missing', async () => {
  const sent: number[] = []
  const warn = vi.fn()
  const taken = new Int32Array(1)
  const { tell, close } = createAccessTeller({
    taken,
    logger: { warn },
    send: accesses => void sent.push(accesses.length),
  })
  for (let i = 0; i < 10_005; i++) tell(access)
  close()
  expect(sent).toEqual([10_000])
  // The first at once, the others of the same minute now.
  expect(warn.mock.calls.map(([{ missing }]) => missing)).toEqual([1, 4])
  await turn()
  expect(sent).toEqual([10_000])
})
