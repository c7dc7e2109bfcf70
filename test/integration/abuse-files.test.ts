import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileBombs } from '../overload/file-bombs.ts'
import { startTarget, type Target } from '../overload/target.ts'
import { cleanUp } from './process/child.ts'

/** Of one file: what is at hand of it, unfolded and as text, is a few times the longest line or value of 16 MB. */
const maxGrowthMb = 400

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(cleanUp)

test.each(fileBombs)('R11: rows of $name end with a named error', async ({ name, bytes, want }) => {
  const path = target.put(name, bytes())
  const { growthMb, done } = await target.growth(async () => {
    const response = await fetch(`${target.url}/rest/1.0/json?path=${path}`)
    return { status: response.status, text: await response.text() }
  })
  expect(done.status).toBe(200)
  expect(JSON.parse(done.text)).toMatchObject({ entries: [{ error: expect.stringMatching(want) }] })
  expect(growthMb).toBeLessThan(maxGrowthMb)
  expect(await target.honest()).toEqual([202, 200])
})
