/** What killed compactions, crashes and other people have left, state by state. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { toClaimedFile } from '../../../../src/compaction/files/claim.ts'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { compact, hourDirectory, later, listFiles, namesIn, readVisible, write, written } from './world.ts'

const owner = randomUUID()
const claims = `${hourDirectory}/_compaction`
const path = `${claims}/${owner}`
const result = 'compacted-1.jsonl'
const merged = '{"a":1}\n{"b":1}\n'
const rows = ['a', 'b'].map(name => JSON.stringify({ names: [name], values: [1] }))

type World = { readonly fileSystem: FileSystem & { readonly mkdirs: (path: string) => Promise<void> } }

/** A claim of a process that is gone, with its sources moved, and a commit. */
const openWorld = async (now: () => number = () => written): Promise<World> => {
  const fileSystem = createMemoryFileSystem({ now })
  for (const name of ['a', 'b']) await write(fileSystem, `${path}/sources/${name}.jsonl`, `{"${name}":1}\n`)
  const sources = (await Array.fromAsync(fileSystem.listStatus(`${path}/sources`))).flat().map(toClaimedFile)
  await write(fileSystem, `${path}/claim`, JSON.stringify({ sources, result, host: hostname(), pid: 2 ** 30 }))
  await write(fileSystem, `${path}/commit`, JSON.stringify({ length: merged.length }))
  return { fileSystem }
}

const skipTrash = { toTrash: async () => undefined }

/** Another directory with files to compact. */
const writeOther = async (fileSystem: FileSystem): Promise<void> => {
  for (const name of ['a', 'b']) await write(fileSystem, `/events/other/${name}.jsonl`, `{"${name}":1}\n`)
}

const hidden = async (fileSystem: FileSystem): Promise<string[]> =>
  (await listFiles(fileSystem, '/events')).filter(one => one.includes('/_'))

test('an empty directory that a local disk makes before a RENAME is not that of replaced sources', async () => {
  const { fileSystem } = await openWorld()
  await write(fileSystem, `${hourDirectory}/${result}`, merged)
  await fileSystem.mkdirs(`${path}/replaced`)
  expect(await compact(fileSystem)).toMatchObject({ finished: [hourDirectory], failed: [] })
  await compact(fileSystem)
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(rows)
  expect([await hidden(fileSystem), await namesIn(fileSystem, '/user')]).toEqual([[], ['a.jsonl', 'b.jsonl']])
})

test.each([true, false])(
  'sources that are in the trash already are not looked for (result there: %s)',
  async isThere => {
    const { fileSystem } = await openWorld()
    await fileSystem.delete(`${path}/sources`, { recursive: true })
    if (isThere) await write(fileSystem, `${hourDirectory}/${result}`, merged)
    const { finished, undone, failed } = await compact(fileSystem)
    expect([finished.length, undone.length, failed]).toEqual([isThere ? 1 : 0, isThere ? 0 : 1, []])
    expect([await hidden(fileSystem), await namesIn(fileSystem, '/events')]).toEqual([[], isThere ? [result] : []])
  },
)

test('behind the name of the result nothing is undone, whatever became of a source', async () => {
  const { fileSystem } = await openWorld()
  await write(fileSystem, `${hourDirectory}/${result}`, merged)
  await compact(fileSystem, { isClosed: async file => !file.endsWith('/sources/b.jsonl') })
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(rows)
  expect(await hidden(fileSystem)).toEqual([])
})

test('an empty file that a local disk makes before a RENAME is not the result', async () => {
  const { fileSystem } = await openWorld()
  await write(fileSystem, `${path}/results/${result}`, merged)
  await write(fileSystem, `${hourDirectory}/${result}`, '')
  expect(await compact(fileSystem, skipTrash)).toMatchObject({ finished: [hourDirectory], failed: [] })
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(rows)
  expect(await namesIn(fileSystem, '/events')).toEqual([result])
})

test.each<[what: string, text: string, kept: string | undefined]>([
  ['empty, and none is kept', '', undefined],
  ['shorter', merged.slice(1), merged],
  ['longer', `${merged} `, merged],
])('what has the name of the result, and is another file, is refused: %s', async (_, text, kept) => {
  const { fileSystem } = await openWorld()
  if (kept !== undefined) await write(fileSystem, `${path}/results/${result}`, kept)
  await write(fileSystem, `${hourDirectory}/${result}`, text)
  const before = await namesIn(fileSystem, '/events')
  await writeOther(fileSystem)
  const { failed, done } = await compact(fileSystem, skipTrash)
  const reason = expect.stringContaining(`"${result}" has ${text.length} bytes, expected ${merged.length}`)
  expect(failed).toEqual([{ path: hourDirectory, reason }])
  expect(done).toMatchObject([{ directory: '/events/other' }])
  expect((await namesIn(fileSystem, hourDirectory)).sort()).toEqual(before.sort())
})

test('a claim stays while there are sources, whatever else is done', async () => {
  const { fileSystem } = await openWorld()
  await write(fileSystem, `${path}/results/${result}`, merged)
  let late = ''
  const toTrash = async (): Promise<undefined> => {
    const [claim = ''] = (await hidden(fileSystem)).filter(one => one.endsWith('/claim'))
    late = claim.replace(/claim$/, 'sources/late.jsonl')
    await write(fileSystem, late, '{}\n')
  }
  const { failed } = await compact(fileSystem, { toTrash })
  expect(failed).toEqual([{ path: hourDirectory, reason: expect.stringContaining('sources" is not empty') }])
  expect(await hidden(fileSystem)).toEqual(expect.arrayContaining([late, late.replace('sources/late.jsonl', 'claim')]))
})

test.each<[what: string, at: number, text: string, names: readonly string[]]>([
  ['an empty file is replaced', later - 600_000, '', ['a.jsonl', 'b.jsonl']],
  [
    'an empty file that is new, and may be that of a program, stays',
    later - 599_999,
    '',
    ['a.jsonl', 'b.jsonl', 'compaction-1-a.jsonl'],
  ],
  ['another file stays', later - 600_000, '\n', ['a.jsonl', 'b.jsonl', 'compaction-1-a.jsonl']],
])('in the place of a source that is put back %s', async (_, at, text, names) => {
  let now = written
  const { fileSystem } = await openWorld(() => now)
  await fileSystem.delete(`${path}/commit`)
  now = at
  await write(fileSystem, `${hourDirectory}/a.jsonl`, text)
  const { undone } = await compact(fileSystem, { targetBytes: 1 })
  expect([undone, await namesIn(fileSystem, '/events')]).toEqual([[hourDirectory], names])
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(rows)
})

test.each<[what: string, name: string, isInTheWay: boolean]>([
  ['a directory of another name', `${hourDirectory}/_compaction-notes/a.txt`, false],
  ['a claim of another name', `${hourDirectory}/_compaction-notes/notes/claim`, false],
  ['a take with a directory for its claim', `${hourDirectory}/_compaction-${owner}/${owner}/claim/a.txt`, false],
  ['a directory with something else', `${hourDirectory}/_compaction-${owner}/a.txt`, false],
  ['an owner with something else', `${hourDirectory}/_compaction-${owner}/${owner}/sources/a.jsonl`, false],
  ['another owner', `${hourDirectory}/_compaction-${owner}/${randomUUID()}/claim`, false],
  ['a file with such a name', `${hourDirectory}/_compaction-notes`, false],
  ['a file with the name of the directory of claims', `${hourDirectory}/_compaction`, true],
  ['a file', `${hourDirectory}/_compaction/notes.txt`, true],
  ['a file with the name of an owner', `${hourDirectory}/_compaction/${owner}`, true],
  ['something else beside the notes of an owner', `${hourDirectory}/_compaction/${owner}/a.txt`, true],
  ['a directory for a note', `${hourDirectory}/_compaction/${owner}/claim/a.txt`, true],
  ['a directory of another name in that of claims', `${hourDirectory}/_compaction/keep/claim`, true],
])('what is of no compaction stays, and is named: %s', async (_, name, isInTheWay) => {
  const fileSystem = createMemoryFileSystem({ now: () => written })
  for (const one of ['a', 'b']) await write(fileSystem, `${hourDirectory}/${one}.jsonl`, `{"${one}":1}\n`)
  await write(fileSystem, name, '{}')
  await fileSystem.mkdirs(`${hourDirectory}/_compaction-${randomUUID()}`)
  const { left, done, failed } = await compact(fileSystem)
  const [start = ''] = /.*\/_compaction(?:-[^/]+|\/[^/]+|$)/.exec(name) ?? []
  expect(left).toEqual([{ path: start, reason: 'it has the name of a claim, but is not one' }])
  const refused = {
    path: hourDirectory,
    reason: expect.stringContaining('"_compaction" in it is, or holds, what is of no'),
  }
  expect([done.length, failed]).toEqual(isInTheWay ? [0, [refused]] : [1, []])
  expect(await hidden(fileSystem)).toEqual([name])
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(rows)
})

test('a file that is in the way of a claim is named also where nothing else is left', async () => {
  const fileSystem = createMemoryFileSystem({ now: () => written })
  for (const one of ['a', 'b']) await write(fileSystem, `${hourDirectory}/${one}.jsonl`, `{"${one}":1}\n`)
  await write(fileSystem, claims, 'hello')
  const { left, failed } = await compact(fileSystem)
  expect([left.map(one => one.path), failed.map(one => one.path)]).toEqual([[claims], [hourDirectory]])
  expect(await hidden(fileSystem)).toEqual([claims])
})

test.each(['', '{"sources":['])('a cut claim by which nothing was moved is removed: %s', async text => {
  const fileSystem = createMemoryFileSystem({ now: () => written })
  for (const one of ['a', 'b']) await write(fileSystem, `${hourDirectory}/${one}.jsonl`, `{"${one}":1}\n`)
  await write(fileSystem, `${path}/claim`, text)
  await write(fileSystem, `${path}/commit`, '')
  const { done, failed } = await compact(fileSystem)
  expect([done.length, failed, await hidden(fileSystem)]).toEqual([1, [], []])
})

test.each([
  ['claim', '{'],
  ['commit', '{'],
  ['commit', '{}'],
])('a cut %s by which sources were moved is for a person, and holds up no other: %s', async (note, text) => {
  const { fileSystem } = await openWorld()
  await fileSystem.publish(
    `${path}/${note}`,
    (async function* () {
      yield Buffer.from(text)
    })(),
    { overwrite: true },
  )
  await writeOther(fileSystem)
  const { done, failed } = await compact(fileSystem)
  expect(done).toMatchObject([{ directory: '/events/other' }])
  expect(failed).toEqual([
    { path: hourDirectory, reason: expect.stringMatching(/\/_compaction\/.*it is cut or damaged/) },
  ])
  expect(await namesIn(fileSystem, claims)).toEqual(['claim', 'commit', 'a.jsonl', 'b.jsonl'])
})

const refusing = (fileSystem: FileSystem, isRefused: (target: string) => boolean): FileSystem => ({
  ...fileSystem,
  directories: {
    mkdirs: async (...args) => await fileSystem.directories?.mkdirs(...args),
    rename: async (source, target, options) => {
      if (isRefused(target)) throw new FileSystemError('unavailable', source, `"${source}": EXDEV`)
      await fileSystem.directories?.rename(source, target, options)
    },
  },
})

test('where nothing can be moved to the trash nothing is begun, and others go on', async () => {
  const { fileSystem } = await openWorld()
  await fileSystem.delete(path, { recursive: true })
  for (const one of ['a', 'b']) await write(fileSystem, `${hourDirectory}/${one}.jsonl`, `{"${one}":1}\n`)
  await writeOther(fileSystem)
  const isRefused = (target: string): boolean => target.startsWith(`/user/ann/.Trash/Current${hourDirectory}`)
  const { done, failed } = await compact(refusing(fileSystem, isRefused))
  const reason = expect.stringMatching(/Cannot compact files of ".*": they cannot be moved to the trash \(.*EXDEV\)/)
  expect(failed).toEqual([{ path: hourDirectory, reason }])
  expect(done).toMatchObject([{ directory: '/events/other' }])
  expect([await namesIn(fileSystem, hourDirectory), await hidden(fileSystem)]).toEqual([['a.jsonl', 'b.jsonl'], []])
  const entries = (await Array.fromAsync(fileSystem.listStatus(hourDirectory))).flat()
  expect(entries.map(entry => entry.isDirectory)).toEqual([false, false])
  const trash = (await Array.fromAsync(fileSystem.listStatus('/user/ann/.Trash/Current/events/other'))).flat()
  expect(trash).toHaveLength(1)
  expect((await compact(refusing(fileSystem, isRefused), skipTrash)).done).toHaveLength(1)
})

test.each([false, true])(
  'a source that cannot be moved hides no other one (commit left by another: %s)',
  async isLeft => {
    const { fileSystem } = await openWorld()
    await write(fileSystem, `${path}/results/${result}`, merged)
    if (!isLeft) await fileSystem.delete(path, { recursive: true })
    for (const one of ['a', 'b'])
      if (!isLeft) await write(fileSystem, `${hourDirectory}/${one}.jsonl`, `{"${one}":1}\n`)
      else if (one === 'b')
        await directoriesOf(fileSystem).rename(`${path}/sources/b.jsonl`, `${hourDirectory}/b.jsonl`)
    const isRefused = (target: string): boolean => target.endsWith('/sources/b.jsonl')
    const { done, failed, undone } = await compact(refusing(fileSystem, isRefused))
    expect([done, failed]).toEqual([[], [{ path: hourDirectory, reason: expect.stringContaining('EXDEV') }]])
    expect(undone).toEqual(isLeft ? [hourDirectory] : [])
    expect([await namesIn(fileSystem, '/events'), await hidden(fileSystem)]).toEqual([['a.jsonl', 'b.jsonl'], []])
    expect((await compact(fileSystem)).done).toHaveLength(1)
  },
)

test('a claim that cannot be finished holds up no other, unless the file system is away', async () => {
  const { fileSystem } = await openWorld()
  await write(fileSystem, `${path}/results/${result}`, merged)
  await writeOther(fileSystem)
  const isRefused = (target: string): boolean => target.startsWith(`/user/ann/.Trash/Current${hourDirectory}`)
  const away = async (): Promise<never> => {
    throw new FileSystemError('unavailable', '/', 'away')
  }
  await expect(compact({ ...refusing(fileSystem, isRefused), probe: away })).rejects.toThrow('EXDEV')
  const { done, failed } = await compact(refusing(fileSystem, isRefused))
  expect(failed).toEqual([{ path: hourDirectory, reason: expect.stringContaining('EXDEV') }])
  expect(done).toMatchObject([{ directory: '/events/other' }])
  expect((await compact(fileSystem)).finished).toEqual([hourDirectory])
})

test('who loses the claim while finishing leaves the rest to the other one', async () => {
  const { fileSystem } = await openWorld()
  await write(fileSystem, `${path}/results/${result}`, merged)
  const directories = directoriesOf(fileSystem)
  const overtaken: FileSystem = {
    ...fileSystem,
    directories: {
      ...directories,
      rename: async (source, target, options) => {
        if (target === `${hourDirectory}/${result}`) await directories.rename(source.replace(/\/results.*/, ''), path)
        await directories.rename(source, target, options)
      },
    },
  }
  expect(await compact(overtaken)).toMatchObject({ living: [hourDirectory], finished: [], stuck: [] })
  expect(await compact(fileSystem)).toMatchObject({ finished: [hourDirectory], failed: [] })
  expect(await readVisible(fileSystem, hourDirectory)).toEqual(rows)
})
