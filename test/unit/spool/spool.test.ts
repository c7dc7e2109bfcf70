import { beforeEach, describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { createSealing } from '../../../src/spool/seal/sealing.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, readFiles, startMs, thriftBatch } from '../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../suites/tearing-disk.ts'

let disk: TearingDisk
let fileSystem: ReturnType<typeof createMemoryFileSystem>
beforeEach(() => {
  disk = createTearingDisk()
  fileSystem = createMemoryFileSystem()
})

describe('createSpool', () => {
  test('an event is in the file system after the flush interval, once, in its bucket', async () => {
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem })
    await spool.append(jsonBatch([{ a: 1 }, { a: 2, eventDate: 5, eventGranularity: 'DAILY' }]))
    await beat()
    expect(await readFiles(fileSystem)).toEqual(new Map())
    clock.ms += 30_000
    await beat()
    const files = await readFiles(fileSystem)
    expect([...files.keys()]).toEqual([
      `/events/Hello/2026/01/02/03/20260102T030405.000Z-${spool.stats().collectorId}-1-0.jsonl`,
    ])
    expect(await readEvents(fileSystem)).toEqual([
      { eventName: 'Hello', payload: { a: 1, eventDate: startMs, eventGranularity: 'HOURLY' } },
      { eventName: 'Hello', payload: { a: 2, eventDate: 5, eventGranularity: 'DAILY' } },
    ])
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, openEvents: 0, flushes: 1, flushedEvents: 2 })
    clock.ms += 60_000
    await beat()
    expect((await readFiles(fileSystem)).size).toBe(1)
  })

  test('files are where the layout says, and so are those that wait for them', async () => {
    const settings = { outputLayout: 'hive', outputEnvelope: false } as const
    const { spool } = await openTestSpool({ disk, fileSystem, settings })
    await spool.append(jsonBatch([{ a: 1 }], { granularity: 'DAILY' }))
    expect([...spool.stats().localFiles]).toEqual([['/events/Hello/dt=2026-01-02/hour=00|smile', 1]])
    await spool.processLeftBelowFiles()
    const [[path, bytes] = []] = await readFiles(fileSystem)
    expect(path).toMatch(/^\/events\/Hello\/dt=2026-01-02\/hour=00\/20260102T030405.000Z-.*-1-0.jsonl$/)
    expect(new TextDecoder().decode(bytes)).toMatch(/^{"eventName":"Hello","a":1,"eventDate":1767323045000,/)
  })

  const [hive, native, sequencefile] = ['hive', 'native', 'sequencefile'] as const
  test.each([
    // Two of MINUTE, one of HOURLY, one of DAILY, and a Monday that is a week as well.
    [{}, 5, '7 events of 2 kinds, and one file where they have a directory in common'],
    [{ outputLayout: hive }, 3, 'of the hour, of the day, of the Monday'],
    [{ outputFormat: native }, 6, 'Thrift events have a file of their own'],
    [{ outputFormat: native, outputLayout: hive }, 4, 'Thrift events have a file of their own'],
    [{ outputFormat: sequencefile, outputLayout: hive }, 4, 'Thrift events have a file of their own'],
  ])('events of one directory are one file: %j makes %i', async (settings, want, _why) => {
    const { spool } = await openTestSpool({ disk, fileSystem, settings })
    const monday = startMs - 4 * 86_400_000
    await spool.append(jsonBatch([{ n: 0 }], { granularity: 'MINUTE' }))
    await spool.append(thriftBatch('1'))
    await spool.append(jsonBatch([{ n: 2 }], { granularity: 'MINUTE', date: startMs + 60_000 }))
    await spool.append(jsonBatch([{ n: 3 }]))
    await spool.append(jsonBatch([{ n: 4 }], { granularity: 'DAILY' }))
    await spool.append(jsonBatch([{ n: 5 }], { granularity: 'DAILY', date: monday }))
    await spool.append(jsonBatch([{ n: 6 }], { granularity: 'WEEKLY' }))
    await spool.processLeftBelowFiles()
    const paths = [...(await readFiles(fileSystem)).keys()]
    expect(paths).toHaveLength(want)
    expect(spool.stats()).toMatchObject({ flushedEvents: 7, flushes: want })
  })

  test('lines of all kinds are in one file in the order of their arrival', async () => {
    const { spool } = await openTestSpool({ disk, fileSystem })
    const batches = [thriftBatch('a'), jsonBatch([{ n: 1 }]), thriftBatch('b'), jsonBatch([{ n: 2 }])]
    for (const batch of batches) await spool.append(batch)
    await spool.processLeftBelowFiles()
    expect((await readFiles(fileSystem)).size).toBe(1)
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'] ?? payload['1'])).toEqual(['a', 1, 'b', 2])
  })

  test('P9: what is sealed goes up although more is being sealed', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let beat = async (): Promise<void> => {}
    const sealing = createSealing(disk)
    const { spool } = await openTestSpool({
      disk,
      fileSystem,
      settings: { maxUncommittedEvents: 1, flushIntervalMs: 1 },
      heartbeat: body => {
        beat = body
        return () => {}
      },
      sealing: {
        ...sealing,
        seal: async request => {
          if (request.segment === 2) await released
          return sealing.seal(request)
        },
      },
    })
    await spool.append(jsonBatch([{ a: 1 }]))
    await spool.append(jsonBatch([{ a: 2 }]))
    const committed = async (): Promise<unknown[]> => {
      void beat()
      return await readEvents(fileSystem)
    }
    await expect.poll(committed).toMatchObject([{ payload: { a: 1 } }])
    expect(spool.stats()).toMatchObject({ openEvents: 1 })
    release()
    await expect.poll(committed).toMatchObject([{ payload: { a: 1 } }, { payload: { a: 2 } }])
  })

  test('a flush of everything takes what came before the clock was set back', async () => {
    const { spool, clock } = await openTestSpool({ disk, fileSystem })
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms -= 60_000
    expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 1, failures: 0 })
    expect(await readEvents(fileSystem)).toMatchObject([{ payload: { n: 1 } }])
  })

  test('positions that were rejected are not stored', async () => {
    const { spool } = await openTestSpool({ disk, fileSystem })
    const batch = jsonBatch([{ n: 0 }, { n: 1 }, { n: 2 }])
    await spool.append({ ...batch, events: batch.events.filter(({ index }) => index !== 1) })
    await spool.processLeftBelowFiles()
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).toEqual([0, 2])
  })

  test('native output: JSON becomes .smile, Thrift .thrift, in one bucket directory', async () => {
    const { spool } = await openTestSpool({ disk, fileSystem, settings: { outputFormat: 'native' } })
    await spool.append(jsonBatch([{ a: 1 }]))
    const thrift = thriftBatch('World')
    await spool.append(thrift)
    await spool.append(thrift)
    expect(spool.stats().localFiles).toEqual(
      new Map([
        ['/events/Hello/2026/01/02/03|smile', 1],
        ['/events/Hello/2026/01/02/03|thrift', 2],
      ]),
    )
    expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 2, failures: 0 })
    const files = [...(await readFiles(fileSystem))]
    expect(files.map(([path]) => path.slice(path.lastIndexOf('.')))).toEqual(['.smile', '.thrift'])
    expect(Buffer.from(files[1]?.[1] ?? [])).toEqual(Buffer.concat([thrift.body, thrift.body]))
  })

  test('a restart takes up what was appended, and does it once', async () => {
    const first = await openTestSpool({ disk, fileSystem })
    await first.spool.append(jsonBatch([{ n: 1 }]))
    const after = disk.powerCut(() => 0.99)
    const second = await openTestSpool({ disk: after, fileSystem })
    expect(second.spool.stats()).toMatchObject({ openEvents: 1, collectorId: first.spool.stats().collectorId })
    await second.spool.append(jsonBatch([{ n: 2 }]))
    await second.spool.processLeftBelowFiles()
    const third = await openTestSpool({ disk: after.powerCut(() => 0.99), fileSystem })
    await third.spool.processLeftBelowFiles()
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).toEqual([1, 2])
    expect(third.spool.stats()).toMatchObject({ totalFlushedEvents: 2, openEvents: 0, pendingFiles: 0 })
  })

  test('close seals and commits, and refuses what comes later', async () => {
    const { spool } = await openTestSpool({ disk, fileSystem })
    const appended = spool.append(jsonBatch([{ n: 1 }]))
    const closed = spool.close()
    await expect(spool.append(jsonBatch([{ n: 2 }]))).rejects.toMatchObject({ code: 'draining' })
    await appended
    await closed
    expect((await readEvents(fileSystem)).length).toBe(1)
    expect(spool.stats()).toMatchObject({ accepting: false, ignoredEvents: 1 })
  })

  test('R9: while the file system is unavailable the backlog waits, then drains oldest first', async () => {
    let away = true
    const created: string[] = []
    fileSystem = createMemoryFileSystem({
      fail: (operation, path) => {
        if (away) return new FileSystemError('unavailable', path, 'away')
        if (operation === 'rename') created.push(path)
        return undefined
      },
    })
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem, settings: { maxUncommittedEvents: 1 } })
    for (let n = 1; n <= 3; n++) {
      await spool.append(jsonBatch([{ n }]))
      clock.ms += 30_000
      await beat()
    }
    expect(spool.stats()).toMatchObject({ pendingFiles: 3, pendingEvents: 3, lastFlushError: 'away', accepting: true })
    away = false
    clock.ms += 60_000
    await beat()
    expect(spool.stats()).toMatchObject({ pendingFiles: 0, flushedEvents: 3, lastFlushError: '' })
    expect(created).toEqual([...created].sort())
    expect((await readEvents(fileSystem)).length).toBe(3)
  })

  test.each(['denied', 'quota-exceeded', 'not-directory'] as const)(
    'a bucket that is %s for ever is set aside alone, and processLeftBelowFiles tries it again',
    async code => {
      let refuse = true
      fileSystem = createMemoryFileSystem({
        fail: (operation, path) =>
          refuse && operation === 'rename' && path.includes('-1-0.')
            ? new FileSystemError(code, path, 'no')
            : undefined,
      })
      const { spool } = await openTestSpool({ disk, fileSystem })
      await spool.append(jsonBatch([{ n: 1 }], { name: 'Bad' }))
      await spool.append(jsonBatch([{ n: 2 }], { name: 'Good' }))
      await spool.processLeftBelowFiles()
      expect(spool.stats()).toMatchObject({
        quarantinedFiles: 1,
        quarantinedEvents: 1,
        retriedFiles: 1,
        flushedEvents: 1,
        pendingFiles: 0,
      })
      expect(disk.paths.filter(path => path.startsWith('_quarantine/')).length).toBe(2)
      refuse = false
      expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 1, failures: 0 })
      expect(spool.stats()).toMatchObject({ quarantinedFiles: 0, flushedEvents: 2 })
      expect(disk.paths.filter(path => path.startsWith('_quarantine/'))).toEqual([])
    },
  )

  test('disableFlush stops commits, not intake, and lasts through a restart', async () => {
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem })
    await spool.disableFlush()
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms += 60_000
    await beat()
    expect(await readEvents(fileSystem)).toEqual([])
    const again = await openTestSpool({ disk: disk.powerCut(() => 0.99), fileSystem, clock })
    expect(again.spool.stats().flushEnabled).toBe(false)
    clock.ms += 60_000
    await again.beat()
    expect(await readEvents(fileSystem)).toEqual([])
    await again.spool.enableFlush()
    await again.beat()
    expect((await readEvents(fileSystem)).length).toBe(1)
  })

  test('processLeftBelowFiles commits also while flushing is disabled', async () => {
    const { spool } = await openTestSpool({ disk, fileSystem, settings: { flushEnabled: false } })
    await spool.append(jsonBatch([{ n: 1 }]))
    expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 1, failures: 0 })
    expect(spool.stats().flushEnabled).toBe(false)
  })

  test('processLeftBelowFiles leaves files alone that are younger than asked for', async () => {
    const settings = { flushEnabled: false, maxUncommittedEvents: 1 }
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem, settings })
    await spool.append(jsonBatch([{ n: 1 }]))
    clock.ms += 60_000
    await beat()
    await spool.append(jsonBatch([{ n: 2 }]))
    clock.ms += 1_000
    expect(await spool.processLeftBelowFiles(10_000)).toMatchObject({ files: 1 })
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).toEqual([1])
    clock.ms += 10_000
    expect(await spool.processLeftBelowFiles(10_000)).toMatchObject({ files: 1 })
    expect((await readEvents(fileSystem)).length).toBe(2)
  })

  test('R6: a full disk refuses before anything is kept, and opens again by itself', async () => {
    let freeBytes = 1e12
    disk = createTearingDisk({ freeBytes: () => freeBytes })
    const { spool, beat } = await openTestSpool({ disk, fileSystem, settings: { minFreeBytes: 1e9 } })
    freeBytes = 1e8
    await beat()
    await expect(spool.append(jsonBatch([{ n: 1 }]))).rejects.toMatchObject({
      code: 'overloaded',
      headers: { 'retry-after': '10' },
    })
    expect(spool.stats()).toMatchObject({ accepting: false, droppedEvents: 1, writtenEvents: 0 })
    freeBytes = 1e12
    await beat()
    await spool.append(jsonBatch([{ n: 1 }]))
  })

  test('committed files stay for a while, and go at once when the disk is full', async () => {
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem })
    await spool.append(jsonBatch([{ n: 1 }]))
    await spool.processLeftBelowFiles()
    const sealed = (): number => disk.paths.filter(path => path.startsWith('sealed/')).length
    expect(sealed()).toBe(1)
    clock.ms += 899_000
    await beat()
    expect(sealed()).toBe(1)
    clock.ms += 1_000
    await beat()
    expect(sealed()).toBe(0)
  })

  test('R6: what is committed while the disk is full makes room at once', async () => {
    let freeBytes = 1e12
    disk = createTearingDisk({ freeBytes: () => freeBytes })
    const { spool, clock, beat } = await openTestSpool({ disk, fileSystem, settings: { minFreeBytes: 1e9 } })
    await spool.append(jsonBatch([{ n: 1 }]))
    freeBytes = 1e8
    await beat()
    clock.ms += 30_000
    await beat()
    expect(await readEvents(fileSystem)).toHaveLength(1)
    await beat()
    expect(disk.paths.filter(path => path.startsWith('sealed/'))).toEqual([])
  })

  test('strays in our own temporary directory are removed, those of others stay', async () => {
    const first = await openTestSpool({ disk, fileSystem })
    const own = `/events/_tmp/${first.spool.stats().collectorId}`
    const write = (path: string): Promise<void> => fileSystem.create(path, (async function* () {})())
    await write(`${own}/stray.1`)
    await write('/events/_tmp/somebody-else/file')
    await first.beat()
    await expect(fileSystem.getFileStatus(`${own}/stray.1`)).rejects.toMatchObject({ code: 'not-found' })
    await fileSystem.getFileStatus('/events/_tmp/somebody-else/file')
  })

  test('an idempotency key is known in flight, after it, after sealing and after a restart', async () => {
    const { spool, clock } = await openTestSpool({ disk, fileSystem })
    const outcome = { accepted: 1, rejected: 0, errors: [] }
    const batch = { ...jsonBatch([{ n: 1 }]), idempotency: { key: 'k', fingerprint: 'f', outcome } }
    expect(spool.recall('k')).toBeUndefined()
    const kept = spool.append(batch)
    expect(spool.recall('k')?.matches('f')).toBe(true)
    expect(spool.recall('k')?.matches('g')).toBe(false)
    expect(spool.recall('k')?.isKept).toBe(false)
    expect(await spool.recall('k')?.outcome).toEqual(outcome)
    await kept
    expect(spool.recall('k')?.isKept).toBe(true)
    const unsealed = await openTestSpool({ disk: disk.powerCut(() => 0.99), fileSystem, clock })
    expect(await unsealed.spool.recall('k')?.outcome).toEqual(outcome)
    await unsealed.spool.close()
    expect(await unsealed.spool.recall('k')?.outcome).toEqual(outcome)
  })

  test('an idempotency key whose request was not kept is free again', async () => {
    let broken = false
    disk = createTearingDisk({
      fail: operation => (operation === 'fdatasync' && broken ? new Error('EIO') : undefined),
    })
    const { spool } = await openTestSpool({ disk, fileSystem })
    const idempotency = { key: 'k', fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] } }
    broken = true
    const kept = spool.append({ ...jsonBatch([{ n: 1 }]), idempotency })
    const known = spool.recall('k')
    await expect(kept).rejects.toMatchObject({ code: 'unavailable' })
    await expect(known?.outcome).rejects.toMatchObject({ code: 'unavailable' })
    expect(spool.recall('k')).toBeUndefined()
  })
})
