import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { every, toFingerprint, watchFiles } from '../../../../src/http/edge/watch-files.ts'

const everyMs = 1_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('looks again when the look before is over, and not beside it', async () => {
  let looks = 0
  let done = (): void => {}
  const stop = every(everyMs)(() => {
    looks++
    return new Promise(resolve => {
      done = resolve
    })
  })
  vi.advanceTimersByTime(3 * everyMs)
  expect(looks).toBe(1)
  done()
  // The cleanup after a check runs a few microtasks later.
  await new Promise(resolve => setImmediate(resolve))
  vi.advanceTimersByTime(everyMs)
  expect(looks).toBe(2)
  stop()
  vi.advanceTimersByTime(everyMs)
  expect(looks).toBe(2)
})

test('tells each change once: of a file that was not there, of another text', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-watch-'))
  const path = join(directory, 'sluice.yaml')
  let changes = 0
  const stop = await watchFiles([path], async () => void changes++, everyMs)
  const look = async (): Promise<void> => {
    vi.advanceTimersByTime(everyMs)
    await toFingerprint(path).catch(() => {})
    await new Promise(resolve => setImmediate(resolve))
  }
  try {
    for (const text of ['a: 1', 'a: 23']) {
      const before = changes
      for (let looks = 0; looks < 5; looks++) await look()
      expect(changes).toBe(before)
      writeFileSync(path, text)
      while (changes === before) await look()
      expect(changes).toBe(before + 1)
    }
    for (let looks = 0; looks < 5; looks++) await look()
    expect(changes).toBe(2)
  } finally {
    stop()
    rmSync(directory, { recursive: true })
  }
})
