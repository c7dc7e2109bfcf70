import { expect, test } from 'vitest'
import type { Message } from '../../../src/realtime/message.ts'
import { createRefusedMessageLog } from '../../../src/realtime/refusal-log.ts'

const messageOf = (eventName: string, bytes: number, key?: string): Message => ({
  eventName,
  date: 5,
  granularity: 'HOURLY',
  key,
  text: '{}',
  bytes,
})

test('of each type the first is logged at once, then once a minute how many there were', () => {
  const lines: object[] = []
  const clock = { ms: 1_000 }
  const refuse = createRefusedMessageLog({ info: () => {}, warn: fields => lines.push(fields) }, () => clock.ms)
  refuse(messageOf('A', 1, 'k'), 'first')
  refuse(messageOf('A', 2), 'second')
  refuse(messageOf('B', 3), 'other')
  clock.ms += 59_999
  refuse(messageOf('A', 4), 'third')
  clock.ms++
  refuse(messageOf('A', 5), 'fourth')
  refuse(messageOf('A', 6), 'fifth')
  clock.ms += 60_000
  refuse(messageOf('A', 7), 'sixth')
  expect(lines).toEqual([
    { type: 'A', messages: 1, bytes: 1, key: 'k', reason: 'first' },
    { type: 'B', messages: 1, bytes: 3, reason: 'other' },
    { type: 'A', messages: 3, bytes: 5, reason: 'fourth' },
    { type: 'A', messages: 2, bytes: 7, reason: 'sixth' },
  ])
})
