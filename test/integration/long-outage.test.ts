import { expect, test } from 'vitest'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import type { Logger } from '../../src/log/log.ts'
import { createReplica } from '../../src/spool/replica/replica.ts'
import type { ReplicatedSettings } from '../../src/spool/replica/replicated-settings.ts'
import { allIsWell, createClientLedger } from '../suites/ledger-of-client.ts'
import { createMemoryFileSystem, type MemoryOperation } from '../suites/memory-filesystem.ts'
import { createMemoryHdfs } from '../suites/memory-hdfs.ts'
import { jsonBatch, openTestSpool, readEvents, startMs, testSettings } from '../suites/spool.ts'
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

/**
 * A spool, its disk and file system, and a clock that runs a day in seconds.
 * @param log what happens to events while the log cannot be written to HDFS, of a spool whose log is there as well; the
 * file system is there at first then
 * @param share of the files that fit on the disk
 */
const createDay = async (log?: ReplicatedSettings['whenUnavailable'], share = 1) => {
  const client = createClientLedger()
  const clock = { ms: startMs }
  const attempts = new Map<MemoryOperation, number>()
  const renamed: string[] = []
  let isAway = log === undefined
  let lines = 0
  const memory = createMemoryFileSystem({
    now: () => clock.ms,
    fail: (operation, path) => {
      attempts.set(operation, (attempts.get(operation) ?? 0) + 1)
      if (isAway) return new FileSystemError('unavailable', path, 'away')
      if (operation === 'rename') renamed.push(path.slice(path.lastIndexOf('/') + 1))
      return undefined
    },
  })
  const fileSystem = createMemoryHdfs({ memory, fail: () => (isAway ? 'before' : undefined) })
  const disk: TearingDisk = createTearingDisk({ freeBytes: () => share * totalBytes - disk.paths.length * fileBytes })
  const count = (): void => void lines++
  const logger: Logger = { debug: () => {}, info: () => {}, warn: count, error: count }
  const replica =
    log &&
    createReplica({
      fileSystem,
      outputDirectory: '/events',
      settings: () => ({ ...testSettings.replicated, whenUnavailable: log }),
      log: logger,
      now: () => clock.ms,
      onFenced: () => {},
    })
  const { spool, beat } = await openTestSpool({
    disk,
    fileSystem,
    clock,
    log: logger,
    replica,
    settings: { minFreeBytes: share * minFreeBytes, maxSegmentBytes, ack: log ? 'replicated' : 'fsync' },
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
    replica,
    leave: () => {
      isAway = true
    },
    return: () => {
      isAway = false
    },
    /** Sends an event, and lets some time pass. @param code of the refusal; `none` where there may be no answer */
    step: async (code: 'overloaded' | 'unavailable' | 'none' = 'overloaded'): Promise<'kept' | 'refused' | 'none'> => {
      const n = client.issue()
      const answer = await spool.append(jsonBatch([{ n }])).then(
        () => 'kept' as const,
        (error: Error & { code?: string }) => {
          if (code === 'none' && error.name === 'OutcomeUnknown') return 'none' as const
          expect(error.code).toBe(code)
          return 'refused' as const
        },
      )
      if (answer === 'kept') client.acknowledge(n)
      if (answer === 'refused') client.refuse(n)
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
  // Local copies of committed files go first, before the free space is checked.
  for (let step = 0; step < 2; step++) await day.step()
  expect(await day.step()).toBe('kept')

  await spool.processLeftBelowFiles()
  const found = (await readEvents(day.fileSystem)).map(({ payload }) => Number(payload['n']))
  expect(client.compare(found)).toEqual(allIsWell)
  expect(spool.stats()).toMatchObject({ pendingFiles: 0, quarantinedFiles: 0, totalFlushedEvents: found.length })
})

const hourMs = 3_600_000

/** All that waits arrives, once, and events are taken as before. */
const expectAllArrives = async (day: Awaited<ReturnType<typeof createDay>>): Promise<void> => {
  const { client, spool, renamed } = day
  const before = renamed.length
  for (let step = 0; step < 3; step++) await day.step()
  while (spool.stats().pendingFiles > 0) await day.step()
  await spool.processLeftBelowFiles()
  const sent = renamed.slice(before).filter(name => name.endsWith('.jsonl'))
  const sorted = [...sent].sort()
  expect(sent.filter((name, index) => Math.abs(sorted.indexOf(name) - index) >= filesAtOnce)).toEqual([])
  const found = (await readEvents(day.fileSystem)).map(({ payload }) => Number(payload['n']))
  expect(client.compare(found)).toEqual(allIsWell)
  expect(spool.stats()).toMatchObject({ pendingFiles: 0, quarantinedFiles: 0, totalFlushedEvents: found.length })
  expect(day.replica?.status()).toMatchObject({ state: 'in-step', behindBytes: 0 })
}

test('R9: a log in HDFS that is unavailable, refuse: 503 until it is there again, and all that was taken arrives once', async () => {
  const day = await createDay('refuse')
  for (let step = 0; step < 10; step++) expect(await day.step()).toBe('kept')
  day.leave()
  // Of the one that finds it away it is not known whether it is kept.
  await day.step('none')
  for (let ms = 0; ms < hourMs; ms += stepMs) expect(await day.step('unavailable')).toBe('refused')
  expect(day.spool.stats()).toMatchObject({
    accepting: false,
    refusal: expect.stringContaining('the log cannot be replicated'),
  })
  day.return()
  // The next heartbeat brings it in step.
  await day.step('unavailable')
  expect(await day.step()).toBe('kept')
  await expectAllArrives(day)
})

test('R9: a log in HDFS that is unavailable, local: taken up to the disk mark, told so, then refused; afterwards all of it arrives, oldest first', async () => {
  const day = await createDay('local', 0.1)
  const { client, spool, replica } = day
  for (let step = 0; step < 10; step++) expect(await day.step()).toBe('kept')
  expect(spool.durability).toBe('full')
  day.leave()
  const answers: string[] = []
  for (let ms = 0; ms < 2 * hourMs; ms += stepMs) answers.push(await day.step())
  const taken = answers.indexOf('refused')
  expect(taken).toBeGreaterThan(100)
  expect(new Set(answers.slice(0, taken))).toEqual(new Set(['kept']))
  expect(spool.durability).toBe('local')
  expect(replica?.status()).toMatchObject({ state: 'away', localEvents: answers.filter(one => one === 'kept').length })
  expect(replica?.status().behindBytes).toBeGreaterThan(0)
  expect(client.acknowledged.size).toBe(10 + answers.filter(one => one === 'kept').length)
  day.return()
  // Local copies of committed files go first, before the free space is checked.
  let steps = 0
  while (spool.stats().pendingFiles > 0 || !spool.stats().accepting) {
    await day.step()
    expect(++steps).toBeLessThan(500)
  }
  await expectAllArrives(day)
  expect(spool.durability).toBe('full')
})
