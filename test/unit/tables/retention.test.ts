import { expect, test } from 'vitest'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { expireSnapshots } from '../../../src/tables/expiry/expire-snapshots.ts'
import type { Json } from '../../../src/tables/members.ts'
import { toMetadata } from '../../../src/tables/metadata.ts'
import { createMemoryFileSystem, type MemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { calm, makeTable, place } from './a-table.ts'
import { append, load } from './grown-table.ts'
import { put } from './parquet-files.ts'

const hour = 3_600_000
const { path } = place

/** A table with a snapshot an hour. */
const grow = async (snapshots: number): Promise<MemoryFileSystem> => {
  const fileSystem = createMemoryFileSystem()
  await makeTable(createDirectoryCatalog(fileSystem))
  for (let i = 0; i < snapshots; i++) await append(fileSystem, `f-${i}`, calm.now() + i * hour)
  return fileSystem
}

const change = async (fileSystem: MemoryFileSystem, toNext: (json: Json) => Json): Promise<void> => {
  const table = await load(fileSystem)
  const next = toMetadata({ ...table.metadata.json, ...toNext(table.metadata.json) }, 'next').json
  expect(await createDirectoryCatalog(fileSystem).commit(table, next)).toBe('done')
}

const expire = (fileSystem: MemoryFileSystem, snapshots: number) =>
  expireSnapshots({
    ...calm,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path,
    olderThanMs: 5 * hour,
    now: () => calm.now() + snapshots * hour,
    isTrial: false,
  })

const ofBranch = (more: Json) => (json: Json) => {
  const { main } = json['refs'] as { readonly main: Json }
  return { refs: { main: { ...main, ...more } } }
}
const ofTable = (more: Json) => (json: Json) => ({ properties: { ...(json['properties'] as Json), ...more } })

test.each<[string, (json: Json) => Json, number]>([
  ['nothing of its own', () => ({}), 10],
  ['a number for its branch', ofBranch({ 'min-snapshots-to-keep': 17 }), 17],
  ['a lower number for its branch', ofBranch({ 'min-snapshots-to-keep': 2 }), 10],
  ['an age for its branch', ofBranch({ 'max-snapshot-age-ms': 20 * hour }), 20],
  ['a number of its own', ofTable({ 'history.expire.min-snapshots-to-keep': '17' }), 17],
  ['an age of its own', ofTable({ 'history.expire.max-snapshot-age-ms': String(20 * hour) }), 20],
])('a table with %s keeps what it says', async (_, toNext, kept) => {
  const fileSystem = await grow(30)
  await change(fileSystem, toNext)
  await expire(fileSystem, 30)
  expect((await load(fileSystem)).metadata.snapshots).toHaveLength(kept)
})

test('nothing is deleted of a table of which nothing may be', async () => {
  const fileSystem = await grow(20)
  await change(fileSystem, ofTable({ 'gc.enabled': 'false' }))
  await expect(expire(fileSystem, 20)).rejects.toThrow('the table property gc.enabled is false')
  expect((await load(fileSystem)).metadata.snapshots).toHaveLength(20)
})

test('figures that a snapshot that stays shares with one that goes stay', async () => {
  const fileSystem = await grow(20)
  const file = `${place.location}/metadata/s.puffin`
  await put(fileSystem, `${path}/metadata/s.puffin`, new Uint8Array(10))
  const [first, last] = [0, 19]
  const { snapshots } = (await load(fileSystem)).metadata
  const toFigures = (at: number): Json => ({ 'snapshot-id': snapshots[at]?.id ?? 0n, 'statistics-path': file })
  await change(fileSystem, () => ({ statistics: [toFigures(first), toFigures(last)] }))
  await expire(fileSystem, 20)
  expect((await load(fileSystem)).metadata.json['statistics']).toHaveLength(1)
  expect((await fileSystem.getFileStatus(`${path}/metadata/s.puffin`)).length).toBe(10)
})

const aYear = 365 * 24 * hour

/** As {@link grow}, but that the clock of the writer of some is a year ahead. */
const growBy = async (snapshots: number, isAhead: (i: number) => boolean): Promise<MemoryFileSystem> => {
  const fileSystem = createMemoryFileSystem()
  await makeTable(createDirectoryCatalog(fileSystem))
  for (let i = 0; i < snapshots; i++)
    await append(fileSystem, `f-${i}`, calm.now() + i * hour + (isAhead(i) ? aYear : 0))
  return fileSystem
}

test.each<[string, (i: number) => boolean]>([
  ['one', i => i === 7],
  ['the first', i => i === 0],
  ['each second one', i => i % 2 === 0],
  ['the last', i => i === 39],
])('snapshots go in their time where the clock that made %s was a year ahead', async (_, isAhead) => {
  const fileSystem = await growBy(40, isAhead)
  const before = await load(fileSystem)
  const dates = before.metadata.snapshots.map(({ timestampMs }) => timestampMs)
  // Other programs refuse a table whose dates go back.
  expect(dates).toEqual(dates.toSorted((a, b) => a - b))
  const { kept } = await expireSnapshots({
    ...calm,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path,
    olderThanMs: 20 * hour,
    now: () => calm.now() + 40 * hour,
    isTrial: false,
  })
  expect([20, 21]).toContain(kept)
  expect((await load(fileSystem)).metadata.snapshots).toEqual(before.metadata.snapshots.slice(-kept))
})

test('a clock that is behind does not take the dates of others for wrong ones: nothing goes', async () => {
  const fileSystem = await grow(30)
  await expire(fileSystem, -1_000)
  expect((await load(fileSystem)).metadata.snapshots).toHaveLength(30)
})
