import { describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { writeAvroFile } from '../../../../src/formats/avro/container.ts'
import { appendFiles, readManifests } from '../../../../src/tables/append.ts'
import type { Catalog } from '../../../../src/tables/catalog.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import { manifestFileSchema } from '../../../../src/tables/manifest-schemas.ts'
import type { Json } from '../../../../src/tables/members.ts'
import { readLiveFiles } from '../../../../src/tables/replace/live-files.ts'
import { type Repeats, type Replaced, replaceFiles } from '../../../../src/tables/replace/replace-files.ts'
import { readSnapshotFiles } from '../../../../src/tables/snapshot-files.ts'
import { toTablePath } from '../../../../src/tables/table-place.ts'
import { createMemoryFileSystem, type MemoryFault } from '../../../suites/memory-filesystem.ts'
import { createMortalView } from '../../../suites/mortal-view.ts'
import { aFile, calm, makeTable, namesIn, place } from '../a-table.ts'
import { put } from '../parquet-files.ts'
import { addDeletions } from './deletions.ts'

const hour = 490_924
const otherHour = hour + 1

const toUri = (name: string): string => `${place.location}/data/${name}.parquet`

const append = (fileSystem: FileSystem, catalog: Catalog, names: readonly string[], of = hour) =>
  appendFiles({
    ...calm,
    fileSystem,
    catalog,
    path: place.path,
    toAppend: async () => ({ files: names.map(name => aFile(name, of)) }),
  })

type Wish = {
  readonly removed: readonly string[]
  readonly added: string
  readonly rows?: number
  readonly repeats?: Repeats
  readonly last?: number
}

const replace = (
  fileSystem: FileSystem,
  catalog: Catalog,
  { removed, added, rows = 10 * removed.length, repeats, last = 1e6 }: Wish,
): Promise<Replaced> =>
  replaceFiles({
    ...calm,
    fileSystem,
    catalog,
    path: place.path,
    id: added,
    last,
    hour,
    removed: removed.map(toUri),
    added: [{ ...aFile(added, hour), rows }],
    repeats,
  })

/** A table with three files of the hour, one by one, and one of another hour. */
const makeWorld = async (options: Parameters<typeof createMemoryFileSystem>[0] = {}, appends = ['a', 'b', 'c']) => {
  const fileSystem = createMemoryFileSystem(options)
  const catalog = createDirectoryCatalog(fileSystem)
  await makeTable(catalog)
  for (const names of appends) await append(fileSystem, catalog, names.split(' '))
  await append(fileSystem, catalog, ['other'], otherHour)
  return { fileSystem, catalog }
}

const abc = { removed: ['a', 'b', 'c'], added: 'abc' } as const
const compacted = ['abc', 'other']
const separate = ['a', 'b', 'c', 'other']

describe('files of a table that are replaced', () => {
  test('are in it no more, and the new one is, in one snapshot with the totals of Iceberg', async () => {
    const { fileSystem, catalog } = await makeWorld()
    expect(await replace(fileSystem, catalog, abc)).toMatchObject({ outcome: 'done' })
    expect(await namesIn(fileSystem)).toEqual(compacted)
    const metadata = (await catalog.load(place.path))?.metadata
    expect(metadata?.snapshots).toHaveLength(5)
    expect(Object.fromEntries(metadata?.current?.summary ?? [])).toMatchObject({
      operation: 'replace',
      'added-data-files': '1',
      'deleted-data-files': '3',
      'added-records': '30',
      'deleted-records': '30',
      'added-files-size': '1000',
      'removed-files-size': '3000',
      'total-records': '40',
      'total-data-files': '2',
      'total-files-size': '2000',
      'total-delete-files': '0',
      'sluice.replacement-id': 'abc',
    })
  })

  test('leave manifests that say so, until the next replacement; those of other hours stay as they are', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const listed = async () => {
      const table = await catalog.load(place.path)
      if (!table) throw new Error('there is no table')
      const counts = (await readManifests(fileSystem, place, table.metadata)).map(({ uri, json }) => ({
        uri,
        counts: ['added', 'existing', 'deleted'].map(kind => Number(json[`${kind}_files_count`])),
        rows: ['added', 'existing', 'deleted'].map(kind => Number(json[`${kind}_rows_count`])),
        sequences: [Number(json['sequence_number']), Number(json['min_sequence_number'])],
      }))
      return counts
    }
    await append(fileSystem, catalog, ['d', 'e'])
    const before = await listed()
    await replace(fileSystem, catalog, { removed: ['a', 'b', 'c', 'd'], added: 'abcd' })
    const after = await listed()
    expect(after.map(({ counts }) => counts)).toEqual([
      [1, 0, 0],
      [0, 1, 1],
      [1, 0, 0],
      [0, 0, 1],
      [0, 0, 1],
      [0, 0, 1],
    ])
    expect(after.map(({ rows }) => rows)).toEqual([
      [40, 0, 0],
      [0, 10, 10],
      [10, 0, 0],
      [0, 0, 10],
      [0, 0, 10],
      [0, 0, 10],
    ])
    // What stays in a manifest keeps the sequence number by which deletions apply to it.
    expect(after[1]?.sequences).toEqual([6, 5])
    expect(after[2]?.uri).toBe(before[1]?.uri)
    await append(fileSystem, catalog, ['f'])
    await replace(fileSystem, catalog, { removed: ['abcd', 'e'], added: 'abcde', rows: 50 })
    expect((await listed()).map(({ counts }) => counts)).toEqual([
      [1, 0, 0],
      [1, 0, 0],
      [0, 0, 1],
      [0, 0, 1],
      [1, 0, 0],
    ])
    expect(await namesIn(fileSystem)).toEqual(['abcde', 'f', 'other'])
  })

  test('are replaced once, however often that is asked for', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const first = await replace(fileSystem, catalog, abc)
    await append(fileSystem, catalog, ['d'])
    expect(await replace(fileSystem, catalog, abc)).toEqual(first)
    expect(await namesIn(fileSystem)).toEqual(['abc', 'd', 'other'])
  })

  test.each<[string, (world: Awaited<ReturnType<typeof makeWorld>>) => Promise<unknown>]>([
    ['rewrote one of them', ({ fileSystem, catalog }) => replace(fileSystem, catalog, { removed: ['b'], added: 'b2' })],
    [
      'rewrote all of them',
      ({ fileSystem, catalog }) => replace(fileSystem, catalog, { removed: ['a', 'b', 'c'], added: 'abc2' }),
    ],
  ])('stay what another writer made of them, that %s meanwhile', async (_, meddle) => {
    const world = await makeWorld()
    await meddle(world)
    const now = await namesIn(world.fileSystem)
    expect(await replace(world.fileSystem, world.catalog, abc)).toEqual({
      outcome: 'refused',
      reason: expect.stringContaining('another writer removed or rewrote'),
      mayRefer: false,
    })
    expect(await namesIn(world.fileSystem)).toEqual(now)
  })

  test('are replaced by a snapshot of the last number that the lease has, and by none behind it', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const number = (await catalog.load(place.path))?.metadata.lastSequenceNumber ?? 0
    const until = (last: number) => replace(fileSystem, catalog, { ...abc, last })
    expect(await until(number)).toEqual({
      outcome: 'refused',
      reason: expect.stringContaining('too many changes of the table'),
      mayRefer: false,
    })
    expect(await namesIn(fileSystem)).toEqual(separate)
    const done = await until(number + 1)
    expect(done).toMatchObject({ outcome: 'done' })
    // Whatever the number is by then.
    expect(await until(number)).toEqual(done)
  })

  test('are not replaced by fewer or more rows, or those of another hour', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const options = {
      ...calm,
      fileSystem,
      catalog,
      path: place.path,
      id: 'x',
      last: 1e6,
      hour,
      removed: ['a', 'b'].map(toUri),
    }
    await expect(replaceFiles({ ...options, added: [aFile('ab')] })).rejects.toThrow(/expected 20 rows .* found 10/)
    const late = { ...aFile('ab', otherHour), rows: 20 }
    await expect(replaceFiles({ ...options, added: [late] })).rejects.toThrow(/of one hour/)
    expect(await namesIn(fileSystem)).toEqual(separate)
  })
})

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

describe('a path that the table has more than once', () => {
  test('is not replaced where another writer added it once more meanwhile', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const busy = meddled(catalog, () => append(fileSystem, catalog, ['a']), 1)
    expect(await replace(fileSystem, busy, abc)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('added hdfs://somewhere:8020/events/Click/data/a.parquet once more'),
    })
    expect(await namesIn(fileSystem)).toEqual(['a', ...separate])
  })

  test('stays where it is of another hour', async () => {
    const { fileSystem, catalog } = await makeWorld({}, ['b', 'c'])
    await appendFiles({
      ...calm,
      fileSystem,
      catalog,
      path: place.path,
      toAppend: async () => ({ files: [aFile('a', hour), aFile('a', otherHour)] }),
    })
    expect(await replace(fileSystem, catalog, abc)).toMatchObject({ outcome: 'done' })
    expect(await namesIn(fileSystem)).toEqual(['a', ...compacted])
  })
})

/** Leaves the counts of files out of the list of manifests, as older writers of format version 1 did. */
const forgetCounts = async (fileSystem: FileSystem, catalog: Catalog): Promise<void> => {
  const { metadata } = (await catalog.load(place.path)) ?? {}
  if (!metadata?.current) throw new Error('there is no snapshot')
  const manifests = await readManifests(fileSystem, place, metadata)
  const [schema, of] = [manifestFileSchema['fields'], /_(?:files|rows)_count$/]
  const fields = (schema as { readonly name: string }[]).map(field => {
    return of.test(field.name) ? { ...field, type: ['null', 'long'], default: null } : field
  })
  const without = (json: Json): Json =>
    Object.fromEntries(Object.entries(json).map(([name, value]) => [name, of.test(name) ? null : value]))
  const list = writeAvroFile(
    { ...manifestFileSchema, fields },
    {},
    manifests.map(({ json }) => ({ ...without(json) })),
  )
  await fileSystem.delete(toTablePath(place, metadata.current.manifestList))
  await put(fileSystem, toTablePath(place, metadata.current.manifestList), list)
}

test('manifests of which no count is known keep their files, and later lists have the counts', async () => {
  const { fileSystem, catalog } = await makeWorld()
  await forgetCounts(fileSystem, catalog)
  expect(await replace(fileSystem, catalog, { removed: ['a', 'b'], added: 'ab' })).toMatchObject({ outcome: 'done' })
  expect(await namesIn(fileSystem)).toEqual(['ab', 'c', 'other'])
  const table = await catalog.load(place.path)
  const manifests = table ? await readManifests(fileSystem, place, table.metadata) : []
  const counts = manifests.map(({ json }) => [json['added_files_count'], json['added_rows_count']].map(Number))
  expect(counts).toEqual([
    [1, 20],
    [1, 10],
    [1, 10],
    [0, 0],
    [0, 0],
  ])
})

test('a commit that is done, and whose outcome is unknown, keeps what it wrote', async () => {
  const { fileSystem, catalog } = await makeWorld()
  const unsure: Catalog = {
    ...catalog,
    commit: async (table, next) => {
      await catalog.commit(table, next)
      return 'unknown'
    },
  }
  expect(await replace(fileSystem, unsure, { removed: ['a', 'b'], added: 'ab' })).toMatchObject({ outcome: 'done' })
  expect(await namesIn(fileSystem)).toEqual(['ab', 'c', 'other'])
})

test('manifests of which no count is known are read one at a time: each may be large', async () => {
  const { fileSystem, catalog } = await makeWorld()
  await forgetCounts(fileSystem, catalog)
  const { metadata } = (await catalog.load(place.path)) ?? expect.unreachable('there is no table')
  const open = new Set<string>()
  const together: string[][] = []
  const watched: FileSystem = {
    ...fileSystem,
    open: async (path, options) => {
      open.add(path)
      if (open.size > 1) together.push([...open])
      const content = await fileSystem.open(path, options)
      open.delete(path)
      return content
    },
  }
  expect(await readManifests(watched, place, metadata)).toHaveLength(4)
  expect(together).toEqual([])
})

describe('rows that repeat others', () => {
  const repeats: Repeats = { rows: 3, beside: [toUri('c')], isUnread: uri => uri === toUri('merged') }
  const ab = { removed: ['a', 'b'], added: 'ab', rows: 17, repeats } as const

  test('are dropped, which the snapshot says', async () => {
    const { fileSystem, catalog } = await makeWorld()
    expect(await replace(fileSystem, catalog, ab)).toMatchObject({ outcome: 'done' })
    expect(await namesIn(fileSystem)).toEqual(['ab', 'c', 'other'])
    expect(Object.fromEntries((await catalog.load(place.path))?.metadata.current?.summary ?? [])).toMatchObject({
      operation: 'overwrite',
      'sluice.repeated-rows': '3',
      'added-records': '17',
      'deleted-records': '20',
      'total-records': '37',
    })
  })

  test('and nothing of files is left where there are but repeats', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const options = { ...calm, fileSystem, catalog, path: place.path, id: 'x', last: 1e6, hour, added: [] }
    const all = { ...repeats, rows: 20 }
    expect(await replaceFiles({ ...options, removed: ['a', 'b'].map(toUri), repeats: all })).toMatchObject({
      outcome: 'done',
    })
    expect(await namesIn(fileSystem)).toEqual(['c', 'other'])
  })

  test('are no more and no less than was said', async () => {
    const { fileSystem, catalog } = await makeWorld()
    for (const rows of [2, 4])
      await expect(replace(fileSystem, catalog, { ...ab, repeats: { ...repeats, rows } })).rejects.toThrow(/found 17/)
    expect(await namesIn(fileSystem)).toEqual(separate)
  })

  test.each(['positions', 'equality'] as const)('stay where a deletion by %s applies to the others', async kind => {
    const { fileSystem, catalog } = await makeWorld({}, ['c'])
    await addDeletions(fileSystem, catalog, kind, hour)
    await append(fileSystem, catalog, ['a', 'b'])
    const reason = expect.stringMatching(/deleted rows of .*c\.parquet/)
    expect(await replace(fileSystem, catalog, ab)).toMatchObject({ outcome: 'refused', reason })
    expect(await namesIn(fileSystem)).toEqual(expect.arrayContaining(separate))
  })

  test.each<[string, RegExp, (world: Awaited<ReturnType<typeof makeWorld>>) => Promise<unknown>]>([
    [
      'rewrote the file that has the others',
      /rewrote .*c\.parquet/,
      ({ fileSystem, catalog }) => replace(fileSystem, catalog, { removed: ['c'], added: 'c2' }),
    ],
    ['added it once more', /c\.parquet once more/, ({ fileSystem, catalog }) => append(fileSystem, catalog, ['c'])],
    [
      'added a file that may have further ones',
      /another compaction made .*merged\.parquet/,
      ({ fileSystem, catalog }) => append(fileSystem, catalog, ['merged']),
    ],
  ])('stay where another writer %s, also just before the commit', async (_, reason, meddle) => {
    for (const times of [0, 1]) {
      const world = await makeWorld()
      if (times === 0) await meddle(world)
      const busy = meddled(world.catalog, () => meddle(world), times)
      expect(await replace(world.fileSystem, busy, ab)).toMatchObject({
        outcome: 'refused',
        reason: expect.stringMatching(reason),
      })
      expect(await namesIn(world.fileSystem)).toEqual(expect.arrayContaining(['a', 'b']))
    }
  })
})

describe('files with rows that another writer deletes', () => {
  test.each(['positions', 'equality'] as const)('stay where a deletion by %s applies to one', async kind => {
    const { fileSystem, catalog } = await makeWorld()
    await addDeletions(fileSystem, catalog, kind, hour)
    expect(await replace(fileSystem, catalog, abc)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('deleted rows of'),
    })
  })

  test.each(['positions', 'equality'] as const)(
    'are replaced where the deletion by %s is of another hour',
    async kind => {
      const { fileSystem, catalog } = await makeWorld()
      await addDeletions(fileSystem, catalog, kind, otherHour)
      expect(await replace(fileSystem, catalog, abc)).toMatchObject({ outcome: 'done' })
    },
  )

  test('are replaced where they came after the deletion, which does not apply to the new one either', async () => {
    const { fileSystem, catalog } = await makeWorld()
    await addDeletions(fileSystem, catalog, 'equality', hour)
    await append(fileSystem, catalog, ['d'])
    await append(fileSystem, catalog, ['e'])
    const { removed, added } = { removed: ['d', 'e'], added: 'de' }
    expect(await replace(fileSystem, catalog, { removed, added })).toMatchObject({ outcome: 'done' })
    const table = await catalog.load(place.path)
    const files =
      table && (await readLiveFiles(readSnapshotFiles(fileSystem, place), table, { from: hour, to: hour + 1 }))
    expect(files?.map(({ uri, hasDeletes }) => [uri, hasDeletes])).toEqual([
      [toUri('a'), true],
      [toUri('b'), true],
      [toUri('c'), true],
      [toUri('de'), false],
    ])
  })
})

describe('a replacement beside other writers', () => {
  test('ends where others are always faster, or when it is stopped, and says so', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const stop = new AbortController()
    const busy = meddled(catalog, time => append(fileSystem, catalog, [`late-${time}`]), 100)
    const options = { ...calm, fileSystem, path: place.path, id: 'x', last: 1e6, hour, removed: ['a', 'b'].map(toUri) }
    const added = [{ ...aFile('ab'), rows: 20 }]
    expect(await replaceFiles({ ...options, catalog: busy, added })).toEqual({
      outcome: 'refused',
      reason: '/events/Click: other writers were faster 20 times',
      mayRefer: false,
    })
    stop.abort()
    const stopped = { outcome: 'refused', reason: 'it was stopped', mayRefer: false }
    expect(await replaceFiles({ ...options, catalog, added, signal: stop.signal })).toEqual(stopped)
  })

  test('keeps all that was appended meanwhile', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const busy = meddled(catalog, time => append(fileSystem, catalog, [`late-${time}`]), 5)
    expect(await replace(fileSystem, busy, abc)).toMatchObject({ outcome: 'done' })
    expect(await namesIn(fileSystem)).toEqual(['abc', 'late-1', 'late-2', 'late-3', 'late-4', 'late-5', 'other'])
  })

  test('gives up where one of the files was rewritten, just before its commit, and leaves no metadata', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const rewrite = () => replace(fileSystem, catalog, { removed: ['a', 'b'], added: 'ab' })
    const listed = async (): Promise<string[]> => {
      const names: string[] = []
      for await (const part of fileSystem.listStatus(`${place.path}/metadata`))
        for (const { path } of part) names.push(path)
      return names
    }
    const other = meddled(
      catalog,
      async () => {
        await rewrite()
        left = await listed()
      },
      1,
    )
    let left: string[] = []
    expect(await replace(fileSystem, other, abc)).toMatchObject({ outcome: 'refused' })
    expect(await namesIn(fileSystem)).toEqual(['ab', 'c', 'other'])
    // The five files of the try are gone: those of the manifests, and their list.
    expect(left.length - (await listed()).length).toBe(5)
  })

  test('of two at once one wins, and each row is there once', async () => {
    const { fileSystem, catalog } = await makeWorld()
    const outcomes = await Promise.all(
      ['x', 'y'].map(added => replace(fileSystem, catalog, { removed: ['a', 'b', 'c'], added })),
    )
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['done', 'refused'])
    expect(await namesIn(fileSystem)).toEqual(['other', outcomes[0]?.outcome === 'done' ? 'x' : 'y'])
  })
})

/** Whether readers see each row once: nothing of the replacement, or all of it. */
const isWhole = (names: readonly string[]): boolean =>
  [separate, compacted].some(state => JSON.stringify(state) === JSON.stringify(names))

describe('a replacement that is cut short', () => {
  const faults: readonly MemoryFault[] = ['lost-reply', 'torn', new FileSystemError('unavailable', '/', 'away')]
  test.each(faults)('is made once, whichever call goes wrong, when it is tried again: %s', async fault => {
    for (let [failing, isOver] = [0, false]; !isOver; failing++) {
      let calls = Number.NEGATIVE_INFINITY
      const fail = () => (calls++ === failing ? fault : undefined)
      const { fileSystem, catalog } = await makeWorld({ fail }, ['a b', 'c'])
      calls = 0
      const first = await replace(fileSystem, catalog, abc).catch(error => error as unknown)
      isOver = calls <= failing
      calls = Number.NEGATIVE_INFINITY
      expect(isWhole(await namesIn(fileSystem)), `call ${failing}`).toBe(true)
      if (first instanceof Error) expect(await replace(fileSystem, catalog, abc)).toMatchObject({ outcome: 'done' })
      expect(await namesIn(fileSystem), `call ${failing}`).toEqual(compacted)
    }
  })

  test('is there whole or not at all, whichever call is its last, and another one makes it', async () => {
    let [before, after] = [0, 0]
    for (let [last, isOver] = [0, false]; !isOver; last++) {
      let calls = 0
      const { fileSystem } = await makeWorld({ fail: () => void calls++ }, ['a b', 'c'])
      const catalog = createDirectoryCatalog(fileSystem)
      const from = calls
      const view = createMortalView<FileSystem>(fileSystem, () => calls > from + last)
      void replace(view, createDirectoryCatalog(view), abc).then(() => {
        isOver = true
      })
      // Nothing of the memory waits for anything but the next turn.
      for (let turns = 0; turns < 150 && !isOver; turns++) await new Promise<void>(resolve => setImmediate(resolve))
      const names = await namesIn(fileSystem)
      expect(isWhole(names), `after ${last} calls`).toBe(true)
      if (names.includes('abc')) after++
      else before++
      // The files of another one are refused where it was made, and those of its own are found.
      const other = await replace(fileSystem, catalog, { ...abc, added: 'again' })
      expect(other.outcome).toBe(names.includes('abc') ? 'refused' : 'done')
      expect((await namesIn(fileSystem)).length).toBe(2)
    }
    expect(before).toBeGreaterThan(5)
    expect(after).toBeGreaterThan(1)
  })
})
