import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIdleTimer } from '../../../src/filesystem/cluster/idle-timer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an idle timer counts only while it waits without a break', () => {
  const onIdle = vi.fn()
  const idle = createIdleTimer(100, onIdle)
  vi.advanceTimersByTime(1_000)
  idle.wait()
  vi.advanceTimersByTime(99)
  idle.wait()
  vi.advanceTimersByTime(99)
  idle.rest()
  vi.advanceTimersByTime(1_000)
  expect(onIdle).not.toHaveBeenCalled()
  idle.wait()
  vi.advanceTimersByTime(100)
  expect(onIdle).toHaveBeenCalledOnce()
  idle.stop()
  idle.wait()
  vi.advanceTimersByTime(1_000)
  expect(onIdle).toHaveBeenCalledOnce()
})
