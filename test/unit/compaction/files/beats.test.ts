/** Signs of life: for as long as there is work, and none behind it. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { compact, hourDirectory, listFiles, write, written } from './world.ts'

const openWorld = async (names: readonly string[]) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const fileSystem = createMemoryFileSystem({ now: () => written })
  for (const name of names) await write(fileSystem, `${hourDirectory}/${name}.jsonl`, `{"${name}":1}\n`)
  return fileSystem
}

const hidden = async (fileSystem: FileSystem): Promise<string[]> =>
  (await listFiles(fileSystem, '/events')).filter(one => one.includes('/_'))

test('nothing is tidied up before the last sign of life has come to its end', async () => {
  const fileSystem = await openWorld(['a', 'b'])
  const slow: FileSystem = {
    ...fileSystem,
    publish: async (path, source, options) => {
      if (path.endsWith('/beat')) for (let turns = 0; turns < 200; turns++) await turn()
      return await fileSystem.publish(path, source, options)
    },
    open: async (path, options) => {
      // A sign of life is on its way when the result turns out to be other than it was written.
      if (path.includes('/results/')) {
        vi.advanceTimersByTime(10_000)
        return await fileSystem.open(`${hourDirectory}/a.jsonl`)
      }
      return await fileSystem.open(path, options)
    },
  }
  const { failed } = await compact(slow)
  for (let turns = 0; turns < 300; turns++) await turn()
  expect([failed.length, await hidden(fileSystem)]).toEqual([1, []])
})

test('a sign of life that came late, all the same, is not in the way of the next claim', async () => {
  const fileSystem = await openWorld(['a', 'b', 'c', 'd'])
  const late: FileSystem = {
    ...fileSystem,
    delete: async (path, options) => {
      const isDeleted = await fileSystem.delete(path, options)
      if (isDeleted && /\/_compaction\/[^/]+\/claim$/.test(path))
        await write(fileSystem, path.replace(/claim$/, 'beat'), '1')
      return isDeleted
    },
  }
  const { done, failed } = await compact(late, { targetBytes: 20 })
  expect([done.length, failed]).toEqual([2, []])
})

test('who finishes or undoes gives signs of life, each another one', async () => {
  const fileSystem = await openWorld(['a', 'b'])
  const beats: string[] = []
  const seen: FileSystem = {
    ...fileSystem,
    publish: async (path, source, options) => {
      const published = await fileSystem.publish(path, source, options)
      if (path.endsWith('/beat')) beats.push(await new Response(await fileSystem.open(path)).text())
      return published
    },
    open: async (path, options) => {
      if (path.includes('/results/')) {
        vi.advanceTimersByTime(10_000)
        for (let turns = 0; turns < 10; turns++) await turn()
      }
      return await fileSystem.open(path, options)
    },
  }
  const toTrash = async (): Promise<undefined> => {
    vi.advanceTimersByTime(10_000)
    for (let turns = 0; turns < 10; turns++) await turn()
  }
  await compact(seen, { toTrash })
  expect(beats.length).toBeGreaterThan(1)
  expect(new Set(beats).size).toBe(beats.length)
  expect(await hidden(fileSystem)).toEqual([])
})
