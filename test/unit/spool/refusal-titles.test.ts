import { expect, test } from 'vitest'
import { causeTitles, errorTable, toProblem } from '../../../src/errors.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { parseError, printError } from '../../../src/readers/wire.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createMemoryHdfs } from '../../suites/memory-hdfs.ts'
import { jsonBatch, openTestSpool, type TestSpool } from '../../suites/spool.ts'
import { createTearingDisk, type TearingDiskOptions } from '../../suites/tearing-disk.ts'
import { replicaOn } from './takeover/lost-collector.ts'

const eio = (): Error => Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' })
const appendsNothing: TearingDiskOptions = {
  fail: (operation, path) => (operation === 'append' && path.startsWith('log/') ? eio() : undefined),
}
const append = ({ spool }: TestSpool): Promise<unknown> => spool.append(jsonBatch([{ n: 1 }]))

/** What makes a spool refuse an event, and what the title of the 503 names. */
const causes: readonly (readonly [cause: string, TearingDiskOptions, (at: TestSpool) => Promise<unknown>, RegExp])[] = [
  ['a write of the log that fails', appendsNothing, async () => {}, /^The disk of the spool cannot be written$/],
  [
    'a log that has failed',
    appendsNothing,
    at => append(at).catch(() => {}),
    /^The disk of the spool cannot be written$/,
  ],
  ['a full disk', { freeBytes: () => -1 }, async () => {}, /^The disk of the spool is full$/],
  ['a drain', {}, ({ spool }) => spool.drain(), /^The collector is drained$/],
  ['a stop', {}, ({ spool }) => spool.close(), /^The server is shutting down$/],
]

test.each(causes)('%s is what the title of its 503 names', async (_, disk, prepare, title) => {
  const at = await openTestSpool({ disk: createTearingDisk(disk), fileSystem: createMemoryFileSystem() })
  await prepare(at)
  const problem = toProblem(await append(at).catch((error: unknown) => error))
  expect(problem).toMatchObject({ status: 503, title: expect.stringMatching(title) })
})

test('HDFS that does not take the log is what the title of its 503 names, and never the disk', async () => {
  let isAway = false
  const hdfs = createMemoryHdfs({ fail: () => (isAway ? 'before' : undefined) })
  const disk = createTearingDisk()
  const replica = replicaOn(hdfs)
  const at = await openTestSpool({ disk, fileSystem: hdfs, replica, settings: { ack: 'replicated' } })
  isAway = true
  const refused = { status: 503, title: 'HDFS does not accept the log', detail: expect.stringContaining('it is away') }
  await append(at).catch(() => {})
  expect(toProblem(await append(at).catch((error: unknown) => error))).toMatchObject(refused)
  isAway = false
  // It is there again, and the log was not tried yet.
  await replica.attach()
  expect(replica.isInStep).toBe(true)
  expect(toProblem(await append(at).catch((error: unknown) => error))).toMatchObject(refused)
  await at.beat()
  await append(at)
  await at.spool.close()
})

test('no two causes have one title, and only a file system is called one', () => {
  const titles = [...Object.values(causeTitles), ...Object.values(errorTable).map(({ title }) => title)]
  expect(new Set(titles).size).toBe(titles.length)
  const away = new FileSystemError('unavailable', '/a', 'nobody answers')
  expect(toProblem(away).title).toBe('The file system is unavailable')
})

test('a title comes through from a reader', async () => {
  const at = await openTestSpool({ disk: createTearingDisk(), fileSystem: createMemoryFileSystem() })
  await at.spool.drain()
  const error = await append(at).catch((thrown: unknown) => thrown)
  expect(toProblem(parseError(printError(error)))).toEqual(toProblem(error))
})
