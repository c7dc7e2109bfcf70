import { expect, test } from 'vitest'
import { createHeartbeat } from '../../../src/spool/heartbeat.ts'
import { silent } from '../../suites/spool.ts'

test('R6: no lane waits for another, and no step for one that failed', async () => {
  const done: string[] = []
  const upload = Promise.withResolvers<void>()
  const note = (what: string) => async () => void done.push(what)
  const { beat, stop } = createHeartbeat(
    [
      [note('space')],
      [async () => Promise.reject(new Error('EIO')), note('after the failure')],
      [() => upload.promise, note('after the upload')],
    ],
    silent,
  )
  const first = beat()
  await expect.poll(() => done).toEqual(['space', 'after the failure'])
  void beat()
  await expect.poll(() => done).toEqual(['space', 'after the failure', 'space', 'after the failure'])
  upload.resolve()
  await first
  expect(done.slice(4)).toEqual(['after the upload'])
  await stop()
})

test('stops before the next step', async () => {
  const done: string[] = []
  const upload = Promise.withResolvers<void>()
  const { beat, stop } = createHeartbeat([[() => upload.promise, async () => void done.push('late')]], silent)
  void beat()
  const stopped = stop()
  upload.resolve()
  await stopped
  await beat()
  expect(done).toEqual([])
})
