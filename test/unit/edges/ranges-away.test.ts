import { expect, test } from 'vitest'
import type { RangeMessage } from '../../../src/edges/event-messages.ts'
import { createRangesAway } from '../../../src/edges/ranges-away.ts'
import { SluiceError, toErrorFields } from '../../../src/errors.ts'

const message: RangeMessage = {
  id: 7,
  memory: 0,
  from: 0,
  to: 0,
  count: 3,
  events: [],
  callers: [],
  receivedAt: [],
  traceparents: [],
  misfits: [],
}

test('each who waits hears once, whatever comes in which order, and those who have not heard when the desk is gone', () => {
  const ranges = createRangesAway()
  const heard: string[] = []
  const waiters = ['a', 'b', 'c'].map(name => ({
    done: () => void heard.push(`${name} kept`),
    failed: (error: unknown) => void heard.push(`${name} ${(error as Error).message}`),
  }))
  ranges.add({ message, waiters })
  const freed: number[] = []
  const free = ({ id }: RangeMessage): void => void freed.push(id)
  const error = toErrorFields(new SluiceError('too-large', 'too large'))
  ranges.hear({ kept: [], failed: [{ range: 7, first: 1, count: 1, error }], freed: [] }, free)
  ranges.hear({ kept: [7, 0, 2], failed: [], freed: [] }, free)
  expect([heard, freed]).toEqual([['b too large', 'a kept'], []])
  ranges.fail(new Error('gone'))
  ranges.hear({ kept: [7, 2, 1], failed: [], freed: [7] }, free)
  expect([heard, freed]).toEqual([['b too large', 'a kept', 'c gone'], []])
})
