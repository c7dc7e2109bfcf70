import { expect, test } from 'vitest'
import { checkRoom, copyDown, hasSpool } from '../../../../src/spool/takeover/copy-down.ts'
import { listAt } from '../../../../src/spool/takeover/take.ts'
import { seededRandom } from '../../../suites/crash-world.ts'
import { chunksOf } from '../../../suites/file-text.ts'
import { createMemoryHdfs, type MemoryHdfs, whole } from '../../../suites/memory-hdfs.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

const id = 'a'.repeat(32)
const directory = `/events/_log/${id}.${'b'.repeat(32)}`

/** Names there, and the paths that they have here; undefined of what stays there. */
const files: Readonly<Record<string, string | undefined>> = {
  ledger: 'ledger',
  format: 'format',
  id: 'id',
  'log-0000000001.log': 'log/0000000001.log',
  'log-0000000002.log': 'log/0000000002.log',
  'keys-0000000001.keys': 'keys/0000000001.keys',
  alive: undefined,
  taken: undefined,
  'ledger.1.copy': undefined,
}

const createHdfs = async (): Promise<MemoryHdfs> => {
  const hdfs = createMemoryHdfs()
  for (const name of Object.keys(files)) await hdfs.memory.create(`${directory}/${name}`, chunksOf(`of ${name}`))
  return hdfs
}

const copy = async (
  hdfs: MemoryHdfs,
  disk: TearingDisk,
  prepare: () => Promise<void> = async () => {},
): Promise<void> => copyDown({ fileSystem: hdfs, signal }, await listAt(hdfs, directory), disk, id, prepare)

const { signal } = new AbortController()

const text = (disk: TearingDisk, path: string): string => new TextDecoder().decode(disk.contents(path))

const expectWhole = (disk: TearingDisk): void => {
  const here = Object.entries(files).flatMap(([name, path]) => (path === undefined ? [] : [[path, `of ${name}`]]))
  expect(Object.fromEntries(disk.paths.map(path => [path, text(disk, path)]))).toEqual({
    ...Object.fromEntries(here),
    id: `${id}\n`,
  })
}

test('a copy becomes a spool, with the id of its log', async () => {
  const disk = createTearingDisk()
  await copy(await createHdfs(), disk)
  expect(await hasSpool(disk)).toBe(true)
  expectWhole(disk)
})

test('whatever stops it, the directory is no spool, or a whole one, and it can be done again', async () => {
  const hdfs = await createHdfs()
  let steps = 0
  const count = createTearingDisk({
    fail: () => {
      steps++
      return undefined
    },
  })
  await copy(hdfs, count)
  expect(steps).toBeGreaterThan(20)
  for (const how of ['kill', 'power cut'] as const)
    for (let stopAt = 1; stopAt <= steps; stopAt++) {
      let left = stopAt
      const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
      const disk = createTearingDisk({
        fail: () => {
          if (--left === 0) stop()
          return left <= 0 ? new Error('stopped') : undefined
        },
      })
      await Promise.race([copy(hdfs, disk).catch(() => {}), stopped])
      const next = how === 'kill' ? disk.kill() : disk.powerCut(seededRandom(stopAt))
      if (await hasSpool(next)) expectWhole(next)
      else await copy(hdfs, next)
      expectWhole(next)
    }
})

test('once it is a spool, it is one after a power cut', async () => {
  const hdfs = await createHdfs()
  for (let seed = 0; seed < 20; seed++) {
    const disk = createTearingDisk()
    await copy(hdfs, disk)
    expectWhole(disk.powerCut(seededRandom(seed)))
  }
})

test('what was not prepared is no spool', async () => {
  const disk = createTearingDisk()
  await expect(copy(await createHdfs(), disk, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await hasSpool(disk)).toBe(false)
})

test('a file of which not all can be read is an error that may pass', async () => {
  const hdfs = await createHdfs()
  const listed = (await listAt(hdfs, directory)).map(file => ({ ...file, length: file.length + 1 }))
  const disk = createTearingDisk()
  await expect(copyDown({ fileSystem: hdfs, signal }, listed, disk, id, async () => {})).rejects.toMatchObject({
    code: 'unavailable',
  })
  expect(await hasSpool(disk)).toBe(false)
})

test('a disk keeps what has to stay free, also where others fill it meanwhile', async () => {
  const hdfs = await createHdfs()
  const listed = await listAt(hdfs, directory)
  const bytes = listed.reduce((sum, { length }) => sum + length, 0)
  const spaceLeft = async (freeBytes: number, more = 0): Promise<TearingDisk> => {
    let looks = 0
    const disk = createTearingDisk({ freeBytes: () => freeBytes - (looks++ === 0 ? 0 : more) })
    await copyDown({ fileSystem: hdfs, signal, keepFree: () => 50 }, listed, disk, id, async () => {})
    return disk
  }
  await expect(spaceLeft(bytes + 49)).rejects.toThrow(`the log of ${id} needs 1 MB, and 1 MB are free in `)
  await expect(spaceLeft(bytes + 50, 100)).rejects.toMatchObject({ name: 'NoRoom' })
  expectWhole(await spaceLeft(bytes + 50))
})

test('how much stays free is asked for the size of the disk, and told', async () => {
  const disk = (freeBytes: number) => ({ directory: '/spool', space: async () => ({ freeBytes, totalBytes: 90e6 }) })
  const log = { id, bytes: 30e6 }
  const keepFree = (totalBytes: number): number => totalBytes / 3
  await checkRoom(disk(60e6), log, keepFree)
  await expect(checkRoom(disk(60e6 - 1), log, keepFree)).rejects.toThrow(
    `the log of ${id} needs 30 MB, and 60 MB are free in /spool, of which 30 MB stay free (collector.diskspool.min-free-bytes)`,
  )
  await checkRoom(disk(30e6), log)
  await expect(checkRoom(disk(30e6 - 1), log)).rejects.toThrow('of which 0 MB stay free')
})

test('a read that hangs ends with an error that names the file, and what was copied is no spool', async () => {
  const hdfs = createMemoryHdfs()
  const at = `${directory}/ledger`
  await hdfs.memory.create(at, whole(Buffer.from('x')))
  const hanging = { ...hdfs, open: async () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) }) }
  const disk = createTearingDisk()
  const waits: number[] = []
  const later = (ms: number, call: () => void) => {
    // That of the read, once the file is open.
    if (waits.push(ms) === 2) call()
    return () => {}
  }
  const copied = copyDown(
    { fileSystem: hanging, signal, later },
    await listAt(hdfs, directory),
    disk,
    id,
    async () => {},
  )
  await expect(copied).rejects.toThrow(`The file system has not answered for 120 s: a call for "${at}" hangs`)
  expect(await hasSpool(disk)).toBe(false)
})
