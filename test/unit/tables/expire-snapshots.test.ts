import { describe, expect, test } from 'vitest'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import { appendFiles } from '../../../src/tables/append.ts'
import { checkTable } from '../../../src/tables/check-table.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { expireSnapshots } from '../../../src/tables/expiry/expire-snapshots.ts'
import { readSnapshotFiles } from '../../../src/tables/snapshot-files.ts'
import { toTablePath } from '../../../src/tables/table-place.ts'
import { listAll } from '../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { aFile, calm, makeTable, place } from './a-table.ts'
import { append, load, replaceAll } from './grown-table.ts'
import { put } from './parquet-files.ts'

const { path } = place
const hourMs = 3_600_000

const start = calm.now()

/** A table of 5 files, which are replaced, and 12 more; an hour between each. */
const build = async (fileSystem: FileSystem): Promise<void> => {
  await makeTable(createDirectoryCatalog(fileSystem))
  for (let i = 1; i <= 5; i++) await append(fileSystem, `old-${i}`, start + i * hourMs)
  await replaceAll(fileSystem, 'all', start + 6 * hourMs)
  for (let i = 7; i <= 18; i++) await append(fileSystem, `new-${i}`, start + i * hourMs)
}

const expire = (fileSystem: FileSystem, olderThanMs = hourMs, isTrial = false) =>
  expireSnapshots({
    ...calm,
    now: () => start + 20 * hourMs,
    fileSystem,
    catalog: createDirectoryCatalog(fileSystem),
    path,
    olderThanMs,
    isTrial,
  })

/** What snapshots could refer to, and none that is left does. */
const findUnreferenced = async (fileSystem: FileSystem): Promise<string[]> => {
  const { place, metadata } = await load(fileSystem)
  const files = readSnapshotFiles(fileSystem, place)
  const needed = new Set<string>()
  for (const snapshot of metadata.snapshots) {
    needed.add(toTablePath(place, snapshot.manifestList))
    for (const manifest of await files.manifests(snapshot)) {
      needed.add(toTablePath(place, manifest.uri))
      for (const { file } of await files.entries(manifest)) needed.add(toTablePath(place, file.text('file_path')))
    }
  }
  return [...(await readAll(fileSystem, path)).keys()].filter(file => /avro|parquet/.test(file) && !needed.has(file))
}

/** All files below a directory. */
const readAll = async (fileSystem: FileSystem, directory: string): Promise<ReadonlyMap<string, Uint8Array>> => {
  const found = new Map<string, Uint8Array>()
  for (const { path, isDirectory } of await listAll(fileSystem, directory))
    if (isDirectory) for (const [file, bytes] of await readAll(fileSystem, path)) found.set(file, bytes)
    else found.set(path, new Uint8Array(await new Response(await fileSystem.open(path)).arrayBuffer()))
  return found
}

const dataNames = async (fileSystem: FileSystem): Promise<string[]> =>
  (await listAll(fileSystem, `${path}/data`)).map(({ path }) => baseName(path))

const problemsOf = async (fileSystem: FileSystem) =>
  (await checkTable(fileSystem, await load(fileSystem), () => {})).findings.filter(({ level }) => level === 'problem')

describe('old snapshots', () => {
  test('go, with the files that no other needs; the last 10 stay', async () => {
    const fileSystem = createMemoryFileSystem()
    await build(fileSystem)
    const trial = await expire(fileSystem, hourMs, true)
    expect(trial).toMatchObject({ snapshots: 8, kept: 10, dataFiles: 5, outside: [] })
    expect(await dataNames(fileSystem)).toHaveLength(18)
    expect(await expire(fileSystem)).toEqual(trial)
    const names = await dataNames(fileSystem)
    expect(names.filter(name => name.startsWith('old'))).toEqual([])
    expect(names).toHaveLength(13)
    const { metadata, version } = await load(fileSystem)
    expect(metadata.snapshots).toHaveLength(10)
    expect(metadata.json['snapshot-log']).toHaveLength(10)
    expect(metadata.json['metadata-log']).toHaveLength(10)
    const left = (await listAll(fileSystem, `${path}/metadata`)).map(({ path }) => baseName(path))
    expect(left.filter(name => name.endsWith('.json'))).toHaveLength(11)
    expect(left).toContain(`v${(version ?? 0) - 10}.metadata.json`)
    expect(left.filter(name => name.startsWith('snap-'))).toHaveLength(10)
    expect(await problemsOf(fileSystem)).toEqual([])
    // The next one finds nothing to do.
    expect(await expire(fileSystem)).toMatchObject({ snapshots: 0, dataFiles: 0, manifests: 0 })
  })

  test('go without the files of manifests that were merged since: they are in another one', async () => {
    const fileSystem = createMemoryFileSystem()
    await makeTable(createDirectoryCatalog(fileSystem))
    // At 100 small manifests one takes their place; the last 10 snapshots have that one only.
    for (let i = 1; i <= 115; i++) await append(fileSystem, `f-${i}`, start + i)
    const report = await expire(fileSystem)
    expect(report).toMatchObject({ snapshots: 105, dataFiles: 0 })
    expect(report.manifests).toBeGreaterThan(105 + 90)
    expect(await dataNames(fileSystem)).toHaveLength(115)
    expect(await problemsOf(fileSystem)).toEqual([])
  })

  test('go, and all of their files, wherever an earlier call was cut short', async () => {
    const built = createMemoryFileSystem()
    await build(built)
    const files = await readAll(built, path)
    let wasReached = true
    for (let last = 0; wasReached; last++) {
      let calls = 0
      let isOn = true
      const fail = () => (isOn && calls++ >= last ? new FileSystemError('unavailable', '/', 'killed') : undefined)
      // All is old enough for what commits leave to go.
      const fileSystem = createMemoryFileSystem({ fail, now: () => start })
      isOn = false
      for (const [file, bytes] of files) await put(fileSystem, file, bytes)
      isOn = true
      await expire(fileSystem).catch(() => {})
      isOn = false
      wasReached = calls > last
      await append(fileSystem, 'later', start + 20 * hourMs)
      await expire(fileSystem)
      expect(await problemsOf(fileSystem), `after ${last} calls`).toEqual([])
      expect(await findUnreferenced(fileSystem), `after ${last} calls`).toEqual([])
      expect((await load(fileSystem)).metadata.snapshots).toHaveLength(10)
    }
  })

  test('of a table that only grows go without a look at its files', async () => {
    let manifests = 0
    const fileSystem = createMemoryFileSystem({
      fail: (operation, file) => void (operation === 'open' && /-m\d+\.avro$/.test(file) && manifests++),
    })
    await makeTable(createDirectoryCatalog(fileSystem))
    for (let i = 1; i <= 30; i++) await append(fileSystem, `f-${i}`, start + i)
    manifests = 0
    expect(await expire(fileSystem)).toMatchObject({ snapshots: 20, dataFiles: 0 })
    expect(manifests).toBe(0)
    expect(await findUnreferenced(fileSystem)).toEqual([])
  })

  test('stay where they are young enough', async () => {
    const fileSystem = createMemoryFileSystem()
    await build(fileSystem)
    expect(await expire(fileSystem, 20 * hourMs)).toMatchObject({ snapshots: 0, dataFiles: 0, metadataFiles: 0 })
    expect(await expire(fileSystem, 14 * hourMs)).toMatchObject({ snapshots: 5, kept: 13 })
  })

  test('that a tag refers to stay, with their files', async () => {
    const fileSystem = createMemoryFileSystem()
    await build(fileSystem)
    const table = await load(fileSystem)
    const [, second] = table.metadata.snapshots
    const refs = {
      ...(table.metadata.json['refs'] as object),
      march: { type: 'tag', 'snapshot-id': Number(second?.id) },
    }
    await createDirectoryCatalog(fileSystem).commit(table, { ...table.metadata.json, refs })
    expect(await expire(fileSystem)).toMatchObject({ snapshots: 7, dataFiles: 3 })
    expect(await dataNames(fileSystem)).toEqual(expect.arrayContaining(['old-1.parquet', 'old-2.parquet']))
  })

  test('leave files outside of the table alone', async () => {
    const fileSystem = createMemoryFileSystem()
    await makeTable(createDirectoryCatalog(fileSystem))
    const elsewhere = 'hdfs://somewhere:8020/other/x.parquet'
    await put(fileSystem, '/other/x.parquet', new Uint8Array(1))
    await appendFiles({
      ...calm,
      fileSystem,
      catalog: createDirectoryCatalog(fileSystem),
      path,
      toAppend: async () => ({ files: [{ ...aFile('x'), uri: elsewhere }] }),
    })
    await replaceAll(fileSystem, 'all', start)
    for (let i = 1; i <= 10; i++) await append(fileSystem, `new-${i}`, start + i)
    expect(await expire(fileSystem)).toMatchObject({ dataFiles: 0, outside: [elsewhere] })
    expect(await fileSystem.getFileStatus('/other/x.parquet')).toMatchObject({ length: 1 })
  })

  test.each(['lost-reply', new FileSystemError('unavailable', '/', 'away')] as const)(
    'go without a file that is needed, whichever call goes wrong beside a writer: %s',
    async fault => {
      const built = createMemoryFileSystem()
      await build(built)
      const files = await readAll(built, path)
      let wasReached = true
      for (let failing = 0; wasReached; failing++) {
        let calls = 0
        let isOn = false
        const fail = () => (isOn && calls++ === failing ? fault : undefined)
        const fileSystem = createMemoryFileSystem({ fail, now: () => start })
        for (const [file, bytes] of files) await put(fileSystem, file, bytes)
        isOn = true
        await Promise.all([
          expire(fileSystem).catch(() => {}),
          append(fileSystem, 'beside', start + 20 * hourMs).catch(() => {}),
        ])
        isOn = false
        wasReached = calls > failing
        expect(await problemsOf(fileSystem), `call ${failing}`).toEqual([])
        // Also the oldest that is left can be read.
        const table = await load(fileSystem)
        const [current] = table.metadata.snapshots
        const { findings } = await checkTable(
          fileSystem,
          { ...table, metadata: { ...table.metadata, current } },
          () => {},
        )
        expect(
          findings.filter(({ level }) => level === 'problem'),
          `call ${failing}`,
        ).toEqual([])
      }
    },
  )
})
