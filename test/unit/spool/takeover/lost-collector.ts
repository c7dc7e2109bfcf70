import type { Disk } from '../../../../src/disk/disk.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { createReplica, type Replica } from '../../../../src/spool/replica/replica.ts'
import type { ReplicatedSettings } from '../../../../src/spool/replica/replicated-settings.ts'
import { listAll } from '../../../suites/list-all.ts'
import type { MemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { jsonBatch, openTestSpool, silent, startMs, type TestSpool } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

export const replicatedSettings: ReplicatedSettings = {
  sync: 'hsync',
  replication: 3,
  min: 2,
  gatherMs: 20,
  takeoverMs: 20_000,
  whenUnavailable: 'refuse',
}

export const replicaOn = (fileSystem: FileSystem, owner?: string): Replica =>
  createReplica({
    fileSystem,
    outputDirectory: '/events',
    settings: () => replicatedSettings,
    log: silent,
    now: () => startMs,
    owner,
    onFenced: () => {},
  })

/** A collector whose log is in HDFS. */
export type ReplicatedCollector = TestSpool & {
  readonly id: string
  readonly disk: TearingDisk
  readonly replica: Replica
}

/** @param fileSystem that it commits to @default the one that has its log */
export const openReplicated = async (
  hdfs: MemoryHdfs,
  fileSystem: FileSystem = hdfs,
  disk: TearingDisk = createTearingDisk(),
): Promise<ReplicatedCollector> => {
  const replica = replicaOn(hdfs)
  const opened = await openTestSpool({ disk, fileSystem, replica, settings: { ack: 'replicated' } })
  return { ...opened, disk, replica, id: await idOf(disk) }
}

const idOf = async (disk: Disk): Promise<string> => new TextDecoder().decode(await disk.read('id')).trim()

/** One event of a type that is named for what becomes of its file. */
const eventOf = (name: string, n: number): Batch => ({
  ...jsonBatch([{ n }], { name }),
  idempotency: { key: `key-${n}`, fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] } },
})

/** Does to a file what its type is named for. */
const awkward = (hdfs: MemoryHdfs): FileSystem => ({
  ...hdfs,
  publish: async (path, source, options) => {
    const away = new FileSystemError('unavailable', path, 'away')
    if (path.includes('/Sealed/')) throw away
    if (path.includes('/Conflict/')) return { outcome: 'foreign', status: await hdfs.getFileStatus('/') }
    if (path.includes('/Taken/')) {
      await options?.attempt?.note()
      return { outcome: 'taken', status: await hdfs.getFileStatus('/') }
    }
    if (path.includes('/Denied/')) throw new FileSystemError('denied', path, 'no')
    if (!path.includes('/Moving/') && !path.includes('/Renamed/')) return await hdfs.publish(path, source, options)
    const { attempt } = options ?? {}
    if (!attempt) throw new TypeError('nothing is noted')
    await hdfs.memory.create(attempt.temporary, source)
    await attempt.note()
    if (path.includes('/Renamed/')) await hdfs.memory.rename(attempt.temporary, path)
    throw away
  },
  settle: async path => {
    throw new FileSystemError('unavailable', path, 'away')
  },
})

/**
 * A collector that is lost with its machine: of its segments one was sealed into files in each state, and one was not
 * sealed.
 * @param more of these types there is an event as well
 * @returns its id, the numbers of the events that it acknowledged, and its disk, to which nothing writes any more
 */
export const loseCollector = async (
  hdfs: MemoryHdfs,
  more: readonly string[] = [],
): Promise<{ readonly id: string; readonly events: number[]; readonly disk: TearingDisk }> => {
  const { spool, beat, clock, id, disk } = await openReplicated(hdfs, awkward(hdfs))
  let n = 0
  for (const name of [...more, 'Committed', 'Renamed', 'Moving', 'Denied', 'Sealed'])
    await spool.append(eventOf(name, ++n))
  clock.ms += 60_000
  await beat()
  await spool.append(eventOf('Open', ++n))
  const dead = disk.kill()
  return { id, events: Array.from({ length: n }, (_, index) => index + 1), disk: dead }
}

/**
 * A collector that is lost with its machine: of its segments every second one is in the file system, its log is not deleted
 * yet, and a consumer has taken away what was there.
 * @returns its id, and the numbers of the events that it acknowledged
 */
export const loseInterleaved = async (
  hdfs: MemoryHdfs,
): Promise<{ readonly id: string; readonly events: number[] }> => {
  const keeping: MemoryHdfs = {
    ...hdfs,
    delete: async (path, options) => {
      if (path.includes('/log-')) throw new FileSystemError('unavailable', path, 'away')
      return await hdfs.delete(path, options)
    },
  }
  const { spool, beat, clock, id, disk } = await openReplicated(keeping, awkward(hdfs))
  let n = 0
  for (const name of ['Denied', 'Committed', 'Denied', 'Committed', 'Denied']) {
    await spool.append(eventOf(name, ++n))
    clock.ms += 60_000
    await beat()
  }
  await spool.append(eventOf('Open', ++n))
  for (const [number, { path }] of (await filesBelow(hdfs, '/events')).entries())
    await hdfs.memory.rename(path, `/events/consumed/${number}`)
  disk.kill()
  return { id, events: Array.from({ length: n }, (_, index) => index + 1) }
}

/** Event files, wherever they are. */
const filesBelow = async (fileSystem: FileSystem, directory: string): Promise<readonly FileStatus[]> => {
  const files: FileStatus[] = []
  for (const entry of await listAll(fileSystem, directory)) {
    if (/\/_[^/]*$/.test(entry.path)) continue
    if (entry.isDirectory) files.push(...(await filesBelow(fileSystem, entry.path)))
    else files.push(entry)
  }
  return files
}

/** Numbers of the events in the file system, in order; each as often as it is there. */
export const eventsIn = async (fileSystem: FileSystem, directory = '/events'): Promise<number[]> => {
  const numbers: number[] = []
  for (const { path } of await filesBelow(fileSystem, directory)) {
    const text = await new Response(await fileSystem.open(path)).text()
    for (const line of text.split('\n').slice(0, -1)) numbers.push(JSON.parse(line).payload.n)
  }
  return numbers.toSorted((a, b) => a - b)
}
