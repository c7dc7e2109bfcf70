import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { returnRest } from '../../../../src/spool/takeover/return-rest.ts'
import { setAsideIf } from '../../../../src/spool/takeover/set-aside.ts'
import { chunksOf } from '../../../suites/file-text.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, silent, type TestSpool } from '../../../suites/spool.ts'

const taker = 'b'.repeat(32)

/** A spool of two requests that was set aside; and how long its segment was when the first of them was in it. */
const setAside = async (fileSystem: FileSystem) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const disk = createNodeDisk({ directory })
  const { spool } = await openTestSpool({ disk, fileSystem })
  const id = spool.stats().collectorId
  await spool.append(jsonBatch([{ n: 1 }]))
  const [segment] = await disk.list('log')
  const outcome = { accepted: 2, rejected: 0, errors: [] }
  await spool.append({ ...jsonBatch([{ n: 2 }, { n: 3 }]), idempotency: { key: 'k', fingerprint: 'f', outcome } })
  await spool.append(jsonBatch([{ n: 4 }]))
  // As it is when the process is killed; a stop would commit it.
  const killed = `${directory}-killed`
  await cp(directory, killed, { recursive: true })
  await spool.close()
  await rm(directory, { recursive: true })
  await rename(killed, directory)
  await fileSystem.delete('/events', { recursive: true })
  await setAsideIf(disk, async () => true, silent)
  return { directory, disk, id, length: segment?.length ?? 0 }
}

const note = async (fileSystem: FileSystem, id: string, segments: object): Promise<void> => {
  await fileSystem.publish(`/events/_log/${id}.${taker}/taken`, chunksOf(JSON.stringify({ segments })))
}

const bring = (directory: string, fileSystem: FileSystem, { spool }: TestSpool): Promise<boolean> =>
  returnRest({
    disk: createNodeDisk({ directory }),
    diskOf: path => createNodeDisk({ directory: join(directory, path) }),
    fileSystem,
    outputDirectory: '/events',
    spool,
    log: silent,
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
  const opened = await openTestSpool({ disk, fileSystem })
  expect(await bring(directory, fileSystem, opened)).toBe(false)
  await note(fileSystem, id, { 1: length + Number(more) })
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect(opened.spool.recall('k')?.isKept).toBe(true)
  // Killed before it was noted.
  await rename(join(directory, 'fenced', id, 'returned'), join(directory, 'not-returned'))
  expect(await bring(directory, fileSystem, opened)).toBe(true)
  expect(await eventsOf(opened, fileSystem)).toEqual(want)
})

test('a segment of which nothing was taken comes back whole', async () => {
  const fileSystem = createMemoryFileSystem()
  const { directory, disk, id } = await setAside(fileSystem)
  const opened = await openTestSpool({ disk, fileSystem })
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
