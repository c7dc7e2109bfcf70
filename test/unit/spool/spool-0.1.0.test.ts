import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import type { BucketFile } from '../../../src/spool/files/bucket-file.ts'
import type { SpoolSettings } from '../../../src/spool/spool-settings.ts'
import { bucketLines } from '../../../src/spool/tool/bucket-events.ts'
import { dumpSpool } from '../../../src/spool/tool/dump.ts'
import { verifySpool } from '../../../src/spool/tool/verify.ts'
import { openTestSpool, readFiles, startMs, type TestSpool } from '../../suites/spool.ts'

const fixture = join(import.meta.dirname, '../../fixtures/spool-0.1.0')

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A copy of what 0.1.0 left; its time continues twenty minutes later. */
const createLegacy = async (name: 'busy' | 'held') => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-0.1.0-'))
  ends.push(() => rm(root, { recursive: true, force: true }))
  await cp(join(fixture, name), root, { recursive: true })
  const fileSystem = await createLocalFileSystem({ root: join(root, 'fs') })
  const disk = createNodeDisk({ directory: join(root, 'spool') })
  const start = async (settings: Partial<SpoolSettings> = {}): Promise<TestSpool> => {
    const test = await openTestSpool({
      disk,
      fileSystem,
      clock: { ms: startMs + 1_800_000 },
      settings: { outputFormat: 'native', ...settings },
    })
    ends.unshift(() => test.spool.close())
    return test
  }
  return { disk, fileSystem, start }
}

/** Numbers of the events in files of any format, in ascending order. */
const numbers = async (fileSystem: FileSystem): Promise<number[]> => {
  const found: number[] = []
  for (const [path, bytes] of await readFiles(fileSystem)) {
    for await (const line of bucketLines(bytes, kindOf(path))) found.push(numberOf(line))
  }
  return found.sort((a, b) => a - b)
}

const kindOf = (path: string): Pick<BucketFile, 'directory' | 'format' | 'codec' | 'kind'> => ({
  directory: dirname(path),
  format: path.includes('.jsonl') ? 'jsonl' : 'native',
  codec: path.endsWith('.gz') ? 'gzip' : 'none',
  kind: path.endsWith('.thrift') ? 'thrift' : 'smile',
})

/** JSON and Smile events carry a number, Thrift events one text. */
const numberOf = (line: string): number => Number(/"n":(\d+)|n=(\d+)/.exec(line)?.slice(1).join(''))

const drain = async ({ beat, clock }: TestSpool): Promise<void> => {
  for (let i = 0; i < 4; i++) {
    clock.ms += 120_000
    await beat()
  }
}

test('R22: every event of a busy spool of 0.1.0 is in the file system once, and what was quarantined is retried', async () => {
  const { fileSystem, start } = await createLegacy('busy')
  const test = await start()
  expect(test.spool.stats()).toMatchObject({ flushEnabled: true, totalFlushedEvents: 8, quarantinedFiles: 3 })
  await drain(test)
  expect(await numbers(fileSystem)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20, 21, 22])
  expect(test.spool.stats()).toMatchObject({
    pendingFiles: 0,
    openEvents: 0,
    totalFlushedEvents: 21,
    quarantinedFiles: 2,
    quarantinedEvents: 0,
  })
})

test('its keys are replayed, except the one whose request was refused; a second start knows them too', async () => {
  const { start } = await createLegacy('busy')
  for (let starts = 0; starts < 2; starts++) {
    const test = await start()
    for (const key of ['key-snapshot', 'key-ledger', 'key-closed', 'key-broken', 'key-open'])
      expect(await test.spool.recall(key)?.outcome, key).toMatchObject({ rejected: 0, errors: [] })
    expect(test.spool.recall('key-refused')).toBeUndefined()
    await drain(test)
  }
})

test('flushing that was disabled stays disabled, and what waited comes when it is enabled', async () => {
  const { fileSystem, start } = await createLegacy('held')
  const test = await start({ outputFormat: 'jsonl' })
  await drain(test)
  expect(test.spool.stats()).toMatchObject({ flushEnabled: false, pendingEvents: 2, quarantinedFiles: 0 })
  expect(await numbers(fileSystem)).toEqual([0])
  expect(await test.spool.recall('key-ledger')?.outcome).toMatchObject({ accepted: 1 })
  expect(await test.spool.recall('key-open')?.outcome).toMatchObject({ accepted: 1 })
  await test.spool.enableFlush()
  await drain(test)
  expect(await numbers(fileSystem)).toEqual([0, 1, 2])
})

test('the tools that look at a spool offline read it', async () => {
  const { disk } = await createLegacy('busy')
  const { findings, segmentEvents, fileEvents } = await verifySpool(disk, { isHeld: false })
  expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
  expect({ segmentEvents, fileEvents }).toEqual({ segmentEvents: 7, fileEvents: 6 })
  const problems: string[] = []
  const waiting: number[] = []
  for await (const { line } of dumpSpool(disk, { onProblem: (_, problem) => problems.push(problem) }))
    waiting.push(numberOf(line))
  expect(waiting.sort((a, b) => a - b)).toEqual([8, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20, 21, 22])
  expect(problems).toEqual([])
})
