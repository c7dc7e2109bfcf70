import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Disk } from '../../../../src/disk/disk.ts'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { tableAway } from '../../../../src/spool/parquet/table-columns.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import type { Spool } from '../../../../src/spool/spool.ts'
import { type ReturnRestOptions, returnRest } from '../../../../src/spool/takeover/return-rest.ts'
import { setAsideIf } from '../../../../src/spool/takeover/set-aside.ts'
import { chunksOf } from '../../../suites/file-text.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, silent, type TestSpool } from '../../../suites/spool.ts'

const taker = 'b'.repeat(32)

/** A spool of two requests that was set aside; and how long its segment was when the first of them was in it. */
const setAside = async (fileSystem: FileSystem) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const disk = createNodeDisk({ directory })
  const { spool } = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  const id = spool.stats().collectorId
  await spool.append(jsonBatch([{ n: 1 }]))
  const [segment] = await disk.list('log')
  const outcome = { accepted: 2, rejected: 0, errors: [] }
  await spool.append({ ...jsonBatch([{ n: 2 }, { n: 3 }]), idempotency: { key: 'k', fingerprint: 'f', outcome } })
  await spool.append(jsonBatch([{ n: 4 }]))
  await killAndSetAside(directory, spool, fileSystem)
  return { directory, disk, id, length: segment?.length ?? 0 }
}

/** As it is when the process is killed; a stop would commit it. */
const killAndSetAside = async (directory: string, spool: Spool, fileSystem: FileSystem): Promise<void> => {
  const killed = `${directory}-killed`
  await cp(directory, killed, { recursive: true })
  await spool.close()
  await rm(directory, { recursive: true })
  await rename(killed, directory)
  for (const { path } of await listAll(fileSystem, '/events'))
    if (!path.endsWith('/_log')) await fileSystem.delete(path, { recursive: true })
  const id = (await readFile(join(directory, 'id'), 'utf8')).trim()
  await writeFile(join(directory, 'replicated'), `/events/_log/${id}\n`)
  await setAsideIf(createNodeDisk({ directory }), async () => true, silent)
}

const note = async (fileSystem: FileSystem, id: string, segments: object): Promise<void> => {
  await fileSystem.publish(`/events/_log/${id}.${taker}/taken`, chunksOf(JSON.stringify({ segments })))
}

const bring = (
  directory: string,
  fileSystem: FileSystem,
  { spool }: { spool: ReturnRestOptions['spool'] },
  onReturned: (events: number) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<boolean> =>
  returnRest({
    disk: createNodeDisk({ directory }),
    diskOf: path => createNodeDisk({ directory: join(directory, path) }),
    places: { fileSystem, urlOf: () => fileSystem.url, mountPoints: ['/'] },
    spool,
    log: silent,
    signal,
    onReturned,
  })

const eventsOf = async (opened: TestSpool, fileSystem: FileSystem): Promise<unknown[]> => {
  opened.clock.ms += 60_000
  await opened.beat()
  await opened.spool.close()
  await fileSystem.delete('/events/_log', { recursive: true })
  return (await readEvents(fileSystem)).map(({ payload }) => Number(payload['n'])).toSorted((a, b) => a - b)
}

test.for([
  ['what is beyond what was taken', 0, [2, 3, 4]],
  ['a request of which only a part was', 5, [2, 3, 4]],
])('%s comes back to the new spool, once', async ([, more, want]) => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id, length } = await setAside(fileSystem)
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  await expect(bring(directory, fileSystem, opened)).rejects.toThrow('No collector has the log of')
  await fileSystem.mkdirs(`/events/_log/${id}.${taker}`)
  expect(await bring(directory, fileSystem, opened)).toBe(false)
  await note(fileSystem, id, { 1: length + Number(more) })
  // The taker is not through with it: its note stays.
  await fileSystem.publish(`/events/_log/${id}.${taker}/ledger`, chunksOf('x'))
  const returned: number[] = []
  expect(await bring(directory, fileSystem, opened, events => void returned.push(events))).toBe(false)
  expect(returned).toEqual([3])
  expect(opened.spool.recall('k')?.isKept).toBe(true)
  // Killed before it was noted.
  await rename(join(directory, 'fenced', id, 'returned'), join(directory, 'not-returned'))
  expect(await bring(directory, fileSystem, opened)).toBe(false)
  await fileSystem.delete(`/events/_log/${id}.${taker}/ledger`)
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect([await readdir(join(directory, 'fenced')), await listAll(fileSystem, '/events/_log')]).toEqual([[], []])
  expect(await eventsOf(opened, fileSystem)).toEqual(want)
})

test('what came back in part to a spool that is taken over as well is counted once', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id } = await setAside(fileSystem)
  await note(fileSystem, id, {})
  const { spool: second } = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  const secondId = second.stats().collectorId
  let left = 2
  const mortal = {
    recall: (key: string) => second.recall(key),
    takeKeys: (other: Disk) => second.takeKeys(other),
    takeBack: async (batch: Batch) => {
      if (left-- === 0) throw new Error('killed')
      await second.takeBack(batch)
    },
  }
  await expect(bring(directory, fileSystem, { spool: mortal })).rejects.toThrow('killed')
  await killAndSetAside(directory, second, fileSystem)
  const third = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  // Its own rest comes first, whatever that of the one before is.
  await fileSystem.mkdirs(`/events/_log/${secondId}.${taker}`)
  expect(await bring(directory, fileSystem, third)).toBe(false)
  // The taker found the first two requests in its log, and sends them.
  await note(fileSystem, secondId, { 1: 1_000_000 })
  expect(await bring(directory, fileSystem, third)).toBe(true)
  expect(await eventsOf(third, fileSystem)).toEqual([4])
})

test('more of it than keys are remembered comes back once, killed or stopped in between', async () => {
  const fileSystem = createMemoryFileSystem()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const disk = createNodeDisk({ directory })
  const settings = { ack: 'replicated', maxKeys: 1_000, maxEventIds: 1_000 } as const
  const first = await openTestSpool({ disk, fileSystem, settings })
  const id = first.spool.stats().collectorId
  const all = Array.from({ length: 3_000 }, (_, n) => n)
  await Promise.all(all.map(n => first.spool.append(jsonBatch([{ n }]))))
  await killAndSetAside(directory, first.spool, fileSystem)
  await note(fileSystem, id, {})
  const opened = await openTestSpool({ disk, fileSystem, settings })
  const { spool } = opened
  let left = 1_900
  const closing = new AbortController()
  const mortal = {
    recall: (key: string) => spool.recall(key),
    takeKeys: (other: Disk) => spool.takeKeys(other),
    takeBack: async (batch: Batch) => {
      if (--left === 0) throw new Error('killed')
      if (left === -500) closing.abort(new Error('stopped'))
      await spool.takeBack(batch)
    },
  }
  const counts: number[] = []
  const bringMore = (signal?: AbortSignal) =>
    bring(directory, fileSystem, { spool: mortal }, events => void counts.push(events), signal)
  await expect(bringMore()).rejects.toThrow('killed')
  await expect(bringMore(closing.signal)).rejects.toThrow('stopped')
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(2_500)
  expect(await bringMore()).toBe(true)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.length)
  expect(await eventsOf(opened, fileSystem)).toEqual(all)
})

test('of several segments each comes back once and whole, stopped in between, whatever keys are remembered', async () => {
  const fileSystem = createMemoryFileSystem()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const disk = createNodeDisk({ directory })
  const settings = { ack: 'replicated', maxSegmentBytes: 4_096 } as const
  const seal = () => Promise.reject(Object.assign(new Error('away'), { code: tableAway }))
  const first = await openTestSpool({ disk, fileSystem, settings, sealing: { ...createSealing(disk), seal } })
  const all = Array.from({ length: 200 }, (_, n) => n)
  for (const n of all) await first.spool.append(jsonBatch([{ n }]))
  const segments = await disk.list('log')
  expect(segments.length).toBeGreaterThan(3)
  await fileSystem.mkdirs('/events/_log')
  await killAndSetAside(directory, first.spool, fileSystem)
  await note(fileSystem, first.spool.stats().collectorId, {})
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  const closing = new AbortController()
  let left = 100
  const forgetful = {
    recall: () => undefined,
    takeKeys: async () => {},
    takeBack: async (batch: Batch) => {
      await opened.spool.takeBack(batch)
      if (--left === 0) closing.abort(new Error('stopped'))
    },
  }
  const bringMore = (signal?: AbortSignal) => bring(directory, fileSystem, { spool: forgetful }, undefined, signal)
  await expect(bringMore(closing.signal)).rejects.toThrow('stopped')
  expect(await bringMore()).toBe(true)
  expect(await eventsOf(opened, fileSystem)).toEqual(all)
})

test('what a person decides about stays, until nothing of it is left', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id } = await setAside(fileSystem)
  const piece = join(directory, 'fenced', id, '_quarantine', 'ledger-1.damaged')
  await writeFile(piece, 'x')
  await note(fileSystem, id, {})
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect(await readdir(join(directory, 'fenced'))).toEqual([id])
  await rm(piece)
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect(await readdir(join(directory, 'fenced'))).toEqual([])
  expect(await eventsOf(opened, fileSystem)).toEqual([1, 2, 3, 4])
})

test('a segment of which nothing was taken comes back whole', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id } = await setAside(fileSystem)
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  await note(fileSystem, id, {})
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect(await eventsOf(opened, fileSystem)).toEqual([1, 2, 3, 4])
})

test('without one there is nothing to bring back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const fileSystem = createMemoryFileSystem()
  const opened = await openTestSpool({ disk: createNodeDisk({ directory }), fileSystem })
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  await opened.spool.close()
})

test('of a log that was taken before it was whole, and again when it was, both notes count', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id, length } = await setAside(fileSystem)
  // By the first taker nothing was taken; its name comes before that of the second one.
  await fileSystem.publish(`/events/_log/${id}.${'0'.repeat(32)}/taken`, chunksOf('{"segments":{}}'))
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  await fileSystem.publish(`/events/_log/${id}.${taker}/alive`, chunksOf(''))
  expect(await bring(directory, fileSystem, opened)).toBe(false)
  expect(opened.spool.recall('k')).toBeUndefined()
  await note(fileSystem, id, { 1: length })
  await bring(directory, fileSystem, opened)
  expect(await eventsOf(opened, fileSystem)).toEqual([2, 3, 4])
})

test('sealed files whose log no taker had stay where they are, and are named', async () => {
  let isAway = true
  const fail = () => (isAway ? new FileSystemError('unavailable', '/', 'away') : undefined)
  const fileSystem = createMemoryFileSystem({ fail })
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bare-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const disk = createNodeDisk({ directory })
  const first = await openTestSpool({ disk, fileSystem })
  const id = first.spool.stats().collectorId
  await first.spool.append(jsonBatch([{ n: 1 }]))
  first.clock.ms += 60_000
  await first.beat()
  isAway = false
  await killAndSetAside(directory, first.spool, fileSystem)
  await note(fileSystem, id, {})
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect(await readdir(join(directory, 'fenced', id, 'sealed'))).toHaveLength(1)
  await opened.spool.close()
})

test('behind a spool that a person has to see to older ones wait, and are counted, unless nothing of them has to come back', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id } = await setAside(fileSystem)
  const start = () => openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  const { spool: second } = await start()
  const secondId = second.stats().collectorId
  await second.append(jsonBatch([{ n: 5 }]))
  await killAndSetAside(directory, second, fileSystem)
  await note(fileSystem, id, {})
  const third = await start()
  // What came back of the older one to the newer one is in the keys of that one alone.
  await expect(bring(directory, fileSystem, third)).rejects.toThrow(
    `No collector has the log of ${secondId} any more; an older spool waits for that`,
  )
  const fenced = join(directory, 'fenced', id)
  await writeFile(join(fenced, 'returned'), '0')
  await expect(bring(directory, fileSystem, third)).rejects.toThrow(/any more\. /)
  expect(await readdir(join(directory, 'fenced'))).toEqual([secondId])
  await note(fileSystem, secondId, {})
  expect(await bring(directory, fileSystem, third)).toBe(true)
  expect(await eventsOf(third, fileSystem)).toEqual([5])
})

test('what an upload of the fenced collector has left goes with its spool, and nothing of others', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id } = await setAside(fileSystem)
  const opened = await openTestSpool({ disk, fileSystem, settings: { ack: 'replicated' } })
  const others = [`${id}.${taker}`, taker].map(name => `/events/_tmp/${name}/one`)
  for (const path of [`/events/_tmp/${id}/late`, ...others]) await fileSystem.create(path, chunksOf('x'))
  await note(fileSystem, id, { 1: 1_000_000 })
  await fileSystem.publish(`/events/_log/${id}.${taker}/ledger`, chunksOf('x'))
  expect(await bring(directory, fileSystem, opened)).toBe(false)
  expect(await fileSystem.getFileStatus(`/events/_tmp/${id}/late`)).toMatchObject({ length: 1 })
  await fileSystem.delete(`/events/_log/${id}.${taker}/ledger`)
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  const left = (await listAll(fileSystem, '/events/_tmp')).map(({ path }) => path)
  expect(left.toSorted()).toEqual([`/events/_tmp/${id}.${taker}`, `/events/_tmp/${taker}`].toSorted())
  await opened.spool.close()
})
