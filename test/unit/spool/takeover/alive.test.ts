import { expect, test } from 'vitest'
import type { HadoopVerbs } from '../../../../src/filesystem/hadoop-verbs.ts'
import { createAlive, readCounter } from '../../../../src/spool/takeover/alive.ts'
import { type AppendOperation, createMemoryHdfs } from '../../../suites/memory-hdfs.ts'

const directory = '/events/_log/me'

const start = async (
  fail: (operation: AppendOperation, path: string) => 'before' | 'after' | undefined = () => undefined,
) => {
  const hdfs = createMemoryHdfs({ fail })
  await hdfs.memory.mkdirs(directory)
  return hdfs
}

test('each beat raises the counter, and a start goes on with it', async () => {
  const hdfs = await start()
  const alive = createAlive(hdfs, directory, () => 20_000)
  const seen: (number | undefined)[] = []
  for (let n = 0; n < 3; n++) {
    await alive.beat()
    seen.push(await readCounter(hdfs, directory))
  }
  await createAlive(hdfs, directory, () => 20_000).beat()
  seen.push(await readCounter(hdfs, directory))
  const [first = 0] = seen
  expect(seen).toEqual([first, first + 1, first + 2, first + 3])
})

test('whoever has no counter is seen to have none', async () => {
  expect(await readCounter(await start(), directory)).toBeUndefined()
})

test('a beat whose answer was lost is followed by one that can be seen', async () => {
  let isLost = false
  const hdfs = await start(operation => (isLost && operation === 'setTimes' ? 'after' : undefined))
  const alive = createAlive(hdfs, directory, () => 20_000)
  await alive.beat()
  isLost = true
  await expect(alive.beat()).rejects.toMatchObject({ code: 'unavailable' })
  const lost = await readCounter(hdfs, directory)
  isLost = false
  await alive.beat()
  expect(await readCounter(hdfs, directory)).toBeGreaterThan(lost ?? Number.NaN)
})

test('where the directory was taken a beat says so, and makes nothing', async () => {
  const hdfs = await start()
  const alive = createAlive(hdfs, directory, () => 20_000)
  await alive.beat()
  await hdfs.memory.rename(directory, `${directory}.taker`)
  for (let n = 0; n < 2; n++) await expect(alive.beat()).rejects.toMatchObject({ code: 'not-found' })
  await expect(hdfs.getFileStatus(directory)).rejects.toMatchObject({ code: 'not-found' })
})

test('a file that is gone by itself is made again', async () => {
  const hdfs = await start()
  const alive = createAlive(hdfs, directory, () => 20_000)
  await alive.beat()
  await hdfs.memory.delete(`${directory}/alive`)
  await alive.beat()
  expect(await readCounter(hdfs, directory)).toBeDefined()
})

test('a beat waits for a name node no longer than leaves time for another one', async () => {
  const hdfs = await start()
  const waits: (number | undefined)[] = []
  const setTimes: HadoopVerbs['setTimes'] = async (path, times, options) => {
    waits.push(options?.timeoutMs)
    await hdfs.memory.setTimes(path, times)
  }
  const watched = { ...hdfs, hadoop: { ...hdfs.memory.hadoop, setTimes } }
  for (const takeoverMs of [8_000, 86_400_000]) await createAlive(watched, directory, () => takeoverMs).beat()
  expect(waits).toEqual([2_000, 5_000])
})
