/** Files that are removed with their rows, as one snapshot, beside other writers and through every fault. */
import { describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { appendFiles, readManifests } from '../../../../src/tables/append.ts'
import type { Catalog } from '../../../../src/tables/catalog.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { removeFiles, replaceFiles } from '../../../../src/tables/replace/replace-files.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../../suites/memory-filesystem.ts'
import { createMortalView } from '../../../suites/mortal-view.ts'
import { aFile, calm, makeTable, namesIn, place } from '../a-table.ts'
import { addDeletions } from './deletions.ts'

const hour = 490_924
const toUri = (name: string): string => `${place.location}/data/${name}.parquet`

const append = (fileSystem: FileSystem, catalog: Catalog, names: readonly string[], of = hour) =>
  appendFiles({
    ...calm,
    fileSystem,
    catalog,
    path: place.path,
    toAppend: async () => ({ files: names.map(name => aFile(name, of)) }),
  })

/** Removes files of the hour and the next one. */
const remove = (fileSystem: FileSystem, catalog: Catalog, names: readonly string[] = ['a', 'b', 'next']) => {
  const hours = { from: hour, to: hour + 2 }
  return removeFiles({ ...calm, fileSystem, catalog, path: place.path, id: 'x', hours, removed: names.map(toUri) })
}

/** A table with two files of an hour, one of the next, and one of the hour behind. */
const makeWorld = async (options: Parameters<typeof createMemoryFileSystem>[0] = {}) => {
  const fileSystem = createMemoryFileSystem(options)
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  await append(fileSystem, catalog, ['a', 'b'])
  await append(fileSystem, catalog, ['next'], hour + 1)
  await append(fileSystem, catalog, ['stays'], hour + 2)
  return { fileSystem, catalog }
}

/** A catalog before whose commit another writer does something, a few times. */
const meddled = (catalog: Catalog, meddle: (time: number) => Promise<unknown>, times: number): Catalog => {
  let time = 0
  return {
    load: path => catalog.load(path),
    commit: async (base, next) => {
      if (time < times) await meddle(++time)
      return await catalog.commit(base, next)
    },
  }
}

test('one snapshot does without them, with the totals of Iceberg; the one before has them', async () => {
  const { fileSystem, catalog } = await makeWorld()
  expect(await remove(fileSystem, catalog)).toMatchObject({ outcome: 'done' })
  expect(await namesIn(fileSystem)).toEqual(['stays'])
  const { metadata } = (await catalog.load(place.path)) ?? expect.unreachable('there is no table')
  expect(metadata.snapshots).toHaveLength(4)
  expect(Object.fromEntries(metadata.current?.summary ?? [])).toEqual({
    operation: 'delete',
    'added-data-files': '0',
    'deleted-data-files': '3',
    'added-records': '0',
    'deleted-records': '30',
    'added-files-size': '0',
    'removed-files-size': '3000',
    'changed-partition-count': '2',
    'total-records': '10',
    'total-data-files': '1',
    'total-files-size': '1000',
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
    'sluice.replacement-id': 'x',
  })
  const counts = (await readManifests(fileSystem, place, metadata)).map(({ json }) =>
    ['added', 'existing', 'deleted'].map(kind => Number(json[`${kind}_files_count`])),
  )
  // Without one that has nothing.
  expect(counts).toEqual([
    [1, 0, 0],
    [0, 0, 1],
    [0, 0, 2],
  ])
})

test('what came to these hours meanwhile stays, however often', async () => {
  const { fileSystem, catalog } = await makeWorld()
  const busy = meddled(catalog, time => append(fileSystem, catalog, [`late-${time}`]), 5)
  expect(await remove(fileSystem, busy)).toMatchObject({ outcome: 'done' })
  expect(await namesIn(fileSystem)).toEqual(['late-1', 'late-2', 'late-3', 'late-4', 'late-5', 'stays'])
})

test.each<[string, (world: Awaited<ReturnType<typeof makeWorld>>) => Promise<unknown>, RegExp]>([
  [
    'rewrote one of them',
    ({ fileSystem, catalog }) =>
      replaceFiles({
        ...calm,
        fileSystem,
        catalog,
        path: place.path,
        id: 'y',
        last: 1e6,
        hour,
        removed: [toUri('a'), toUri('b')],
        added: [{ ...aFile('ab'), rows: 20 }],
      }),
    /removed or rewrote/,
  ],
  [
    'deleted rows of one',
    ({ fileSystem, catalog }) => addDeletions(fileSystem, catalog, 'equality', hour),
    /deleted rows of/,
  ],
  ['added one once more', ({ fileSystem, catalog }) => append(fileSystem, catalog, ['b']), /once more/],
])('all stay where another writer %s, and the reason is said', async (_, meddle, reason) => {
  const world = await makeWorld()
  const busy = meddled(world.catalog, () => meddle(world), 1)
  expect(await remove(world.fileSystem, busy)).toEqual({
    outcome: 'refused',
    reason: expect.stringMatching(reason),
    mayRefer: false,
  })
  expect(await namesIn(world.fileSystem)).toContain('next')
})

test('after 20 tries at which others were faster it ends, and all stay', async () => {
  const { fileSystem, catalog } = await makeWorld()
  const busy = meddled(catalog, time => append(fileSystem, catalog, [`late-${time}`]), 100)
  expect(await remove(fileSystem, busy)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('20') })
  expect(await namesIn(fileSystem)).toHaveLength(24)
})

test('a file that the table has twice in these hours is named twice, and goes; in another hour it stays', async () => {
  const { fileSystem, catalog } = await makeWorld()
  await append(fileSystem, catalog, ['a'], hour + 1)
  await append(fileSystem, catalog, ['a'], hour + 2)
  expect(await remove(fileSystem, catalog, ['a', 'b'])).toMatchObject({ outcome: 'refused' })
  expect(await remove(fileSystem, catalog, ['a', 'a', 'b'])).toMatchObject({ outcome: 'done' })
  expect(await namesIn(fileSystem)).toEqual(['a', 'next', 'stays'])
})

const all = ['a', 'b', 'next', 'stays']

describe('a removal that is cut short', () => {
  const faults: readonly MemoryFault[] = ['lost-reply', 'torn', new FileSystemError('unavailable', '/', 'away')]
  test.each(faults)('is made once, whichever call goes wrong, when it is tried again: %s', async fault => {
    for (let [failing, isOver] = [0, false]; !isOver; failing++) {
      let calls = Number.NEGATIVE_INFINITY
      const { fileSystem, catalog } = await makeWorld({ fail: () => (calls++ === failing ? fault : undefined) })
      calls = 0
      const first = await remove(fileSystem, catalog).catch(error => error as unknown)
      isOver = calls <= failing
      calls = Number.NEGATIVE_INFINITY
      expect([JSON.stringify(all), '["stays"]'], `call ${failing}`).toContain(JSON.stringify(await namesIn(fileSystem)))
      if (first instanceof Error) expect(await remove(fileSystem, catalog)).toMatchObject({ outcome: 'done' })
      expect(await namesIn(fileSystem), `call ${failing}`).toEqual(['stays'])
      expect((await catalog.load(place.path))?.metadata.snapshots, `call ${failing}`).toHaveLength(4)
    }
  })

  test('is there whole or not at all, whichever call is its last', async () => {
    const seen = new Set<string>()
    for (let [last, isOver] = [0, false]; !isOver; last++) {
      let calls = 0
      const { fileSystem } = await makeWorld({ fail: () => void calls++ })
      const from = calls
      const view = createMortalView<FileSystem>(fileSystem, () => calls > from + last)
      void remove(view, createDirectoryCatalog(view)).then(() => {
        isOver = true
      })
      // Nothing of the memory waits for anything but the next turn.
      for (let turns = 0; turns < 150 && !isOver; turns++) await new Promise<void>(resolve => setImmediate(resolve))
      seen.add((await namesIn(fileSystem)).join(' '))
    }
    expect([...seen]).toEqual([all.join(' '), 'stays'])
  })
})
