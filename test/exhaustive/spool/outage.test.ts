import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import type { Logger } from '../../../src/log/log.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import type { SpoolSettings } from '../../../src/spool/spool-settings.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, silent, startMs } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

const types = 100

/** Events a second; the long form has 1 000, and segments of their usual size. */
const eventsPerSecond = Number(process.env['SLUICE_TEST_OUTAGE_EVENTS'] ?? types)
const maxSegmentBytes = eventsPerSecond * 40_000

/** This many events, equally many of each type, in one request. */
const ofAllTypes = (count: number): Batch => {
  const names = Array.from({ length: count }, (_, index) => `Type${index % types}`)
  const body = JSON.stringify(names.map((eventName, n) => ({ eventName, payload: { n } })))
  const events = names.map((name, index) => ({ index, name, date: startMs, granularity: 'HOURLY' as const }))
  return { api: 'POST_Json_API', format: 'json', events, body: new TextEncoder().encode(body) }
}

const createOutage = async (settings: Partial<SpoolSettings> = {}, log: Logger = silent) => {
  const away = { is: true }
  const clock = { ms: startMs }
  const fileSystem = createMemoryFileSystem({
    now: () => clock.ms,
    fail: (_, path) => (away.is ? new FileSystemError('unavailable', path, 'away') : undefined),
  })
  const disk = createTearingDisk()
  const { spool, beat } = await openTestSpool({ disk, fileSystem, clock, log, settings })
  const second = async (batch: Batch): Promise<void> => {
    await spool.append(batch)
    clock.ms += 1_000
    await beat()
  }
  return { spool, beat, clock, away, fileSystem, second }
}

describe('R24: files that wait follow the bytes and the types, not the hours', () => {
  test('an hour without the file system', { timeout: 600_000 }, async () => {
    const { spool, beat, clock, away, fileSystem, second } = await createOutage({ maxSegmentBytes })
    const batch = ofAllTypes(eventsPerSecond)
    for (let seconds = 0; seconds < 3_600; seconds++) await second(batch)

    const { pendingFiles, writtenBytes, writtenEvents, openEvents, pendingEvents } = spool.stats()
    const full = Math.floor(writtenBytes / maxSegmentBytes)
    expect(full).toBeGreaterThan(1)
    expect(pendingFiles).toBeGreaterThanOrEqual(types * full)
    expect(pendingFiles).toBeLessThanOrEqual(types * (writtenBytes / maxSegmentBytes + 2))
    expect(openEvents + pendingEvents).toBe(writtenEvents)

    away.is = false
    // The longest pause between two attempts, then the commit, the sealing of what was held back, and its commit.
    for (let seconds = 0; seconds < 63; seconds++) {
      clock.ms += 1_000
      await beat()
    }
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, openEvents: 0, flushedEvents: writtenEvents })
    expect((await readEvents(fileSystem)).length).toBe(writtenEvents)
  })

  test('flushing that is disabled, then enabled again', async () => {
    const { spool, beat, clock, away, second } = await createOutage()
    away.is = false
    await spool.disableFlush()
    for (let minutes = 0; minutes < 60; minutes++) {
      clock.ms += 59_000
      await second(ofAllTypes(types))
    }
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, openEvents: 60 * types, flushedEvents: 0 })
    await spool.enableFlush()
    await beat()
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, openEvents: 0, flushes: types, flushedEvents: 60 * types })
  })

  test('who asks gets them sealed at once, in both cases', async () => {
    const { spool, second, away, clock } = await createOutage()
    for (let minutes = 0; minutes < 3; minutes++) {
      clock.ms += 59_000
      await second(ofAllTypes(types))
    }
    expect(spool.stats()).toMatchObject({ pendingFiles: types, openEvents: 2 * types })
    expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 0 })
    expect(spool.stats()).toMatchObject({ pendingFiles: 2 * types, openEvents: 0 })
    away.is = false
    await spool.disableFlush()
    await second(ofAllTypes(types))
    expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 3 * types, failures: 0 })
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, openEvents: 0, flushedEvents: 4 * types })
  })
})

test('a stop with a backlog says what waits for the next start; one without says nothing', async () => {
  const lines: object[] = []
  const log: Logger = {
    ...silent,
    warn: (fields, message) => void (message.startsWith('stopped with') && lines.push(fields)),
  }
  const { spool } = await createOutage({}, log)
  await spool.append(jsonBatch([{ a: 1 }, { a: 2 }]))
  await spool.append(jsonBatch([{ a: 3 }], { name: 'Other' }))
  await spool.close()
  expect(lines).toEqual([{ files: 2, events: 3, bytes: expect.any(Number) }])

  lines.length = 0
  const idle = await createOutage({}, log)
  idle.away.is = false
  await idle.spool.append(jsonBatch([{ a: 1 }]))
  await idle.spool.close()
  expect(lines).toEqual([])
})
