/** What a compaction leaves that is killed, stopped for days or without an answer, and the expiry that removes it a day later. */
import { describe, expect, test } from 'vitest'
import { compactHour } from '../../../src/compaction/compact-hour.ts'
import { planCompaction } from '../../../src/compaction/plan-compaction.ts'
import { type FileSystem, FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import type { Catalog } from '../../../src/tables/catalog.ts'
import { checkTable } from '../../../src/tables/check-table.ts'
import { createDirectoryCatalog } from '../../../src/tables/directory-catalog.ts'
import { expireSnapshots } from '../../../src/tables/expiry/expire-snapshots.ts'
import { endLeases, findKeptNames, findLeftData } from '../../../src/tables/expiry/left-data.ts'
import { readFileWhole } from '../../../src/tables/files.ts'
import { importFiles } from '../../../src/tables/import/import-files.ts'
import { Members } from '../../../src/tables/members.ts'
import { stepOn } from '../../../src/tables/metadata.ts'
import { listMetadata } from '../../../src/tables/metadata-versions.ts'
import { leaseLength, takeLease } from '../../../src/tables/replace/lease.ts'
import { createRestCatalog } from '../../../src/tables/rest/rest-catalog.ts'
import { gatherFiles, readSnapshotFiles, type SnapshotFiles } from '../../../src/tables/snapshot-files.ts'
import { placeTable, toTablePath } from '../../../src/tables/table-place.ts'
import { startFakeCatalog } from '../../suites/fake-rest-catalog.ts'
import { fromVerbs } from '../../suites/flat-filesystem.ts'
import { listAll } from '../../suites/list-all.ts'
import { createMemoryFileSystem, type MemoryFault, type MemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createSleepyView } from '../../suites/mortal-view.ts'
import { calm, place as clickPlace, makeTable, plainCatalog } from '../tables/a-table.ts'
import { atHour, parquetBytes, put } from '../tables/parquet-files.ts'
import { always, nextDay, readTable, toCompactOptions } from './table-rows.ts'

const place = placeTable({ url: 'hdfs://somewhere:8020' }, '/events/Order')
const { path } = place
const data = `${path}/data/eventDate_hour=2026-11-22-08`
const hourMs = 3_600_000
const dayMs = 24 * hourMs + 1

type World = { readonly memory: MemoryFileSystem; readonly clock: { ms: number } }

/** Adds a file of the hour. */
const add = async ({ memory, clock }: World, number: number): Promise<void> => {
  await put(memory, `${path}/hour=8/${number}.parquet`, parquetBytes([[atHour(8), number]]))
  const catalog = createDirectoryCatalog(memory)
  const options = { ...nextDay, fileSystem: memory, place, catalog, dateColumn: 'eventDate', onProgress: () => {} }
  await importFiles({ ...options, now: () => clock.ms })
}

/** Files of a table with two files of an hour, by their paths. */
const template = (async (): Promise<ReadonlyMap<string, Uint8Array>> => {
  const world = { memory: createMemoryFileSystem(), clock: { ms: nextDay.now() } }
  for (const number of [0, 1]) await add(world, number)
  const files = new Map<string, Uint8Array>()
  for (const directory of [`${path}/hour=8`, `${path}/metadata`])
    for (const file of await listAll(world.memory, directory))
      files.set(file.path, await readFileWhole(world.memory, file.path, 1e9))
  return files
})()

/** That table. */
const makeWorld = async (fail: () => MemoryFault | undefined = () => undefined): Promise<World> => {
  const clock = { ms: nextDay.now() }
  const memory = createMemoryFileSystem({ now: () => clock.ms, fail })
  for (const [file, bytes] of await template) await put(memory, file, bytes)
  return { memory, clock }
}

/** Merges the files of all hours. */
const compact = async ({ clock }: World, fileSystem: FileSystem, catalog = createDirectoryCatalog(fileSystem)) => {
  const options = toCompactOptions(fileSystem, { catalog, now: () => clock.ms })
  const table = await catalog.load(path)
  if (!table) throw new Error('there is no table')
  for (const hour of (await planCompaction(fileSystem, table, { ...always, targetBytes: 1e9 })).hours)
    await compactHour(options, table, hour)
}

const expire = ({ memory, clock }: World, fileSystem: FileSystem = memory, isTrial = false) => {
  const catalog = createDirectoryCatalog(fileSystem)
  return expireSnapshots({ ...nextDay, now: () => clock.ms, fileSystem, catalog, path, olderThanMs: hourMs, isTrial })
}

const load = async (fileSystem: FileSystem) => {
  const table = await createDirectoryCatalog(fileSystem).load(path)
  if (!table) throw new Error('there is no table')
  return table
}

/** Files below `data/` that no snapshot has, and leases. */
const findLeft = async ({ memory }: World): Promise<string[]> => {
  const table = await load(memory)
  const uris = await gatherFiles(readSnapshotFiles(memory, table.place), table.metadata.snapshots)
  const known = new Set(Array.from(uris, uri => toTablePath(place, uri)))
  const below = await listAll(memory, data).catch(() => [])
  const leases = (await listAll(memory, `${path}/metadata`)).filter(file => file.path.endsWith('.lease'))
  return [...below.filter(file => !known.has(file.path)), ...leases].map(file => file.path)
}

/** The rows of the current snapshot, where each file of it and of the oldest one is there. */
const readRows = async ({ memory }: World): Promise<readonly string[]> => {
  const table = await load(memory)
  for (const current of [table.metadata.snapshots[0], table.metadata.current]) {
    const { findings } = await checkTable(memory, { ...table, metadata: { ...table.metadata, current } }, () => {})
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
  }
  return (await readTable(memory, path)).rows
}

/** A day later nothing is left, all rows are there, and a day later nothing is to be ended. */
const expectClean = async (world: World, rows: readonly string[], what: string): Promise<void> => {
  const number = async (): Promise<number> => (await load(world.memory)).metadata.lastSequenceNumber
  world.clock.ms += dayMs
  await expire(world)
  const before = await number()
  world.clock.ms += dayMs
  await expire(world)
  expect(await number(), what).toBe(before)
  expect(await findLeft(world), what).toEqual([])
  expect(await readRows(world), what).toEqual(rows)
}

/** A version of the table that is as the one before. */
const changeNothing = async ({ memory, clock }: World, number: number): Promise<void> => {
  const table = await load(memory)
  const { json } = table.metadata
  const step = stepOn(table.metadata, { now: clock.ms, baseUri: table.metadataUri })
  const next = { ...json, ...step, properties: { ...Object.fromEntries(table.metadata.properties), n: String(number) } }
  expect(await createDirectoryCatalog(memory).commit(table, next)).toBe('done')
}

/** Others meanwhile. */
const meanwhiles: readonly [string, (world: World) => Promise<unknown>][] = [
  ['two expiries at once', world => Promise.all([expire(world), expire(world)])],
  [
    'another compaction, another writer, and an expiry',
    async world => {
      await compact(world, world.memory)
      await add(world, 2)
      await expire(world)
    },
  ],
  [
    'an expiry, and so many changes that what it knew is forgotten',
    async world => {
      const { version = 0 } = await load(world.memory)
      await expire(world)
      for (let number = 0; number < 12; number++) await changeNothing(world, number)
      world.clock.ms += dayMs
      await expire(world)
      // What wakes up may find the place of its version free.
      const names = (await listAll(world.memory, `${path}/metadata`)).map(file => baseName(file.path))
      expect(names).not.toContain(`v${version + 1}.metadata.json`)
    },
  ],
]

/** Runs it until it is over, or before its call of that number. */
const runUntil = async (
  call: number,
  world: World,
  stopped: Promise<void>,
  run: (fileSystem: FileSystem) => Promise<unknown>,
) => {
  const reached = Promise.withResolvers<void>()
  let calls = 0
  const stop = (): Promise<void> | undefined => {
    if (calls++ < call) return undefined
    reached.resolve()
    return stopped
  }
  // Each step of a publication is a call.
  const view = fromVerbs(createSleepyView(world.memory, stop))
  const running = run(view).catch((error: unknown) => {
    if (!(error instanceof FileSystemError)) throw error
  })
  await Promise.race([running, reached.promise])
  return { running, isOver: calls <= call }
}

const never = new Promise<void>(() => {})

describe('files of a compaction go a day later, unless a snapshot has them', () => {
  test('where it was killed before any call', async () => {
    let left = 0
    for (let call = 0, isOver = false; !isOver; call++) {
      const world = await makeWorld()
      const rows = await readRows(world)
      ;({ isOver } = await runUntil(call, world, never, view => compact(world, view)))
      const before = await findLeft(world)
      left += before.length
      await expire(world)
      expect(await findLeft(world), `${call}, at once`).toEqual(before)
      world.clock.ms += dayMs
      const trial = await expire(world, world.memory, true)
      expect(await findLeft(world), `${call}, by a trial`).toEqual(before)
      expect(await expire(world), `before call ${call}`).toEqual(trial)
      expect(await findLeft(world), `before call ${call}`).toEqual([])
      await expectClean(world, rows, `before call ${call}`)
    }
    expect(left).toBeGreaterThan(50)
  })

  test.each(meanwhiles)('where it was stopped for a day before any call; meanwhile: %s', async (_, meddle) => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const world = await makeWorld()
      const { promise: awake, resolve: wake } = Promise.withResolvers<void>()
      const started = await runUntil(call, world, awake, view => compact(world, view))
      ;({ isOver } = started)
      world.clock.ms += dayMs
      await meddle(world)
      const rows = await readRows(world)
      wake()
      await started.running
      expect(await readRows(world), `before call ${call}`).toEqual(rows)
      await expectClean(world, rows, `before call ${call}`)
    }
  })

  test('where it heard no answer to any call', async () => {
    for (let call = 0, isOver = false; !isOver; call++) {
      let calls = Number.NEGATIVE_INFINITY
      const world = await makeWorld(() => (calls++ === call ? 'lost-reply' : undefined))
      const rows = await readRows(world)
      calls = 0
      await compact(world, world.memory).catch((error: unknown) => {
        if (!(error instanceof FileSystemError)) throw error
      })
      isOver = calls <= call
      calls = Number.NEGATIVE_INFINITY
      await expectClean(world, rows, `without an answer to call ${call}`)
    }
  })
})

/** A compaction that is about to commit, a day ago. */
const makeCommitting = async () => {
  const world = await makeWorld()
  const reached = Promise.withResolvers<void>()
  const { promise: awake, resolve: wake } = Promise.withResolvers<void>()
  const catalog = createDirectoryCatalog(world.memory)
  const slow: Catalog = {
    ...catalog,
    commit: async (base, next) => {
      reached.resolve()
      await awake
      return await catalog.commit(base, next)
    },
  }
  const compacting = compact(world, world.memory, slow)
  await reached.promise
  world.clock.ms += dayMs
  const commit = async (): Promise<void> => {
    wake()
    await compacting
  }
  return { world, commit }
}

describe('an expiry beside a compaction that is about to commit', () => {
  test('can be killed before any call', async () => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const { world, commit } = await makeCommitting()
      const rows = await readRows(world)
      ;({ isOver } = await runUntil(call, world, never, view => expire(world, view)))
      expect(await readRows(world), `before call ${call}`).toEqual(rows)
      // Half of them never commit.
      if (call % 2 === 0) await commit()
      await expectClean(world, rows, `before call ${call}`)
    }
  })

  test.each<[string, (world: World, commit: () => Promise<void>) => Promise<unknown>]>([
    ['it commits', (_, commit) => commit()],
    ['it is refused behind another expiry', (world, commit) => expire(world).then(commit)],
    ['another one compacts, and it is refused', (world, commit) => compact(world, world.memory).then(commit)],
  ])('can be stopped before any call; meanwhile: %s', async (_, meddle) => {
    for (let call = 0, isOver = false; !isOver; call++) {
      const { world, commit } = await makeCommitting()
      const { promise: awake, resolve: wake } = Promise.withResolvers<void>()
      const rows = await readRows(world)
      const started = await runUntil(call, world, awake, view => expire(world, view))
      ;({ isOver } = started)
      await meddle(world, commit)
      wake()
      await started.running
      await commit()
      expect(await readRows(world), `before call ${call}`).toEqual(rows)
      await expectClean(world, rows, `before call ${call}`)
    }
  })
})

const id = '5f0e3a0c-0d5c-4d4e-9d2b-111111111111'
const otherId = '5f0e3a0c-0d5c-4d4e-9d2b-222222222222'

test('files of others stay, and those of leases that are young, of another table, or catalog, or no leases', async () => {
  const world = await makeWorld()
  const { memory, clock } = world
  const table = await load(memory)
  const { lastSequenceNumber, uuid } = table.metadata
  const one = new Uint8Array(1)
  const lease = (name: string, text: string) => put(memory, `${path}/metadata/${name}`, Buffer.from(text))
  const names = [`${otherId}-0.parquet`, `x${id}-0.parquet`, `${id}-0.orc`, `${id}-x.parquet`, `${id}.parquet`, 'a.tmp']
  for (const name of names) await put(memory, `${data}/${name}`, one)
  await put(memory, `${data}/${id}-0.parquet/within`, one)
  for (const name of [`${id}-1.parquet`, '.sluice-0123456789abcdef01234567.tmp'])
    await put(memory, `${data}/${name}`, one)
  const places = ['elsewhere/data/a', 'data/elsewhere']
  for (const place of places) await put(memory, `${path}/${place}/${otherId}-1.parquet`, one)
  await takeLease(memory, table, { id, directory: baseName(data) })
  const elsewhere = { id: otherId, directory: 'elsewhere' }
  await takeLease(memory, { ...table, metadata: { ...table.metadata, uuid: id, lastSequenceNumber: 0 } }, elsewhere)
  await takeLease(memory, { ...table, version: undefined }, elsewhere)
  const stay = [
    [`compact-1-${otherId}.lease`, `${uuid} directory ../elsewhere/data/a`],
    [`compact-3-${otherId}.lease`, 'elsewhere'],
    [`compact-${lastSequenceNumber + leaseLength + 1}-${otherId}.lease`, `${uuid} directory elsewhere`],
    [`other-1-${otherId}.lease`, `${uuid} directory elsewhere`],
    [`compact-1-${otherId}.lease.tmp`, `${uuid} directory elsewhere`],
  ] as const
  for (const [name, text] of stay) await lease(name, text)
  clock.ms += dayMs
  await lease(`compact-0-${otherId}.lease`, `${uuid} directory elsewhere`)
  await put(memory, `${data}/.sluice-0123456789abcdef01234560.tmp`, one)
  const before = await listAll(memory, data)
  expect(await expire(world)).toMatchObject({ orphans: 3, dataFiles: 0 })
  const gone = [`${id}-1.parquet`, '.sluice-0123456789abcdef01234567.tmp']
  expect(await listAll(memory, data)).toEqual(before.filter(file => !gone.includes(baseName(file.path))))
  for (const place of places) expect(await listAll(memory, `${path}/${place}`)).toHaveLength(1)
  const kept = (await listAll(memory, `${path}/metadata`)).map(file => baseName(file.path))
  expect(kept.filter(name => /\.lease/.test(name))).toHaveLength(stay.length + 3)
})

describe('a compaction that made its files part of the table, and did not hear of it', () => {
  /** Compacts; the snapshot is forgotten by another program before it is looked for. */
  const compactUnheard = async (world: World): Promise<void> => {
    const { memory } = world
    const catalog = createDirectoryCatalog(memory)
    let isUnheard = false
    await compact(world, memory, {
      ...catalog,
      commit: async (base, next) => {
        if (isUnheard) return await catalog.commit(base, next)
        isUnheard = true
        expect(await catalog.commit(base, next)).toBe('done')
        const { current } = (await load(memory)).metadata
        await add(world, 2)
        const table = await load(memory)
        const snapshots = new Members(table.metadata.json, path).list('snapshots')
        const others = snapshots.filter(one => one.long('snapshot-id') !== current?.id).map(({ json }) => ({ ...json }))
        expect(others).toHaveLength(3)
        expect(await catalog.commit(table, { ...table.metadata.json, snapshots: others })).toBe('done')
        return 'unknown'
      },
    })
  }

  test('leaves them there, and so does an expiry', async () => {
    const world = await makeWorld()
    await compactUnheard(world)
    const leases = await findLeft(world)
    expect(leases).toEqual([expect.stringMatching(/\.lease$/)])
    const rows = await readRows(world)
    expect(rows).toHaveLength(3)
    await expectClean(world, rows, 'a day later')
  })

  test('leaves them to an expiry, also where the metadata names them by another place', async () => {
    const world = await makeWorld()
    await compactUnheard(world)
    const table = await load(world.memory)
    const { leases } = await endLeases(
      world.memory,
      await listMetadata(world.memory, path),
      table,
      world.clock.ms + dayMs,
    )
    const [{ manifests }, moved] = [
      readSnapshotFiles(world.memory, table.place),
      'hdfs://earlier:8020/moved/Order/data',
    ]
    const entries: SnapshotFiles['entries'] = async manifest =>
      (await readSnapshotFiles(world.memory, table.place).entries(manifest)).map(entry => ({
        ...entry,
        file: new Members({ file_path: `${moved}/${baseName(entry.file.text('file_path'))}` }, path),
      }))
    const ended = { leases, sequenceNumber: 0 }
    const kept = await findKeptNames(ended, { entries }, await manifests(table.metadata.current))
    const options = { fileSystem: world.memory, place: table.place, kept, now: world.clock.ms }
    expect([...(await findLeftData(ended, options))]).toEqual([expect.stringMatching(/\.lease$/)])
  })
})

describe('a compaction leaves the lease to an expiry', () => {
  const isAway = (file: string): FileSystemError => new FileSystemError('unavailable', file, 'away')
  const cannotDelete = (memory: MemoryFileSystem): FileSystem => ({
    ...memory,
    delete: async file => {
      if (file.startsWith(data)) throw isAway(file)
      return await memory.delete(file)
    },
  })

  test.each<[string, (world: World) => Promise<unknown>]>([
    [
      'that another one was faster than, and that cannot delete its files',
      async world => {
        const catalog = createDirectoryCatalog(world.memory)
        const overtaken: Catalog = {
          ...catalog,
          commit: async (base, next) => {
            await compact(world, world.memory)
            return await catalog.commit(base, next)
          },
        }
        await compact(world, cannotDelete(world.memory), overtaken)
      },
    ],
    [
      'that fails, and cannot delete its files',
      async world => {
        const getFileStatus: FileSystem['getFileStatus'] = async file => {
          if (file.startsWith(data)) throw new FileSystemError('denied', file, 'denied')
          return await world.memory.getFileStatus(file)
        }
        const failing = compact(world, { ...cannotDelete(world.memory), getFileStatus })
        await expect(failing).rejects.toThrow('denied')
      },
    ],
    [
      'whose file comes after it has given up',
      async world => {
        let late = ''
        const publish: FileSystem['publish'] = async (file, ...others) => {
          if (!file.startsWith(data)) return await world.memory.publish(file, ...others)
          late = file
          throw isAway(file)
        }
        await expect(compact(world, { ...world.memory, publish })).rejects.toThrow('away')
        await put(world.memory, late, new Uint8Array(1))
      },
    ],
  ])('%s', async (_, run) => {
    const world = await makeWorld()
    const rows = await readRows(world)
    await run(world)
    expect(await findLeft(world)).toEqual([
      expect.stringMatching(/\/data\/.*\.parquet$/),
      expect.stringMatching(/\.lease$/),
    ])
    await expectClean(world, rows, 'a day later')
  })
})

test('a compaction leaves nothing where it fails, is overtaken, or is done', async () => {
  const world = await makeWorld()
  const { memory } = world
  const getFileStatus: FileSystem['getFileStatus'] = async file => {
    if (file.startsWith(data)) throw new FileSystemError('denied', file, 'denied')
    return await memory.getFileStatus(file)
  }
  await expect(compact(world, { ...memory, getFileStatus })).rejects.toThrow('denied')
  expect(await findLeft(world)).toEqual([])
  const catalog = createDirectoryCatalog(memory)
  await compact(world, memory, {
    ...catalog,
    commit: async (base, next) => {
      // That one is done.
      await compact(world, memory)
      expect(await findLeft(world)).toHaveLength(2)
      return await catalog.commit(base, next)
    },
  })
  expect(await findLeft(world)).toEqual([])
})

test('a lease that goes before it is read stops no expiry', async () => {
  const world = await makeWorld()
  const { memory } = world
  await takeLease(memory, await load(memory), { id, directory: baseName(data) })
  world.clock.ms += dayMs
  const open: FileSystem['open'] = async (file, options) => {
    if (file.endsWith('.lease')) await memory.delete(file)
    return await memory.open(file, options)
  }
  expect(await expire(world, { ...memory, open })).toMatchObject({ orphans: 0 })
  expect(await findLeft(world)).toEqual([])
})

test('all of it stays where the table says that nothing is to be deleted', async () => {
  const { world } = await makeCommitting()
  const before = await findLeft(world)
  const catalog = createDirectoryCatalog(world.memory)
  const { metadata } = await load(world.memory)
  await catalog.commit(await load(world.memory), {
    ...metadata.json,
    properties: { ...Object.fromEntries(metadata.properties), 'gc.enabled': 'false' },
  })
  await expect(expire(world)).rejects.toThrow('gc.enabled')
  expect(await findLeft(world)).toEqual(before)
})

test('of a table of a REST catalog they go once it has had as many snapshots', async () => {
  const clock = { ms: calm.now() }
  const fake = await startFakeCatalog()
  const fileSystem = { ...createMemoryFileSystem({ now: () => clock.ms }), url: 'hdfs://somewhere:8020' }
  const catalog = createRestCatalog(fileSystem, { ...plainCatalog, uri: fake.url })
  await makeTable(catalog)
  const table = await catalog.load(clickPlace.path)
  if (!table) throw new Error('there is no table')
  const { last } = await takeLease(fileSystem, table, { id, directory: 'eventDate_hour=x' })
  await put(fileSystem, `${clickPlace.path}/data/eventDate_hour=x/${id}-0.parquet`, new Uint8Array(1))
  clock.ms += dayMs
  const options = { ...calm, fileSystem, catalog, path: clickPlace.path, olderThanMs: hourMs, isTrial: false }
  const expireAt = async (number: number) => {
    Object.assign(fake.tables.get('events.Click') ?? {}, { 'last-sequence-number': number })
    return (await expireSnapshots({ ...options, now: () => clock.ms })).orphans
  }
  expect(await expireAt(last - 1)).toBe(0)
  // Whatever the clock says.
  clock.ms -= 20 * hourMs
  expect(await expireAt(last)).toBe(2)
  expect(await listAll(fileSystem, `${clickPlace.path}/data/eventDate_hour=x`)).toEqual([])
})
