import { expect, test } from 'vitest'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import type { Logger } from '../../src/log/log.ts'
import { allIsWell, createClientLedger } from '../suites/ledger-of-client.ts'
import { createMemoryFileSystem, type MemoryOperation } from '../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, startMs } from '../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../suites/tearing-disk.ts'

const dayMs = 86_400_000
const stepMs = 10_000

/** What a file takes on the disk of this test, whatever its length, and what there is. */
const fileBytes = 4_096
const totalBytes = 2_000 * fileBytes
const minFreeBytes = 200 * fileBytes

/** While the file system is unavailable segments are sealed when they are full: here with two or three events. */
const maxSegmentBytes = 400

/** Files that the spool sends at once, and its shortest pause between passes once the file system has been away for long. */
const filesAtOnce = 4
const shortestPauseMs = 30_000

/** A spool, its disk and file system, and a clock that runs a day in seconds. */
const createDay = async () => {
  const client = createClientLedger()
  const clock = { ms: startMs }
  const attempts = new Map<MemoryOperation, number>()
  const renamed: string[] = []
  let isAway = true
  let lines = 0
  const fileSystem = createMemoryFileSystem({
    now: () => clock.ms,
    fail: (operation, path) => {
      attempts.set(operation, (attempts.get(operation) ?? 0) + 1)
      if (isAway) return new FileSystemError('unavailable', path, 'away')
      if (operation === 'rename') renamed.push(path.slice(path.lastIndexOf('/') + 1))
      return undefined
    },
  })
  const disk: TearingDisk = createTearingDisk({ freeBytes: () => totalBytes - disk.paths.length * fileBytes })
  const count = (): void => void lines++
  const log: Logger = { debug: () => {}, info: () => {}, warn: count, error: count }
  const { spool, beat } = await openTestSpool({
    disk,
    fileSystem,
    clock,
    log,
    settings: { minFreeBytes, maxSegmentBytes },
  })
  return {
    client,
    spool,
    fileSystem,
    attempts,
    renamed,
    get lines() {
      return lines
    },
    return: () => {
      isAway = false
    },
    /** Sends an event, and lets some time pass. */
    step: async (): Promise<'kept' | 'refused'> => {
      const n = client.issue()
      const answer = await spool.append(jsonBatch([{ n }])).then(
        () => 'kept' as const,
        (error: { code?: string }) => {
          expect(error.code).toBe('overloaded')
          return 'refused' as const
        },
      )
      if (answer === 'kept') client.acknowledge(n)
      clock.ms += stepMs
      await beat()
      return answer
    },
  }
}

test('R9: a file system that is unavailable for a day: taken up to the disk mark, then refused; afterwards all of it arrives, oldest first', async () => {
  const day = await createDay()
  const { client, spool, attempts, renamed } = day
  const answers: string[] = []
  for (let ms = 0; ms < dayMs; ms += stepMs) answers.push(await day.step())

  // Taken until the mark, refused from then on, and nothing in between.
  const taken = answers.indexOf('refused')
  expect(taken).toBeGreaterThan(0)
  expect(new Set(answers.slice(0, taken))).toEqual(new Set(['kept']))
  expect(spool.stats()).toMatchObject({
    accepting: false,
    refusal: expect.stringContaining('MB are free'),
    erroredEvents: 0,
  })
  expect(spool.stats().pendingEvents + spool.stats().openEvents).toBe(client.acknowledged.size)
  // With pauses between attempts, whatever happens meanwhile, and few words.
  const passes = dayMs / shortestPauseMs
  expect(attempts.get('create')).toBeGreaterThan(100)
  expect(attempts.get('create')).toBeLessThanOrEqual(passes * filesAtOnce)
  expect(attempts.get('listStatus')).toBeLessThanOrEqual(passes)
  expect(day.lines).toBeLessThanOrEqual(2 * passes)

  day.return()
  const waiting = spool.stats().pendingFiles
  while (spool.stats().pendingFiles > 0) await day.step()
  const sorted = [...renamed].sort()
  const outOfOrder = renamed.filter((name, index) => Math.abs(sorted.indexOf(name) - index) >= filesAtOnce)
  expect(outOfOrder).toEqual([])
  expect(renamed.length).toBeGreaterThanOrEqual(waiting)
  // Local copies of committed files go first, and then somebody looks at the free space.
  for (let step = 0; step < 2; step++) await day.step()
  expect(await day.step()).toBe('kept')

  await spool.processLeftBelowFiles()
  const found = (await readEvents(day.fileSystem)).map(({ payload }) => Number(payload['n']))
  expect(client.compare(found)).toEqual(allIsWell)
  expect(spool.stats()).toMatchObject({ pendingFiles: 0, quarantinedFiles: 0, totalFlushedEvents: found.length })
})
