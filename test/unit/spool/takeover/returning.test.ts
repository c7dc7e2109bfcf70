import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { eventIdBytes } from '../../../../src/spool/event-ids.ts'
import { startBesideSpool } from '../../../../src/spool/takeover/beside-spool.ts'
import type { NotedPlaces } from '../../../../src/spool/takeover/noted-place.ts'
import { createReturning, type Returning, startReturning } from '../../../../src/spool/takeover/returning.ts'
import { setAsideIf } from '../../../../src/spool/takeover/set-aside.ts'
import { settleCopy } from '../../../../src/spool/takeover/settle-copy.ts'
import { adoptSpool } from '../../../../src/spool/tool/adopt.ts'
import { chunksOf } from '../../../suites/file-text.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, silent, type TestSpool, testSettings } from '../../../suites/spool.ts'

const taker = 'b'.repeat(32)

/** Of the first event. */
const eventIds = new Uint8Array(eventIdBytes).fill(7)

/** A spool of one event, or of more, as a kill leaves it: its log is in another output directory than that of today. */
const leave = async (more = 0) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-returning-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const disk = createNodeDisk({ directory })
  const settings = { outputDirectory: '/before' } as const
  const { spool } = await openTestSpool({ disk, fileSystem: createMemoryFileSystem(), settings })
  const id = (await readFile(join(directory, 'id'), 'utf8')).trim()
  const key = { key: 'k', fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] } }
  await spool.append({ ...jsonBatch([{ n: 1 }]), idempotency: key, eventIds })
  await Promise.all(Array.from({ length: more }, (_, n) => spool.append(jsonBatch([{ n }]))))
  // As a kill leaves it: a stop would commit it.
  const killed = `${directory}-killed`
  await cp(directory, killed, { recursive: true })
  await spool.close()
  await rm(directory, { recursive: true })
  await rename(killed, directory)
  await writeFile(join(directory, 'replicated'), `/before/_log/${id}\n`)
  return { directory, disk, id }
}

/** The same, set aside. */
const setAside = async (more = 0) => {
  const left = await leave(more)
  await setAsideIf(left.disk, async () => true, silent)
  return left
}

const placesOf = (fileSystem: FileSystem): NotedPlaces => {
  return { fileSystem, urlOf: () => fileSystem.url, mountPoints: ['/'] }
}

const returningOf = (
  directory: string,
  fileSystem: FileSystem,
  { spool }: Pick<TestSpool, 'spool'>,
  log = silent,
): Returning => createReturning({ directory, spool, places: placesOf(fileSystem), log })

/** How a repeated request, and a repeated event beside one that is new, are answered. */
const answersOf = async ({ spool }: Pick<TestSpool, 'spool'>): Promise<readonly unknown[]> => {
  const request = spool.recall('k')
  const { kept, ahead } = spool.recallIds(Uint8Array.of(...eventIds, ...new Uint8Array(eventIdBytes).fill(8)))
  return [
    await request?.outcome.then(
      ({ accepted }) => accepted,
      () => 'retry',
    ),
    (await ahead) === false ? 'retry' : kept,
  ]
}

test('what was in a spool that was set aside is neither taken again nor confirmed before it is known who has it', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  await fileSystem.mkdirs(`/before/_log/${id}.${taker}`)
  const opened = await openTestSpool({ disk, fileSystem })
  onTestFinished(() => opened.spool.close())
  const returning = returningOf(directory, fileSystem, opened)
  await returning.begin()
  await returning.beat()
  expect(await answersOf(opened)).toEqual(['retry', 'retry'])
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{}}'))
  await returning.beat()
  expect(await answersOf(opened)).toEqual([1, [0]])
})

test('nor before anything can come back', async () => {
  const { directory, disk } = await setAside()
  const fileSystem = createMemoryFileSystem()
  const opened = await openTestSpool({ disk, fileSystem })
  onTestFinished(() => opened.spool.close())
  const { spool } = opened
  const places = placesOf(fileSystem)
  const returning = await startReturning({ directory, spool, places, log: silent, isReady: () => false })
  expect(await answersOf(opened)).toEqual(['retry', 'retry'])
  await returning.close()
})

test('nor is one that its taker has', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  const opened = await openTestSpool({ disk, fileSystem })
  onTestFinished(() => opened.spool.close())
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{"1":1000000}}'))
  await fileSystem.publish(`/before/_log/${id}.${taker}/ledger`, chunksOf('x'))
  const returning = returningOf(directory, fileSystem, opened)
  await returning.begin()
  expect(await answersOf(opened)).toEqual(['retry', 'retry'])
  await returning.beat()
  expect(await answersOf(opened)).toEqual([1, [0]])
  expect(returning.status()).toEqual({ setAside: 1, returnedEvents: 0 })
})

test('a sender does not wait for what a person has to see to, nor for what cannot be read', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  const opened = await openTestSpool({ disk, fileSystem })
  onTestFinished(() => opened.spool.close())
  const returning = returningOf(directory, fileSystem, opened)
  await returning.begin()
  expect(await answersOf(opened)).toEqual(['retry', 'retry'])
  await returning.beat()
  expect(returning.problem).toMatch(/^No collector has the log of/)
  expect(await answersOf(opened)).toEqual([undefined, []])
  await mkdir(join(directory, 'fenced', id, 'log', '0000000009.log'))
  const next = returningOf(directory, fileSystem, opened)
  await next.begin()
  expect(await answersOf(opened)).toEqual([undefined, []])
})

test.for([
  ['that takes events', false],
  ['that is drained', true],
] as const)(
  'what is left of a spool that was set aside comes to a new one %s, with other settings, and a drain waits for it',
  async ([, isDrained]) => {
    const { directory, disk, id } = await setAside()
    const fileSystem = createMemoryFileSystem()
    await fileSystem.mkdirs(`/before/_log/${id}.${taker}`)
    const opened = await openTestSpool({ disk, fileSystem })
    const { spool, beat } = opened
    if (isDrained) await spool.drain()
    const returning = returningOf(directory, fileSystem, opened)
    await returning.beat()
    const { left } = await spool.drainStatus()
    expect(left.waiting).toMatchObject({ files: 1, events: 0, bytes: expect.toSatisfy((bytes: number) => bytes > 0) })
    expect(left.pieces).toMatchObject([
      { state: 'set aside', path: `fenced/${id}`, reason: expect.stringMatching(/noted it$/) },
    ])
    expect([returning.status(), returning.problem]).toEqual([{ setAside: 1, returnedEvents: 0 }, ''])
    await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{}}'))
    await returning.beat()
    expect(returning.status()).toEqual({ setAside: 0, returnedEvents: 1 })
    expect(spool.recall('k')?.isKept).toBe(true)
    if (!isDrained) await spool.drain()
    for (let n = 0; n < 3; n++) await beat()
    expect((await spool.drainStatus()).left).toMatchObject({
      waiting: { files: 0 },
      quarantined: { files: 0 },
      pieces: [],
    })
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).toEqual([1])
    await returning.close()
    await spool.close()
  },
)

test('requests of a spool that was set aside are known to the new one, whatever collector.ack is now', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  // All of it was taken.
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{"1":1000000}}'))
  const opened = await openTestSpool({ disk, fileSystem })
  const returning = returningOf(directory, fileSystem, opened)
  await returning.beat()
  expect([returning.status().returnedEvents, opened.spool.recall('k')?.isKept]).toEqual([0, true])
  await opened.spool.close()
})

test('a start waits for that: a request that is repeated then counts once', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{"1":1000000}}'))
  const { spool } = await openTestSpool({ disk, fileSystem })
  const options = { fileSystem, settings: () => testSettings, log: silent }
  const beside = await startBesideSpool({
    directory,
    spool,
    replica: undefined,
    places: placesOf(fileSystem),
    options,
  })
  expect(spool.recall('k')?.isKept).toBe(true)
  expect(beside.status()).toMatchObject({ setAside: 0, returnedEvents: 0 })
  expect(beside.forPerson).toEqual([])
  await beside.close()
})

test('a start does not wait for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { directory, disk } = await setAside()
  const memory = createMemoryFileSystem()
  const hanging = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const fileSystem: FileSystem = {
    ...memory,
    listStatus: async function* (path) {
      asked.resolve()
      await hanging.promise
      yield* memory.listStatus(path)
    },
  }
  const { spool } = await openTestSpool({ disk, fileSystem: memory })
  const starting = startReturning({ directory, spool, places: placesOf(fileSystem), log: silent })
  await asked.promise
  await vi.advanceTimersByTimeAsync(5_000)
  const returning = await starting
  hanging.resolve()
  await returning.close()
  await spool.close()
})

test('a stop does not wait for all of it, and nothing is said of that', async () => {
  const { directory, disk, id } = await setAside(1_000)
  const fileSystem = createMemoryFileSystem()
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{}}'))
  const { spool } = await openTestSpool({ disk, fileSystem })
  let closed: Promise<void> | undefined
  const stopped = {
    ...spool,
    takeBack: async (batch: Batch) => {
      closed ??= returning.close()
      await spool.takeBack(batch)
    },
  }
  const returning = returningOf(directory, fileSystem, { spool: stopped })
  await returning.beat()
  await closed
  expect(returning.status().returnedEvents).toBeLessThan(1_000)
  expect(returning.problem).toBe('')
  await spool.close()
})

test('a log that no collector has is an error, once, that says what to do; nothing is touched', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  const opened = await openTestSpool({ disk, fileSystem })
  const lines: unknown[] = []
  const returning = returningOf(directory, fileSystem, opened, { ...silent, error: fields => void lines.push(fields) })
  for (let n = 0; n < 3; n++) await returning.beat()
  const fenced = join(directory, 'fenced', id)
  const reason = expect.stringMatching(`No collector has the log of ${id}.*delete ${fenced}/replicated and run`)
  const advice = expect.stringMatching(`delete ${fenced}/replicated and run`)
  expect([lines, returning.problem]).toEqual([[{ reason, err: expect.any(Error) }], reason])
  expect(returning.forPerson).toEqual([
    { id, directory: fenced, problem: `No collector has the log of ${id} any more`, advice },
  ])
  expect(await readdir(fenced)).toEqual(expect.arrayContaining(['id', 'log', 'replicated']))
  expect((await opened.spool.drainStatus()).left.waiting.files).toBe(1)
  // Somebody has seen to it.
  await rm(fenced, { recursive: true })
  await returning.beat()
  expect(returning.forPerson).toEqual([])
  await opened.spool.close()
})

test('files that a person decides about are left where a drain is over', async () => {
  const { directory, disk, id } = await setAside()
  const fileSystem = createMemoryFileSystem()
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{}}'))
  const fenced = join(directory, 'fenced', id)
  await mkdir(join(fenced, '_taken'), { recursive: true })
  await writeFile(join(fenced, '_taken', 'one'), 'x')
  const opened = await openTestSpool({ disk, fileSystem })
  const returning = returningOf(directory, fileSystem, opened)
  await returning.beat()
  const advice = expect.stringMatching('_taken')
  expect(returning.forPerson).toMatchObject([{ id, directory: fenced, advice }])
  const { left } = await opened.spool.drainStatus()
  expect([left.quarantined.files, left.pieces[0]]).toMatchObject([1, { state: 'set aside', path: `fenced/${id}` }])
  await opened.spool.close()
})

test('one that is adopted by hand after another collector took its log brings what that one did not find', async () => {
  const { directory, id } = await leave()
  const fileSystem = createMemoryFileSystem()
  await fileSystem.publish(`/before/_log/${id}.${taker}/taken`, chunksOf('{"segments":{}}'))
  const spool = await adoptSpool(directory, {
    fileSystem,
    settings: () => testSettings,
    log: silent,
    prepare: disk => settleCopy(disk, { ...placesOf(fileSystem), outputDirectory: undefined }, silent),
  })
  const returning = returningOf(directory, fileSystem, { spool })
  await expect
    .poll(async () => {
      await returning.beat()
      return (await spool.drainStatus()).left
    })
    .toMatchObject({ waiting: { files: 0, events: 0 }, quarantined: { files: 0 }, pieces: [] })
  expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).toEqual([1])
  await returning.close()
  await spool.close()
})
