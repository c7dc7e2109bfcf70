import { expect, test } from 'vitest'
import { createHeartbeat, type Step } from '../../../../src/spool/heartbeat/heartbeat.ts'

const step = (run: () => Promise<unknown>, told: string[] = []): Step => ({
  run: async () => void (await run()),
  outage: { failed: reason => void told.push(reason), worked: () => void told.push('worked') },
})

test('R6: no lane waits for another, and no step for one that failed', async () => {
  const done: string[] = []
  const told: string[] = []
  const upload = Promise.withResolvers<void>()
  const note = (what: string) => step(async () => done.push(what))
  const { beat, stop } = createHeartbeat([
    [note('space')],
    [step(async () => Promise.reject(new Error('EIO')), told), note('after the failure')],
    [step(() => upload.promise), note('after the upload')],
  ])
  const first = beat()
  await expect.poll(() => done).toEqual(['space', 'after the failure'])
  void beat()
  await expect.poll(() => done).toEqual(['space', 'after the failure', 'space', 'after the failure'])
  upload.resolve()
  await first
  expect(done.slice(4)).toEqual(['after the upload'])
  expect(told).toEqual(['EIO', 'EIO'])
  await stop()
})

test('a step says that its work succeeded, unless that is for the work to say', async () => {
  const told: string[] = []
  const works = step(async () => undefined, told)
  await createHeartbeat([[works]]).beat()
  await createHeartbeat([[{ ...works, endsOutage: false }]]).beat()
  expect(told).toEqual(['worked'])
})

test('stops before the next step', async () => {
  const done: string[] = []
  const upload = Promise.withResolvers<void>()
  const { beat, stop } = createHeartbeat([[step(() => upload.promise), step(async () => done.push('late'))]])
  void beat()
  const stopped = stop()
  upload.resolve()
  await stopped
  await beat()
  expect(done).toEqual([])
})
