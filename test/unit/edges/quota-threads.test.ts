import { expect, test } from 'vitest'
import { startEventThreads } from '../../suites/event-threads.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { openTestSpool } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'
import { usualQuota } from '../collector/quota/usual-quota.ts'

const start = async (count: number, eventsPerSecond: number, burstSeconds: number) => {
  const { spool } = await openTestSpool({ disk: createTearingDisk({}), fileSystem: createMemoryFileSystem() })
  const quota = { ...usualQuota, eventsPerSecond, burstSeconds }
  return startEventThreads(spool, count, { settings: { quota } })
}
const event = '{"eventName":"A","payload":{}}'
const many = (count: number): string => `[${Array.from({ length: count }, () => event).join()}]`

test('what one thread has let in counts in all others, and whom they refuse is known', async () => {
  const { threads, collector } = await start(3, 1, 1_000)
  const [first, second, third] = threads
  expect((await first?.post(many(2_000), { peer: '10.0.0.1' }))?.status).toBe(202)
  const refused = await Promise.all(
    [second, third].map(async thread => await thread?.post(event, { peer: '10.0.0.1' })),
  )
  expect(refused.map(one => one?.status)).toEqual([429, 429])
  expect((await second?.post(event, { peer: '10.0.0.2' }))?.status).toBe(202)
  expect(collector.counters.POST_Json_API).toMatchObject({ accepted: 2_001, throttled: 2, received: 2_003 })
  await expect.poll(() => collector.slowed.list()).toMatchObject([{ by: 'address', name: '10.0.0.1', requests: 2 }])
})

test('the limit is that of all threads together: each event is charged once', async () => {
  const burst = 100
  const { threads } = await start(4, 1, burst)
  const from = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 600 }, async (_, i) => await threads[i % 4]?.post(event, { peer: '10.0.0.1' })),
  )
  const seconds = (performance.now() - from) / 1_000
  const taken = answers.filter(one => one?.status === 202).length
  // Each thread may let one in between the look of another one and its charge.
  expect(taken).toBeGreaterThanOrEqual(burst)
  expect(taken).toBeLessThanOrEqual(burst + seconds + 4)
})
