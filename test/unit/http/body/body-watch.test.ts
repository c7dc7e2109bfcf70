import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BodyWatch } from '../../../../src/http/body/body-watch.ts'
import { defaultEdgeLimits } from '../../../../src/http/limits.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = () => {
  const said: string[] = []
  return { said, watch: new BodyWatch(defaultEdgeLimits, sentence => said.push(sentence)) }
}

test('a body may be silent for ten seconds', () => {
  const { said, watch } = start()
  vi.advanceTimersByTime(9_999)
  watch.arrived(10)
  vi.advanceTimersByTime(9_999)
  expect(said).toEqual([])
  vi.advanceTimersByTime(1)
  expect(said).toEqual(['no byte came for 10000 ms'])
  vi.advanceTimersByTime(100_000)
  expect(said).toHaveLength(1)
})

test.each([
  [1_023, 1],
  [1_024, 0],
])('a body has 1 KiB a second in each half minute: %i bytes a second', (bytes, complaints) => {
  const { said, watch } = start()
  for (let tenth = 0; tenth < 1_200; tenth++) {
    watch.arrived(bytes / 10)
    vi.advanceTimersByTime(100)
  }
  expect(said).toHaveLength(complaints)
})

test.each(['read on', 'read again after a pause'])('what came before counts for no later half minute: %s', how => {
  const { said, watch } = start()
  watch.arrived(1_000_000)
  if (how === 'read on') {
    for (let second = 0; second < 30; second++) {
      vi.advanceTimersByTime(1_000)
      watch.arrived(1)
    }
  } else {
    watch.stop()
    watch.start()
  }
  for (let second = 0; second < 29; second++) {
    vi.advanceTimersByTime(1_000)
    watch.arrived(1)
  }
  expect(said).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(said).toEqual(['fewer than 30720 bytes came in 30000 ms'])
})

test('time in which it is not read does not count', () => {
  const { said, watch } = start()
  for (let time = 0; time < 5; time++) {
    vi.advanceTimersByTime(9_000)
    watch.stop()
    vi.advanceTimersByTime(1_000_000)
    watch.start()
  }
  expect(said).toEqual([])
  watch.stop()
  expect(vi.getTimerCount()).toBe(0)
})
