import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createOutage } from '../../../../src/spool/heartbeat/outage.ts'
import { type StageName, stageNames } from '../../../../src/spool/heartbeat/stages.ts'
import type { SpoolSettings } from '../../../../src/spool/spool-settings.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, startMs } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'

type Fail = NonNullable<TearingDiskOptions['fail']>
type Line = { readonly level: string; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }

const eio = (): Error => Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })

/** A spool whose disk and file system fail as the test says, and its log. */
const start = async (settings: Partial<SpoolSettings> = {}, disk?: TearingDisk, clock = { ms: startMs }) => {
  const lines: Line[] = []
  const fault: { disk: Fail; fileSystem: FileSystemError | undefined } = {
    disk: () => undefined,
    fileSystem: undefined,
  }
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message })
  const log = { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') }
  const fail: Fail = (operation, path) => fault.disk(operation, path)
  const ownDisk = disk ?? createTearingDisk({ fail })
  const fileSystem = createMemoryFileSystem({
    fail: operation => (operation === 'create' ? fault.fileSystem : undefined),
  })
  const opened = await openTestSpool({ disk: ownDisk, fileSystem, settings, log, clock })
  return { ...opened, disk: ownDisk, lines, fault }
}

const forty = (): ReturnType<typeof jsonBatch> => jsonBatch(Array.from({ length: 40 }, (_, n) => ({ n })))

/** Brings 40 events to a stage, and holds them there. */
const reach: Readonly<Record<Exclude<StageName, 'taken'>, (at: Awaited<ReturnType<typeof start>>) => Promise<void>>> = {
  log: async () => {},
  sealing: async ({ fault, beat, clock }) => {
    fault.disk = (_, path) => (path.startsWith('schemas') ? eio() : undefined)
    clock.ms += 30_000
    await beat()
  },
  commit: async ({ fault, beat, clock }) => {
    fault.fileSystem = new FileSystemError('unavailable', '/', 'nobody answers')
    clock.ms += 30_000
    await beat()
  },
  quarantine: async ({ fault, beat, clock }) => {
    fault.fileSystem = new FileSystemError('denied', '/', 'the quota is used up')
    clock.ms += 30_000
    await beat()
  },
}

describe('events that are acknowledged and not in the file system', () => {
  test.each(Object.entries(reach))('are counted with their age and bytes while they are at %s', async (stage, hold) => {
    const at = await start({ outputFormat: 'parquet' })
    await at.spool.append(forty())
    await hold(at)
    at.clock.ms = startMs + 3_600_000
    const stats = at.spool.stats()
    expect(stats.oldestSeconds).toBe(3_600)
    const isWaiting = stage !== 'quarantine'
    expect([stats.waitingFiles, stats.waitingEvents]).toEqual(isWaiting ? [1, 40] : [0, 0])
    expect(stats.waitingBytes > 0).toBe(isWaiting)
    for (const name of stageNames) {
      const figures = stats.stages[name]
      expect([name, figures.files, figures.events, figures.bytes > 0, figures.oldestSeconds]).toEqual(
        name === stage ? [name, 1, 40, true, 3_600] : [name, 0, 0, false, 0],
      )
    }
  })

  test('keep their age and bytes through a restart, wherever they are', async () => {
    const first = await start()
    first.fault.disk = (_, path) => (path.startsWith('sealed') ? eio() : undefined)
    for (const pause of [0, 60_000]) {
      await first.spool.append(forty())
      first.clock.ms += 30_000 + pause
      await first.beat()
    }
    await first.spool.append(forty())
    const before = first.spool.stats()
    expect([before.stages.sealing.files, before.stages.log.files]).toEqual([2, 1])
    const disk = first.disk.kill()
    const { spool } = await start({ flushEnabled: false }, disk, first.clock)
    const after = spool.stats()
    expect([after.waitingFiles, after.waitingEvents, after.waitingBytes, after.oldestSeconds]).toEqual([
      before.waitingFiles,
      before.waitingEvents,
      before.waitingBytes,
      before.oldestSeconds,
    ])
  })

  test('of an unreadable segment are as old as the start that found it', async () => {
    const first = await start()
    await first.spool.append(forty())
    const disk = first.disk.kill({
      fail: (operation, path) => (operation === 'stream' && path.startsWith('log/') ? eio() : undefined),
    })
    const { spool, clock } = await start({}, disk, first.clock)
    clock.ms += 5_000
    expect(spool.stats()).toMatchObject({ waitingEvents: 40, oldestSeconds: 5 })
  })
})

describe('work that fails', () => {
  const outage = (lines: readonly Line[]) => lines.map(({ level, message }) => `${level} ${message}`)

  test.each([
    ['unavailable', 'nobody answers'],
    ['denied', 'the quota is used up'],
  ] as const)('at the file system, %s, is why commits wait', async (code, reason) => {
    const { spool, clock, beat, fault } = await start()
    await spool.append(forty())
    fault.fileSystem = new FileSystemError(code, '/', reason)
    clock.ms += 30_000
    const since = clock.ms
    await beat()
    const isFinal = code !== 'unavailable'
    expect(spool.stats().troubles).toEqual(
      isFinal ? [] : [{ work: 'commit', reason: expect.stringContaining(reason), since }],
    )
    expect(spool.stats().quarantinedFiles).toBe(isFinal ? 1 : 0)
  })

  test('says which, why and since when, in one line, once a minute, and when it is over', async () => {
    const { spool, clock, beat, lines, fault } = await start({ outputFormat: 'parquet' })
    await spool.append(forty())
    fault.disk = (_, path) => (path.startsWith('schemas') ? eio() : undefined)
    clock.ms += 30_000
    const since = clock.ms
    for (let second = 0; second < 150; second++) {
      await beat()
      clock.ms += 1_000
    }
    expect(spool.stats().troubles).toEqual([{ work: 'sealing', reason: 'EIO: i/o error, read', since }])
    expect(outage(lines)).toEqual([
      'warn sealing failed and is retried',
      'warn sealing still fails',
      'warn sealing still fails',
    ])
    expect(lines[2]?.fields).toMatchObject({ reason: 'EIO: i/o error, read', failingSeconds: 120, segment: 1 })
    fault.disk = () => undefined
    clock.ms += 1_000
    await beat()
    expect(spool.stats().troubles).toEqual([])
    expect(outage(lines).slice(3)).toEqual(['info sealing succeeds again', 'info files committed'])
    await spool.close()
  })

  test.each([
    ['sealing', /^schemas/],
    ['the list of a sealed segment', /^lists/],
    ['the ledger', /^ledger/],
  ])(
    'at %s is a failure of a flush that is asked for, and the next one does not wait for a pause',
    async (_, fails) => {
      const { spool, fault } = await start({ outputFormat: 'parquet' })
      await spool.append(forty())
      fault.disk = (_operation, path) => (fails.test(path) ? eio() : undefined)
      expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 0, failures: 1 })
      fault.disk = () => undefined
      expect(await spool.processLeftBelowFiles()).toMatchObject({ files: 1, failures: 0 })
      expect(spool.stats()).toMatchObject({ flushedEvents: 40, waitingEvents: 0, troubles: [] })
    },
  )

  test('is the look at the free space, which is taken four times a second', async () => {
    const disk = createTearingDisk()
    let isFailing = false
    const space = (): ReturnType<typeof disk.space> => (isFailing ? Promise.reject(eio()) : disk.space())
    const { spool, clock, beat, lines } = await start({}, { ...disk, space })
    isFailing = true
    for (let second = 0; second < 70; second++) {
      await beat()
      clock.ms += 1_000
    }
    expect(outage(lines)).toEqual([
      'warn checking the free space of the spool failed and is retried',
      'warn checking the free space of the spool still fails',
    ])
    expect(spool.stats().troubles).toMatchObject([{ work: 'space' }])
  })

  test('is the log: one ERROR with code and path, one each minute, and one INFO once a batch is kept', async () => {
    const { spool, clock, beat, lines, fault } = await start()
    const append = (): Promise<string> =>
      spool.append(jsonBatch([{ n: 1 }])).then(
        () => 'kept',
        () => 'refused',
      )
    await append()
    fault.disk = (operation, path) =>
      path.startsWith('log/') && ['append', 'create'].includes(operation)
        ? Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
        : undefined
    for (let second = 0; second < 130; second++) {
      expect(await append()).toBe('refused')
      await beat()
      clock.ms += 1_000
    }
    const said = lines.filter(({ fields }) => fields['code'] === 'ENOSPC')
    expect(outage(said)).toEqual([
      'error the log of the spool cannot be written: events are refused with 503',
      'error the log of the spool still cannot be written: events are refused with 503',
      'error the log of the spool still cannot be written: events are refused with 503',
    ])
    expect(said[0]?.fields['reason']).toMatch(/^ENOSPC: .*log\/0000000001\.log/)
    expect(spool.stats().refusal).toMatch(/ENOSPC.*log\/0000000\d+\.log/)
    fault.disk = () => undefined
    await beat()
    expect(outage(lines).at(-1)).not.toMatch('again')
    expect(await append()).toBe('kept')
    expect(outage(lines).filter(line => line.endsWith('accepted'))).toEqual([
      'info the log of the spool can be written again: events are accepted',
    ])
    expect(spool.stats().troubles).toEqual([])
  })

  test('that failed again after it was tried is not over while the next try hangs', () => {
    const said: string[] = []
    const clock = { ms: startMs }
    const say = (_: object, message: string): void => void said.push(message)
    const log = { debug: say, info: say, warn: say, error: say }
    const words = { begins: 'begins', lasts: 'lasts', ends: 'ends' }
    const outage = createOutage({ log, now: () => clock.ms, words })
    outage.failed('EIO')
    outage.mayWork()
    outage.failed('EIO')
    clock.ms += 60_000
    outage.remind()
    expect(said).toEqual(['begins', 'lasts'])
  })

  test('without a retry is over a minute after its last failure', async () => {
    const { spool, clock, beat, lines, fault } = await start()
    fault.disk = (operation, path) => (operation === 'append' && path.startsWith('log/') ? eio() : undefined)
    await expect(spool.append(jsonBatch([{ n: 1 }]))).rejects.toThrow()
    fault.disk = () => undefined
    await beat()
    clock.ms += 59_000
    await beat()
    expect(spool.stats().troubles).toHaveLength(1)
    clock.ms += 1_000
    await beat()
    expect(spool.stats().troubles).toEqual([])
    expect(outage(lines).at(-1)).toBe('info the log of the spool can be written again: events are accepted')
  })
})
