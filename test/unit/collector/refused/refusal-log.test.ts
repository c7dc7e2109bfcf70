import { expect, test } from 'vitest'
import { createTestCollector, get, now, post } from '../fakes.ts'

/** A collector with the lines that it logs, and a clock that is moved by hand. */
const open = () => {
  const lines: object[] = []
  const clock = { ms: 0 }
  const { collector } = createTestCollector(
    {},
    {
      clock: { now: () => now, monotonicMs: () => clock.ms },
      logger: { warn: (line: object) => void lines.push(line) } as never,
    },
  )
  return { collector, lines, clock }
}

test('refused events are logged: by whom, where, and why', async () => {
  const { collector, lines } = open()
  await post(collector, '[{"eventName":"A","payload":{}},7,8]', { headers: { 'x-forwarded-for': '192.0.2.7' } })
  await post(collector, 'nonsense', { peer: '192.0.2.8' })
  await get(collector, '/1?v=A,b7')
  await post(collector, '{"eventName":"A"}', { headers: { prefer: 'handling=strict' } })
  await post(collector, '{"eventName":"A","payload":{}}')
  expect(lines).toEqual([
    {
      api: 'POST_Json_API',
      peer: '192.0.2.7',
      code: 'bad-event',
      detail: 'The event is 7; expected an object',
      events: 2,
    },
    {
      api: 'POST_Json_API',
      peer: '192.0.2.8',
      code: 'bad-event',
      detail: expect.stringContaining('no complete JSON'),
      events: 1,
    },
    {
      api: 'GET_API',
      peer: '127.0.0.1',
      code: 'bad-event',
      detail: 'Element 1 of v is "7"; expected 0 or 1',
      events: 1,
    },
    {
      api: 'POST_Json_API',
      peer: '127.0.0.1',
      code: 'nothing-accepted',
      detail: expect.stringContaining('payload'),
      events: 1,
    },
  ])
})

test('few in a second, and then how many were not logged', async () => {
  const { collector, lines, clock } = open()
  for (let i = 0; i < 100; i++) await post(collector, 'nonsense')
  expect(lines).toHaveLength(5)
  clock.ms = 1_000
  await post(collector, `{"eventName":"${'x'.repeat(10_000)}","payload":{}}`)
  expect(lines).toHaveLength(6)
  expect(lines[5]).toMatchObject({ unlogged: 95, code: 'bad-event-name' })
  expect(JSON.stringify(lines[5]).length).toBeLessThan(600)
})
