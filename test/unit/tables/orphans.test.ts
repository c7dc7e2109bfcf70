/** What commits leave that are cut short, and the expiry that removes it an hour later. */
import { describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import { nextTurn } from '../../../src/runtime/next-turn.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import type { Catalog } from '../../../src/tables/catalog.ts'
import { checkTable } from '../../../src/tables/check-table.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { expireSnapshots } from '../../../src/tables/expiry/expire-snapshots.ts'
import { createRestCatalog } from '../../../src/tables/rest/rest-catalog.ts'
import { readSnapshotFiles } from '../../../src/tables/snapshot-files.ts'
import { toTablePath } from '../../../src/tables/table-place.ts'
import { type CatalogFault, startFakeCatalog } from '../../suites/fake-rest-catalog.ts'
import { listAll } from '../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createMortalView, createSleepyView } from '../../suites/mortal-view.ts'
import { aFile, calm, makeTable, namesIn, place, plainCatalog } from './a-table.ts'
import { put } from './parquet-files.ts'

const { path } = place
const hourMs = 3_600_000

const createClock = () => ({ ms: calm.now() })
type Clock = ReturnType<typeof createClock>

/** Makes it, and files that it may get. */
const createTable = async (fileSystem: FileSystem, catalog: Catalog): Promise<void> => {
  await makeTable(catalog)
  for (const name of ['a1', 'a2', 'b99', ...Array.from({ length: 15 }, (_, i) => `b${i + 1}`)])
    await put(fileSystem, `${path}/data/${name}.parquet`, new Uint8Array(1_000))
}

/** Appends a file once, by a collector. */
const append = async (fileSystem: FileSystem, catalog: Catalog, name: string, { ms }: Clock): Promise<void> => {
  await appendFiles({
    ...calm,
    now: () => ms,
    writer: name.startsWith('a') ? 'aa'.repeat(16) : 'bb'.repeat(16),
    fileSystem,
    catalog,
    path,
    toAppend: async ({ properties }) =>
      properties.has(`done.${name}`)
        ? undefined
        : { files: [aFile(name)], properties: new Map([[`done.${name}`, '']]) },
  })
}

/** As a collector does that hears no answer, or finds its temporary file gone: again. */
const insist = async (once: () => Promise<unknown>): Promise<void> => {
  for (let left = 30; ; left--) {
    try {
      await once()
      return
    } catch (error) {
      if (left === 0 || !(error instanceof FileSystemError)) throw error
    }
  }
}

const expire = (fileSystem: FileSystem, catalog: Catalog, { ms }: Clock, more: { readonly isTrial?: boolean } = {}) =>
  expireSnapshots({ ...calm, isTrial: false, ...more, now: () => ms, fileSystem, catalog, path, olderThanMs: hourMs })

const namesBelow = async (fileSystem: FileSystem): Promise<string[]> =>
  (await listAll(fileSystem, `${path}/metadata`)).map(file => baseName(file.path))

/** Files of metadata that nothing refers to. */
const findOrphans = async (fileSystem: FileSystem, catalog: Catalog): Promise<string[]> => {
  const table = await catalog.load(path)
  if (!table) throw new Error('there is no table')
  const needed = new Set<string>()
  for (const snapshot of table.metadata.snapshots) {
    needed.add(baseName(toTablePath(table.place, snapshot.manifestList)))
    for (const { uri } of await readSnapshotFiles(fileSystem, table.place).manifests(snapshot))
      needed.add(baseName(uri))
  }
  return (await namesBelow(fileSystem)).filter(
    name => !/^v(\d+\.metadata\.json|ersion-hint\.text)$/.test(name) && !needed.has(name),
  )
}

/** What is wrong with the oldest snapshot, and the current one. */
const findProblems = async (fileSystem: FileSystem, catalog: Catalog) => {
  const table = await catalog.load(path)
  if (!table) throw new Error('there is no table')
  const both = [table.metadata.snapshots[0], table.metadata.current].map(async current => {
    const { findings } = await checkTable(fileSystem, { ...table, metadata: { ...table.metadata, current } }, () => {})
    return findings.filter(({ level }) => level === 'problem')
  })
  return (await Promise.all(both)).flat()
}

/** Nothing of the memory waits for anything but the next turn. */
const workOn = async (isOver: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 400 && !isOver(); turns++) await nextTurn()
}

describe('what a commit has left goes an hour later, and nothing that a snapshot has', () => {
  test('where its writer died at any call', async () => {
    let isOver = false
    let orphans = 0
    for (let last = 0; !isOver; last++) {
      const clock = createClock()
      let calls = 0
      const fileSystem = createMemoryFileSystem({ fail: () => void calls++, now: () => clock.ms })
      const catalog = createDirectoryCatalog(fileSystem)
      await createTable(fileSystem, catalog)
      for (const name of ['a1', 'b1']) await append(fileSystem, catalog, name, clock)
      const from = calls
      const mortal = createMortalView(fileSystem, () => calls > from + last)
      void append(mortal, createDirectoryCatalog(mortal), 'a2', clock).then(() => {
        isOver = true
      })
      await workOn(() => isOver)
      // It is started again.
      await append(fileSystem, catalog, 'a2', clock)
      const left = await findOrphans(fileSystem, catalog)
      orphans += left.length
      await expire(fileSystem, catalog, clock)
      expect(await findOrphans(fileSystem, catalog), `${last}, at once`).toEqual(left)
      clock.ms += hourMs + 1
      expect(await expire(fileSystem, catalog, clock, { isTrial: true })).toMatchObject({ orphans: left.length })
      expect(await findOrphans(fileSystem, catalog), `${last}, by a trial`).toEqual(left)
      expect(await expire(fileSystem, catalog, clock)).toMatchObject({ orphans: left.length, manifests: 0 })
      expect(await findOrphans(fileSystem, catalog), `after ${last} calls`).toEqual([])
      expect(await findProblems(fileSystem, catalog), `after ${last} calls`).toEqual([])
      expect(await namesIn(fileSystem)).toEqual(['a1', 'a2', 'b1'])
    }
    expect(orphans).toBeGreaterThan(5)
  })

  test.each([
    ['that stays alone', []],
    ['behind which another one commits', ['b2']],
    ['behind which the table has forgotten all that it knew', Array.from({ length: 14 }, (_, i) => `b${i + 2}`)],
  ])('where its writer slept for hours before any call, one %s', async (_, others) => {
    let isOver = false
    for (let last = 0; !isOver; last++) {
      const clock = createClock()
      const { promise: awake, resolve: wake } = Promise.withResolvers<void>()
      const memory = createMemoryFileSystem({ now: () => clock.ms })
      const catalog = createDirectoryCatalog(memory)
      await createTable(memory, catalog)
      for (const name of ['a1', 'b1']) await append(memory, catalog, name, clock)
      let calls = 0
      const sleepy = createSleepyView(memory, () => (calls++ === last ? awake : undefined))
      const asleep = insist(() => append(sleepy, createDirectoryCatalog(sleepy), 'a2', clock)).then(() => {
        isOver = calls <= last
      })
      await workOn(() => isOver)
      clock.ms += 2 * hourMs
      for (const name of others) await append(memory, catalog, name, clock)
      clock.ms += 2 * hourMs
      await expire(memory, catalog, clock)
      wake()
      await asleep
      expect(await findProblems(memory, catalog), `slept before call ${last}`).toEqual([])
      expect(await namesIn(memory)).toEqual(['a1', 'b1', 'a2', ...others].toSorted())
      await append(memory, catalog, 'b99', clock)
      clock.ms += 2 * hourMs
      await expire(memory, catalog, clock)
      expect(await findOrphans(memory, catalog), `slept before call ${last}`).toEqual([])
      expect(await findProblems(memory, catalog), `slept before call ${last}`).toEqual([])
    }
  })

  test('where the table is that of a REST catalog, which answers nothing', async () => {
    const clock = createClock()
    let fault: CatalogFault | undefined
    const fake = await startFakeCatalog({ fail: ({ method }) => (method === 'POST' ? fault : undefined) })
    const fileSystem = { ...createMemoryFileSystem({ now: () => clock.ms }), url: 'hdfs://somewhere:8020' }
    const catalog = createRestCatalog(fileSystem, { ...plainCatalog, uri: fake.url })
    await createTable(fileSystem, catalog)
    fault = { status: 503 }
    await expect(append(fileSystem, catalog, 'a1', clock)).rejects.toThrow()
    await expect(append(fileSystem, catalog, 'a1', clock)).rejects.toThrow()
    fault = undefined
    const left = await findOrphans(fileSystem, catalog)
    expect(left).toHaveLength(4)
    clock.ms += 2 * hourMs
    // A commit of theirs could still follow.
    expect(await expire(fileSystem, catalog, clock)).toMatchObject({ orphans: 0 })
    await append(fileSystem, catalog, 'a1', clock)
    expect(await expire(fileSystem, catalog, clock)).toMatchObject({ orphans: 4 })
    expect(await findOrphans(fileSystem, catalog)).toEqual([])
    expect(await findProblems(fileSystem, catalog)).toEqual([])
  })
})

test('files of other names, of others and of snapshots to come stay, whatever their age', async () => {
  const clock = createClock()
  const fileSystem = createMemoryFileSystem({ now: () => clock.ms })
  const catalog = createDirectoryCatalog(fileSystem)
  await createTable(fileSystem, catalog)
  await append(fileSystem, catalog, 'a1', clock)
  const [id, mark] = ['ab'.repeat(16), '0123456789abcdef']
  const uuid = '5f0e3a0c-0d5c-4d4e-9d2b-111111111111'
  const gone = [
    `${id}-1-${mark}-m0.avro`,
    `${id}-0-${mark}-m1.avro`,
    `import-1-${mark}-m0.avro`,
    `snap-7-1-${id}-1-${mark}.avro`,
    '.sluice-0123456789abcdef01234567.tmp',
  ]
  const stays = [
    `${id}-2-${mark}-m0.avro`,
    `snap-7-1-${id}-2-${mark}.avro`,
    `snap-7-2-${id}-1-${mark}.avro`,
    `${uuid}-m0.avro`,
    `snap-7-1-${uuid}.avro`,
    `${mark}-m0.avro`,
    `${id}-1-${mark}-m0.avro.tmp`,
    `x${id}-1-${mark}-m0.avro`,
    `export-1-${mark}-m0.avro`,
    `.sluice-${mark}.part`,
    `.v2.metadata.json.crc`,
    `${uuid}.puffin`,
  ]
  for (const name of [...gone, ...stays, `${id}-1-${mark}-m2.avro/within`])
    await put(fileSystem, `${path}/metadata/${name}`, new Uint8Array(1))
  await put(fileSystem, `${path}/data/${gone[0]}`, new Uint8Array(1))
  clock.ms += 1_000 * hourMs
  await put(fileSystem, `${path}/metadata/${gone[0]?.replace(mark, 'f'.repeat(16))}`, new Uint8Array(1))
  const before = await namesBelow(fileSystem)
  expect(await expire(fileSystem, catalog, clock)).toMatchObject({ orphans: gone.length })
  expect(before.filter(name => gone.includes(name))).toHaveLength(gone.length)
  expect(await namesBelow(fileSystem)).toEqual(before.filter(name => !gone.includes(name)))
  expect(await fileSystem.getFileStatus(`${path}/data/${gone[0]}`)).toMatchObject({ length: 1 })
})
