import { expect, test } from 'vitest'
import type { Disk } from '../../../../src/disk/disk.ts'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Logger } from '../../../../src/log/log.ts'
import { createReplica, type Replica } from '../../../../src/spool/replica/replica.ts'
import type { ReplicatedSettings } from '../../../../src/spool/replica/replicated-settings.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import { bringDown } from '../../../../src/spool/takeover/adopt-log.ts'
import { settleCopy } from '../../../../src/spool/takeover/settle-copy.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryHdfs, type MemoryHdfs, whole } from '../../../suites/memory-hdfs.ts'
import {
  jsonBatch,
  openTestSpool,
  readEvents,
  silent,
  startMs,
  type TestSpool,
  type TestSpoolOptions,
} from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const settings: ReplicatedSettings = {
  sync: 'hsync',
  replication: 3,
  min: 2,
  gatherMs: 20,
  takeoverMs: 20_000,
  whenUnavailable: 'refuse',
}

const replicaOn = (hdfs: MemoryHdfs, more: Partial<ReplicatedSettings> = {}, log: Logger = silent): Replica =>
  createReplica({
    fileSystem: hdfs,
    outputDirectory: '/events',
    settings: () => ({ ...settings, ...more }),
    log,
    now: () => startMs,
    onFenced: () => {},
  })

const openOn = (
  hdfs: MemoryHdfs,
  disk: Disk,
  replica: Replica,
  { settings: more = {}, ...rest }: Partial<TestSpoolOptions> = {},
): Promise<TestSpool> =>
  openTestSpool({ disk, fileSystem: hdfs, replica, settings: { ack: 'replicated', ...more }, ...rest })

const idOf = async (disk: Disk): Promise<string> => new TextDecoder().decode(await disk.read('id')).trim()

const namesThere = async (hdfs: MemoryHdfs, id: string): Promise<string[]> =>
  (await listAll(hdfs, `/events/_log/${id}`)).map(({ path }) => path.slice(path.lastIndexOf('/') + 1))

test('an event that is acknowledged is there; its segment goes with its last file, and what became of a file is known as long', async () => {
  const hdfs = createMemoryHdfs()
  const disk = createTearingDisk()
  const replica = replicaOn(hdfs)
  const { spool, beat, clock } = await openOn(hdfs, disk, replica)
  const id = await idOf(disk)
  await spool.append(jsonBatch([{ n: 1 }], { name: 'One' }))
  expect(Buffer.from((await hdfs.contents(`/events/_log/${id}/log-0000000001.log`)) ?? '').includes('"n":1')).toBe(true)
  expect(await namesThere(hdfs, id)).toEqual(
    expect.arrayContaining(['destination', 'format', 'id', 'ledger', 'log-0000000001.log']),
  )
  clock.ms += 60_000
  await beat()
  await beat()
  expect(spool.stats()).toMatchObject({ pendingFiles: 0, totalFlushedEvents: 1 })
  expect((await namesThere(hdfs, id)).filter(name => name.startsWith('log-'))).toEqual([])
  expect(Buffer.from((await hdfs.contents(`/events/_log/${id}/ledger`)) ?? '').includes('"committed"')).toBe(true)
  await spool.close()
})

test('while HDFS is away nothing is taken, sealed or committed; then it goes on', async () => {
  let isAway = false
  const hdfs = createMemoryHdfs({ fail: () => (isAway ? 'before' : undefined) })
  const disk = createTearingDisk()
  const replica = replicaOn(hdfs)
  const { spool, beat, clock } = await openOn(hdfs, disk, replica)
  await spool.append(jsonBatch([{ n: 1 }]))
  isAway = true
  await expect(spool.append(jsonBatch([{ n: 2 }]))).rejects.toMatchObject({ name: 'OutcomeUnknown' })
  await expect(spool.append(jsonBatch([{ n: 3 }]))).rejects.toMatchObject({ code: 'unavailable' })
  expect(spool.stats()).toMatchObject({ accepting: false, refusal: expect.stringContaining('replicated') })
  clock.ms += 60_000
  await beat()
  expect(disk.paths.filter(path => path.startsWith('sealed/'))).toEqual([])
  isAway = false
  await beat()
  await beat()
  await spool.append(jsonBatch([{ n: 4 }]))
  clock.ms += 60_000
  await beat()
  await beat()
  expect(spool.stats()).toMatchObject({ totalFlushedEvents: 2, pendingFiles: 0 })
  await spool.close()
})

test('a start without HDFS takes nothing until it is there', async () => {
  let isAway = true
  const hdfs = createMemoryHdfs({ fail: () => (isAway ? 'before' : undefined) })
  const { spool, beat } = await openOn(hdfs, createTearingDisk(), replicaOn(hdfs))
  await expect(spool.append(jsonBatch([{ n: 1 }]))).rejects.toMatchObject({ code: 'unavailable' })
  isAway = false
  await beat()
  await spool.append(jsonBatch([{ n: 1 }]))
  await spool.close()
})

test('what became of a file is known as long as another one of its segment is not in the file system', async () => {
  const hdfs = createMemoryHdfs()
  const disk = createTearingDisk()
  const { spool, beat, clock } = await openOn(hdfs, disk, replicaOn(hdfs))
  const id = await idOf(disk)
  await hdfs.memory.create('/events/Two', whole(Buffer.from('a file where a directory should be')))
  await spool.append(jsonBatch([{ n: 1 }], { name: 'One' }))
  await spool.append(jsonBatch([{ n: 2 }], { name: 'Two' }))
  clock.ms += 60_000
  for (let n = 0; n < 4; n++) {
    await beat()
    clock.ms += 3_600_000
  }
  expect(spool.stats()).toMatchObject({ totalFlushedEvents: 1 })
  const ledger = Buffer.from((await hdfs.contents(`/events/_log/${id}/ledger`)) ?? '').toString()
  expect([ledger.includes('"committed"'), ledger.includes('"removed"')]).toEqual([true, false])
  expect((await namesThere(hdfs, id)).filter(name => name.startsWith('log-'))).toEqual(['log-0000000001.log'])
  await spool.close()
})

test('nor is it forgotten by a start that cannot look yet which segments are there', async () => {
  let isAway = false
  const hdfs = createMemoryHdfs({ fail: () => (isAway ? 'before' : undefined) })
  const disk = createTearingDisk()
  const { spool, beat, clock } = await openOn(hdfs, disk, replicaOn(hdfs))
  await hdfs.memory.create('/events/Two', whole(Buffer.from('a file where a directory should be')))
  for (const name of ['One', 'Two']) await spool.append(jsonBatch([{ n: 1 }], { name }))
  clock.ms += 60_000
  await beat()
  expect(spool.stats()).toMatchObject({ totalFlushedEvents: 1 })
  await spool.close()
  isAway = true
  clock.ms += 86_400_000
  const copies = (): string[] => disk.paths.filter(path => path.startsWith('sealed/'))
  const before = copies()
  const next = await openOn(hdfs, disk, replicaOn(hdfs), { clock })
  await next.beat()
  expect(copies()).toEqual(before)
  await next.spool.close()
})

test.for(['the first attempt', 'an attempt that is made again'])(
  'columns that %s brings are there before files with them, and those that are forgotten are not',
  async which => {
    const hdfs = createMemoryHdfs()
    const disk = createTearingDisk()
    const real = createSealing(disk)
    let fails = which !== 'the first attempt'
    const sealing = {
      ...real,
      seal: async (...request: Parameters<typeof real.seal>) => {
        const result = await real.seal(...request)
        if (!fails) return result
        fails = false
        throw new Error('the thread has ended')
      },
    }
    const { spool, beat, clock } = await openOn(hdfs, disk, replicaOn(hdfs), {
      sealing,
      settings: { outputFormat: 'parquet', outputCodec: 'zstd' },
    })
    const schemas = async (): Promise<readonly (string | undefined)[]> => [
      Buffer.from((await hdfs.contents(`/events/_log/${await idOf(disk)}/schemas`)) ?? '').toString(),
      Buffer.from(await disk.read('schemas')).toString(),
    ]
    // What may be forgotten, and is not known yet.
    await spool.forgetSchema('Hello')
    await spool.append(jsonBatch([{ n: 1 }]))
    for (let n = 0; n < 3; n++) {
      clock.ms += 60_000
      await beat()
    }
    expect(spool.stats()).toMatchObject({ totalFlushedEvents: 1 })
    const [there, here] = await schemas()
    expect([there, here?.includes('Hello')]).toEqual([here, true])
    await spool.forgetSchema('Hello')
    const [after, now] = await schemas()
    expect([after, now?.includes('Hello')]).toEqual([now, false])
    await spool.close()
  },
)

test('what is asked of a spool while HDFS is away is refused with what to do, and done once it is back', async () => {
  let isAway = false
  const hdfs = createMemoryHdfs({ fail: () => (isAway ? 'before' : undefined) })
  const { spool, beat } = await openOn(hdfs, createTearingDisk(), replicaOn(hdfs))
  await spool.append(jsonBatch([{ n: 1 }]))
  isAway = true
  const refused = {
    code: 'unavailable',
    status: 503,
    message: expect.stringMatching(/Retry when the file system accepts the log again/),
  }
  for (const ask of ['drain', 'disableFlush', 'enableFlush'] as const)
    await expect(spool[ask]()).rejects.toMatchObject(refused)
  expect(spool.stats()).toMatchObject({ drained: false, flushEnabled: true })
  isAway = false
  await beat()
  await spool.drain()
  expect(spool.stats()).toMatchObject({ drained: true })
  await spool.close()
})

/** Whether a start would start over under another id. */
const isSetAside = async (hdfs: MemoryHdfs, disk: Disk): Promise<boolean> =>
  (await settleCopy(
    disk,
    { fileSystem: hdfs, outputDirectory: '/events', urlOf: () => hdfs.url, mountPoints: ['/'] },
    silent,
  )) !== undefined

test('a stop with all in the file system leaves no log, and the next start makes one anew under the same id', async () => {
  const hdfs = createMemoryHdfs()
  const disk = createTearingDisk()
  const { spool } = await openOn(hdfs, disk, replicaOn(hdfs))
  const id = await idOf(disk)
  await spool.append(jsonBatch([{ n: 1 }]))
  await spool.close()
  expect(await listAll(hdfs, '/events/_log')).toEqual([])
  const killed = disk.kill()
  expect(await isSetAside(hdfs, killed)).toBe(false)
  const next = await openOn(hdfs, killed, replicaOn(hdfs))
  await next.spool.append(jsonBatch([{ n: 2 }]))
  expect(await namesThere(hdfs, id)).toEqual(expect.arrayContaining(['id', 'ledger', 'log-0000000002.log']))
  await next.spool.close()
  expect((await readEvents(hdfs)).map(({ payload }) => payload['n'])).toEqual([1, 2])
})

test('a sign of life that comes too late finds no log, and takes it for none that was taken', async () => {
  const hdfs = createMemoryHdfs()
  const disk = createTearingDisk()
  let after = (): void => {}
  const leaving: MemoryHdfs = {
    ...hdfs,
    delete: async (path, options) => {
      const wasThere = await hdfs.delete(path, options)
      after()
      return wasThere
    },
  }
  const replica = replicaOn(leaving)
  const { spool } = await openOn(leaving, disk, replica)
  const directory = `/events/_log/${await idOf(disk)}`
  const seen: boolean[] = []
  after = () => {
    seen.push(replica.isOurs)
    replica.fence(`${directory} is not there any more`)
  }
  await spool.close()
  expect([seen.at(-1), replica.state.name]).toEqual([false, 'in-step'])
})

test('a stop with something left leaves its log, for whoever takes it over', async () => {
  const hdfs = createMemoryHdfs()
  const refusing: FileSystem = {
    ...hdfs,
    publish: (path, source, options) => {
      if (path.includes('/Denied/')) throw new FileSystemError('denied', path, 'no')
      return hdfs.publish(path, source, options)
    },
  }
  const disk = createTearingDisk()
  const settings = { ack: 'replicated' } as const
  const { spool } = await openTestSpool({ disk, fileSystem: refusing, replica: replicaOn(hdfs), settings })
  await spool.append(jsonBatch([{ n: 1 }], { name: 'Denied' }))
  await spool.close()
  expect(await namesThere(hdfs, await idOf(disk))).toContain('log-0000000001.log')
})

test('a stop whose log was taken meanwhile does not pass for one that left nothing', async () => {
  const hdfs = createMemoryHdfs()
  const disk = createTearingDisk()
  const { spool } = await openOn(hdfs, disk, replicaOn(hdfs))
  const id = await idOf(disk)
  await directoriesOf(hdfs).rename(`/events/_log/${id}`, `/events/_log/${id}.${'b'.repeat(32)}`)
  await spool.close()
  expect(await listAll(hdfs, '/events/_log')).toHaveLength(1)
  expect(await isSetAside(hdfs, disk.kill())).toBe(true)
})

test('files of before the log was in HDFS: this collector says that they are here alone, and a taker names them as lost', async () => {
  const hdfs = createMemoryHdfs()
  const disk = createTearingDisk()
  const before = await openTestSpool({ disk, fileSystem: hdfs })
  await hdfs.memory.create('/events/Two', whole(Buffer.from('a file where a directory should be')))
  for (const name of ['One', 'Two']) await before.spool.append(jsonBatch([{ n: 1 }], { name }))
  await before.spool.close()
  const warned: unknown[] = []
  const log = { ...silent, warn: (...line: unknown[]) => void warned.push(line) }
  const { spool, beat } = await openOn(hdfs, disk, replicaOn(hdfs, {}, log))
  await beat()
  await beat()
  expect(warned.filter(line => JSON.stringify(line).includes('exist only on this machine'))).toHaveLength(1)
  await spool.append(jsonBatch([{ n: 2 }], { name: 'Three' }))
  const id = await idOf(disk)
  disk.kill()
  const taker = 'f'.repeat(32)
  await directoriesOf(hdfs).rename(`/events/_log/${id}`, `/events/_log/${id}.${taker}`)
  const signal = new AbortController().signal
  const taken = createTearingDisk()
  const options = {
    fileSystem: hdfs,
    outputDirectory: '/events',
    taker,
    signal,
    diskOf: () => taken,
    pause: async () => {},
  }
  await bringDown(options, { name: `${id}.${taker}`, id, keeper: taker }, () => {})
  const next = await openTestSpool({ disk: taken, fileSystem: hdfs })
  for (let n = 0; n < 3; n++) await next.beat()
  expect((await readEvents(hdfs)).map(({ payload }) => payload['n'])).toEqual([1, 2])
  expect(next.spool.stats()).toMatchObject({ pendingFiles: 0, quarantinedFiles: 0, lostSegments: ['0000000001.log'] })
  await next.spool.close()
})
