import { globSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reportTimerFailures, startInterval, startTimeout } from '../../../src/runtime/timers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  reportTimerFailures(error => process.emitWarning(error))
})

test('a callback that throws or rejects is reported, and called again where it is to be', async () => {
  const failures: string[] = []
  reportTimerFailures(({ message }) => failures.push(message))
  startTimeout(() => {
    throw new Error('once')
  }, 1)
  let calls = 0
  const timer = startInterval(async () => {
    throw new Error(`again ${++calls}`)
  }, 10)
  await vi.advanceTimersByTimeAsync(25)
  clearInterval(timer)
  expect(failures).toEqual(['once', 'again 1', 'again 2'])
})

test('all timers of the server go through it', () => {
  const files = globSync('{src,admin}/**/*.ts', { exclude: ['**/node_modules/**'] })
  expect(files.length).toBeGreaterThan(300)
  const direct = files.filter(file => /(?<![.\w])set(?:Timeout|Interval)\(/.test(readFileSync(file, 'utf8')))
  // The first one has the script of another process.
  expect(direct.sort()).toEqual(['src/app/end-process.ts', 'src/runtime/timers.ts'])
})
