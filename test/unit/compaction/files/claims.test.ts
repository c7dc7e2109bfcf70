import { expect, test, vi } from 'vitest'
import { takeClaim } from '../../../../src/compaction/files/claim.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { compact, hourDirectory, listFiles, namesIn, readVisible, write, written } from './world.ts'

const openWorld = async () => {
  const fileSystem = createMemoryFileSystem({ now: () => written })
  for (const name of ['a', 'b']) await write(fileSystem, `${hourDirectory}/${name}.jsonl`, `{"${name}":1}\n`)
  return fileSystem
}

test('an owner that gives signs of life keeps its claim, and a silent one loses it', async () => {
  const fileSystem = await openWorld()
  const before = await readVisible(fileSystem, hourDirectory)
  const held = await takeClaim(fileSystem, hourDirectory, { sources: [], result: 'x' })
  if (!held) throw new Error('it is free')
  let beats = 0
  const waitForBeat = async (): Promise<void> => {
    await fileSystem.publish(`${held.path}/beat`, chunk(String(++beats)), { overwrite: true })
  }
  const first = await compact(fileSystem, { waitForBeat })
  expect([first.living, first.done, first.failed.map(({ reason }) => reason)]).toEqual([
    [hourDirectory],
    [],
    ['another compaction is at work there', 'another compaction is at work there'],
  ])
  const second = await compact(fileSystem)
  expect([second.undone, second.done.length]).toEqual([[hourDirectory], 1])
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(before)
})

test('an owner whose process is gone is not waited for', async () => {
  const fileSystem = await openWorld()
  const pid = vi.spyOn(process, 'pid', 'get').mockReturnValue(2 ** 30)
  await takeClaim(fileSystem, hourDirectory, { sources: [], result: 'x' })
  pid.mockRestore()
  const waitForBeat = vi.fn(async () => {})
  expect(await compact(fileSystem, { waitForBeat })).toMatchObject({ undone: [hourDirectory], living: [] })
  expect(waitForBeat).not.toHaveBeenCalled()
})

test('of two that claim at once one has the directory', async () => {
  const fileSystem = await openWorld()
  const take = () => takeClaim(fileSystem, hourDirectory, { sources: [], result: 'x' })
  const taken = await Promise.all([take(), take(), take()])
  expect(taken.filter(Boolean)).toHaveLength(1)
  expect((await listFiles(fileSystem, '/events')).filter(path => path.includes('_compaction'))).toHaveLength(1)
})

/** A file system that gives other bytes of results than were written. */
const lying = (fileSystem: FileSystem, change: (text: string) => string): FileSystem => ({
  ...fileSystem,
  open: async (path, options) => {
    if (!path.includes('/results/')) return await fileSystem.open(path, options)
    return (
      new Response(change(await new Response(await fileSystem.open(path)).text())).body ?? (await fileSystem.open(path))
    )
  },
})

test.each<[what: string, change: (text: string) => string]>([
  ['a row less', text => text.slice(text.indexOf('\n') + 1)],
  ['a row twice', text => text + text.slice(text.indexOf('\n') + 1)],
  ['another value', text => text.replace('1', '2')],
])('nothing is moved where the result does not read back as it was written: %s', async (_, change) => {
  const fileSystem = await openWorld()
  await expect(compact(lying(fileSystem, change))).rejects.toThrow('rows as they were read')
  expect(await namesIn(fileSystem, '/events')).toEqual(['a.jsonl', 'b.jsonl'])
})

test.each<[what: string, change: (fileSystem: FileSystem) => Promise<unknown>]>([
  ['deleted', fileSystem => fileSystem.delete(`${hourDirectory}/a.jsonl`)],
  [
    'replaced',
    async fileSystem => {
      await fileSystem.delete(`${hourDirectory}/a.jsonl`)
      await write(fileSystem, `${hourDirectory}/a.jsonl`, '{"other":1}\n')
    },
  ],
])('a source that is %s meanwhile stays so, before and behind the commit', async (_, change) => {
  for (const step of ['/results/', '/commit', '/sources/a.jsonl']) {
    const fileSystem = await openWorld()
    let expected: readonly string[] | undefined
    const rename: FileSystem['directories'] = {
      mkdirs: (...args) => fileSystem.mkdirs(...args),
      rename: async (source, target, options) => {
        if (target.includes(step) && !expected) {
          await change(fileSystem)
          expected = await readVisible(fileSystem, hourDirectory)
        }
        await fileSystem.rename(source, target, options)
      },
    }
    const publish: FileSystem['publish'] = async (path, source, options) => {
      const published = await fileSystem.publish(path, source, options)
      if (path.includes(step) && !expected) {
        await change(fileSystem)
        expected = await readVisible(fileSystem, hourDirectory)
      }
      return published
    }
    const { done } = await compact({ ...fileSystem, directories: rename, publish }).catch(() => ({ done: [] }))
    expect(done, step).toEqual([])
    await compact(fileSystem, { to: 0 })
    expect(await readVisible(fileSystem, hourDirectory), step).toEqual(expected)
  }
})

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
