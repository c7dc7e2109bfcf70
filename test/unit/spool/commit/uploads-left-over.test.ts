import { expect, onTestFinished, test } from 'vitest'
import { createS3FileSystem } from '../../../../src/filesystem/s3.ts'
import { temporaryName } from '../../../../src/filesystem/temporary-name.ts'
import { type FakeS3, startFakeS3, testEnv } from '../../../suites/s3/fake-s3.ts'
import { jsonBatch, openTestSpool, type TestSpool } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const hourMs = 3_600_000
const since = '20260102T030405.678Z'

/** A spool with one file that waits, since none gets its name. */
const setUp = async (): Promise<TestSpool & { readonly store: FakeS3; readonly waiting: string }> => {
  const store = await startFakeS3()
  const clock = { ms: Date.now() }
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, maxRetries: 0, clock: () => clock.ms }
  const fileSystem = await createS3FileSystem({ url: 's3://bucket', ...how })
  onTestFinished(async () => {
    await fileSystem.close()
    await store.close()
  })
  const disk = createTearingDisk()
  const opened = await openTestSpool({ disk, fileSystem, clock })
  const id = opened.spool.stats().collectorId
  store.stored.begin(`events/Hello/${since}-${id}-9-1.smile`, clock.ms - hourMs)
  store.fault = ({ method, key }) => (method === 'PUT' && !key.includes('.sluice-') ? { status: 503 } : undefined)
  await opened.spool.append(jsonBatch([{ n: 1 }]))
  clock.ms += 30_000
  await opened.beat()
  const [sealed = ''] = disk.paths.filter(path => path.startsWith('sealed/'))
  return { ...opened, store, waiting: sealed.slice('sealed/'.length) }
}

test('uploads of our own that no commit will finish are given up, at the start and each hour', async () => {
  const { spool, store, clock, waiting, beat } = await setUp()
  expect([waiting.length > 0, store.stored.uploads.size]).toEqual([true, 0])
  const id = spool.stats().collectorId
  const begin = (name: string, age = hourMs, directory = 'events/Hello'): string => {
    const key = `${directory}/${name}`
    store.stored.begin(key, clock.ms + hourMs - age)
    return key
  }
  begin(`${since}-${id}-7-1.smile`)
  begin(`${since}-${id}-7-1-99-0123abcd.jsonl.gz`)
  const tried = temporaryName()
  begin(tried, hourMs, 'events')
  store.stored.put(`events/${tried}`, 'sluice')
  begin(temporaryName())
  const stay = [
    // A file on its way, under its name and under a new one.
    begin(waiting),
    begin(waiting.replace('.jsonl', '-99-0123abcd.jsonl')),
    begin(`${since}-${id}-7-1.smile`, hourMs - 1),
    begin(temporaryName(), hourMs - 1),
    // Of others.
    begin(`${since}-${'f'.repeat(32)}-7-1.smile`),
    begin(`f-${id}-7-1.smile`),
    begin('.sluice-1.tmp'),
    begin(`${since}-${id}-7-1.smile`, hourMs, 'elsewhere'),
  ]
  clock.ms += hourMs - 1
  store.aheadMs = clock.ms - Date.now()
  await beat()
  expect([store.stored.uploads.size, store.stored.keys().length]).toEqual([stay.length + 4, 1])
  clock.ms++
  await beat()
  expect([...store.stored.uploads.values()].map(({ key }) => key)).toEqual(stay)
  // What a try of the condition left.
  expect(store.stored.keys()).toEqual([])
})
