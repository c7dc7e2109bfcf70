import { expect, test, vi } from 'vitest'
import { takeClaim } from '../../../../src/compaction/files/claim.ts'
import { appendsOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { createMemoryFileSystem, type MemoryFileSystem } from '../../../suites/memory-filesystem.ts'
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
  const { done, failed } = await compact(lying(fileSystem, change))
  const reason = expect.stringContaining('rows as they were read')
  expect([done, failed]).toEqual([[], [{ path: hourDirectory, reason }]])
  expect(await namesIn(fileSystem, '/events')).toEqual(['a.jsonl', 'b.jsonl'])
})

test.each<[what: string, rows: readonly string[], change: (fileSystem: FileSystem) => Promise<unknown>]>([
  ['deleted', ['a'], fileSystem => fileSystem.delete(`${hourDirectory}/b.jsonl`)],
  [
    'replaced',
    ['a', 'other'],
    async fileSystem => {
      await fileSystem.delete(`${hourDirectory}/b.jsonl`)
      await write(fileSystem, `${hourDirectory}/b.jsonl`, '{"other":1}\n')
    },
  ],
])('a source that is %s meanwhile stays so, before and behind the commit', async (_, rows, change) => {
  for (const step of ['/results/', '/commit', '/sources/a.jsonl', '/sources/b.jsonl']) {
    const fileSystem = await openWorld()
    let isChanged = false
    const changeAt = async (path: string): Promise<void> => {
      if (!path.includes(step) || isChanged) return
      isChanged = true
      await change(fileSystem)
    }
    const others: Partial<FileSystem> = {
      directories: {
        mkdirs: (...args) => fileSystem.mkdirs(...args),
        rename: async (source, target, options) => {
          await changeAt(target)
          await fileSystem.rename(source, target, options)
        },
      },
      publish: async (path, source, options) => {
        const published = await fileSystem.publish(path, source, options)
        await changeAt(path)
        return published
      },
    }
    const { done, failed } = await compact({ ...fileSystem, ...others })
    expect([done, failed.length], step).toEqual([[], 1])
    const expected = rows.map(name => JSON.stringify({ names: [name], values: [1] }))
    expect(await readVisible(fileSystem, hourDirectory), step).toEqual(expected)
    expect(
      (await listFiles(fileSystem, '/events')).filter(path => path.includes('/_')),
      step,
    ).toEqual([])
  }
})

test('a source that is put back replaces no file that came meanwhile', async () => {
  const fileSystem = await openWorld()
  const rename = async (source: string, target: string, options?: { readonly overwrite?: boolean }): Promise<void> => {
    await fileSystem.rename(source, target, options)
    if (!target.endsWith('/sources/a.jsonl')) return
    await fileSystem.delete(`${hourDirectory}/b.jsonl`)
    await write(fileSystem, `${hourDirectory}/a.jsonl`, '{"other":1}\n')
  }
  const { done } = await compact({ ...fileSystem, directories: { ...fileSystem.directories, rename } })
  expect(done).toEqual([])
  const names = await namesIn(fileSystem, '/events')
  expect(names).toEqual(['a.jsonl', 'compaction-1-a.jsonl'])
  expect(await readVisible(fileSystem, hourDirectory)).toHaveLength(2)
})

/** A file system that does something to the result once it is committed. */
const afterCommit = (fileSystem: MemoryFileSystem, change: (result: string) => Promise<unknown>): FileSystem => ({
  ...fileSystem,
  publish: async (path, source, options) => {
    const published = await fileSystem.publish(path, source, options)
    const [result] = (await listFiles(fileSystem, hourDirectory)).filter(one => one.includes('/results/'))
    if (path.endsWith('/commit') && result) await change(result)
    return published
  },
})

test('a result that a crash of the file system has cut is not put in the place of its sources', async () => {
  const fileSystem = await openWorld()
  const before = await readVisible(fileSystem, hourDirectory)
  const cut = async (result: string): Promise<unknown> =>
    await fileSystem.publish(result, chunk('{"a":1}\n'), { overwrite: true })
  const { done, failed } = await compact(afterCommit(fileSystem, cut))
  expect([done, failed.length, await readVisible(fileSystem, hourDirectory)]).toEqual([[], 1, before])
  expect(await namesIn(fileSystem, '/events')).toEqual(['a.jsonl', 'b.jsonl'])
})

test('where the result is gone nothing more is done: a person decides, and finds the sources', async () => {
  const fileSystem = await openWorld()
  const { failed } = await compact(afterCommit(fileSystem, result => fileSystem.delete(result)))
  const reason = expect.stringMatching(/is missing; its sources are in ".*\/sources"/)
  expect(failed).toEqual([{ path: hourDirectory, reason }])
  for (const name of ['a', 'b']) await write(fileSystem, `/events/other/${name}.jsonl`, `{"${name}":1}\n`)
  const again = await compact(fileSystem)
  expect([again.failed, again.done]).toMatchObject([[{ path: hourDirectory }], [{ directory: '/events/other' }]])
  const names = await namesIn(fileSystem, hourDirectory)
  expect(names.sort()).toEqual(['a.jsonl', 'b.jsonl', 'claim', 'commit'])
})

test.each<[what: string, isClosed: (path: string, asked: number) => boolean]>([
  ['from the start', path => !path.endsWith('/b.jsonl')],
  ['when its bytes were read', (path, asked) => !path.endsWith('/b.jsonl') || asked < 3],
  ['when it was moved', path => !path.endsWith('/sources/b.jsonl')],
])('a file that is open for writing stays: %s', async (_, isClosed) => {
  const fileSystem = await openWorld()
  let asked = 0
  const { done, left, failed } = await compact(fileSystem, { isClosed: async path => isClosed(path, asked++) })
  expect([done, left.length + failed.length]).toEqual([[], 1])
  expect(await namesIn(fileSystem, '/events')).toEqual(['a.jsonl', 'b.jsonl'])
})

test('what a writer added to a source that was moved, and closed, is not lost', async () => {
  const fileSystem = await openWorld()
  let looks = 0
  const areClosed = async ([first = '']: readonly string[]): Promise<boolean> => {
    looks++
    await fileSystem.append(first, chunk('{"late":1}\n'))
    return true
  }
  const { done, failed } = await compact(fileSystem, { areClosed })
  expect([done, failed]).toEqual([[], [{ path: hourDirectory, reason: 'files were changed meanwhile' }]])
  const rows = ['a', 'b', 'late'].map(name => JSON.stringify({ names: [name], values: [1] }))
  expect([looks, await readVisible(fileSystem, hourDirectory)]).toEqual([1, rows])
})

test('where nobody can say whether a file is open, its directory is left with the reason', async () => {
  const fileSystem = await openWorld()
  const isClosed = async (path: string): Promise<boolean> => await appendsOf(fileSystem).isClosed(path)
  const { done, left } = await compact(fileSystem, { isClosed })
  expect([done, left]).toEqual([[], [{ path: hourDirectory, reason: expect.stringContaining('stay open') }]])
})

test('a plan is told once, and each directory once, however many merges there are', async () => {
  const fileSystem = await openWorld()
  for (const name of ['c', 'd', 'e', 'f']) {
    await write(fileSystem, `${hourDirectory}/${name}.jsonl`, `{"${name}":1}\n`)
    await write(fileSystem, `/events/other/${name}.jsonl`, `{"${name}":1}\n`)
  }
  const [onPlan, onDirectory] = [vi.fn(), vi.fn()]
  const { done } = await compact(fileSystem, { targetBytes: 20, onPlan, onDirectory })
  expect([done.length, onPlan.mock.calls.length]).toEqual([5, 1])
  expect(onDirectory.mock.calls).toEqual([[hourDirectory], ['/events/other']])
})

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
