/**
 * R19 with the whole spool: a process is killed at any request to an object store, and the next one continues with its
 * disk.
 */
import { expect, test } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { type FakeS3, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'
import { jsonBatch, openTestSpool, readEvents } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const events = Array.from({ length: 20 }, (_, n) => ({ n, text: 'x'.repeat(50) }))

type World = { readonly store: FakeS3; readonly clock: { ms: number }; readonly opened: FileSystem[] }

const pass = ({ store, clock }: World, ms: number): void => {
  clock.ms += ms
  store.aheadMs = clock.ms - Date.now()
}

/** A file system with a key of its own, by which its requests are known. */
const open = async ({ store, clock, opened }: World, id: string): Promise<FileSystem> => {
  store.keys.set(id, testEnv.AWS_SECRET_ACCESS_KEY)
  const env = { ...testEnv, AWS_ACCESS_KEY_ID: id }
  const how = { endpoint: store.endpoint, region: 'r', env, maxRetries: 0, clock: () => clock.ms, partBytes: 1_000 }
  const fileSystem = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  opened.push(fileSystem)
  return fileSystem
}

/** @returns whether it came to its kill */
const killAt = async (world: World, step: number, last: 'before' | 'after'): Promise<boolean> => {
  const { store, clock } = world
  let disk = createTearingDisk()
  const killed = Promise.withResolvers<void>()
  let [asked, isKilled] = [0, false]
  store.fault = ({ headers }) => {
    if (!String(headers.authorization).includes('Credential=first/')) return undefined
    // What was under way arrives no more.
    if (isKilled) return 'before'
    if (asked++ !== step) return undefined
    isKilled = true
    disk = disk.kill()
    killed.resolve()
    return last
  }
  const first = await openTestSpool({ disk, fileSystem: await open(world, 'first'), clock })
  await first.spool.append(jsonBatch(events))
  pass(world, 30_000)
  await Promise.race([first.beat(), killed.promise])

  const fileSystem = await open(world, 'second')
  const { spool, beat } = await openTestSpool({ disk: isKilled ? disk : disk.kill(), fileSystem, clock })
  for (let left = 10; left > 0 && spool.stats().waitingEvents > 0; left--) {
    pass(world, 60_000)
    await beat()
  }
  const found = (await readEvents(fileSystem)).map(({ payload }) => payload['n'])
  expect(
    found.sort((a, b) => Number(a) - Number(b)),
    `step ${step}, ${last}`,
  ).toEqual(events.map(({ n }) => n))
  pass(world, 7_200_000)
  await beat()
  expect([...store.stored.uploads.values()], `step ${step}, ${last}`).toEqual([])
  return isKilled
}

test.for(['before', 'after'] as const)(
  'killed %s a request was done: each event is there once, no upload is left',
  async last => {
    let steps = 0
    for (let isKilled = true; isKilled; steps++) {
      const store = await startFakeS3()
      const world: World = { store, clock: { ms: Date.now() }, opened: [] }
      isKilled = await killAt(world, steps, last)
      for (const fileSystem of world.opened) await fileSystem.close()
      await store.close()
    }
    expect(steps).toBeGreaterThan(10)
  },
)
