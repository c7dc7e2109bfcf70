import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Batch, EventHead } from '../../../../src/spool/batch.ts'
import { createLog, type Log, type LogOptions } from '../../../../src/spool/log/log.ts'
import { scanSegment } from '../../../../src/spool/seal/seal.ts'
import { type ClosedSegment, segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { append } from '../../../suites/append.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'

const head = (name = 'Hello', date = 0): EventHead => ({ index: 0, name, date, granularity: 'HOURLY' })
const batch = (events: readonly EventHead[] = [head()], bodyBytes = 10): Batch => ({
  api: 'GET_API',
  format: 'thrift',
  events,
  body: new Uint8Array(bodyBytes),
})

type Bench = {
  readonly log: Log
  readonly disk: TearingDisk
  readonly closed: ClosedSegment[]
  readonly syncs: () => number
}

/** Of the settings, those that are another. */
type Options = Partial<LogOptions> & { readonly limits?: Partial<ReturnType<LogOptions['settings']>> }

const start = async ({ limits, ...options }: Options = {}, diskOptions: TearingDiskOptions = {}): Promise<Bench> => {
  let syncs = 0
  const disk = createTearingDisk({
    ...diskOptions,
    fail: (operation, path) => {
      if (operation === 'fdatasync') syncs++
      return diskOptions.fail?.(operation, path)
    },
  })
  await disk.mkdir('log')
  const closed: ClosedSegment[] = []
  const log = createLog({
    disk,
    collectorId: '0'.repeat(32),
    firstSegment: 1,
    ack: 'fsync',
    settings: () => ({ maxSegmentBytes: 1 << 20, maxUncommittedEvents: 1_000, flushIntervalMs: 1_000, ...limits }),
    now: () => 1,
    onClosed: async segment => void closed.push(segment),
    ...options,
  })
  return { log, disk, closed, syncs: () => syncs }
}

const eventsIn = async ({ disk }: Bench, segment: number): Promise<number> =>
  scanSegment(await disk.read(segmentPath(segment)), segmentPath(segment)).events

describe('createLog', () => {
  test('requests that come together share one fdatasync', async () => {
    const bench = await start()
    await Promise.all(Array.from({ length: 100 }, () => append(bench.log, batch())))
    expect(bench.syncs()).toBe(1)
    expect({ ...bench.log.counts, openEvents: bench.log.openEvents }).toMatchObject({
      writtenEvents: 100,
      queuedEvents: 0,
      queuedBytes: 0,
      openEvents: 100,
    })
    expect(await eventsIn(bench, 1)).toBe(100)
  })

  test('all requests of a group hear of it in one go, in their order', async () => {
    const bench = await start()
    const heard: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const hear = (name: string) => (): void => {
      heard.push(name)
      queueMicrotask(() => {
        heard.push('what follows')
        resolve()
      })
    }
    for (const name of ['a', 'b', 'c']) bench.log.append(batch(), { done: hear(name), failed: hear('a failure') })
    await promise
    expect(heard.slice(0, 4)).toEqual(['a', 'b', 'c', 'what follows'])
  })

  test('a mistake of one who waits reaches neither the others nor the log: it is a mistake of the process', async () => {
    const bench = await start()
    const mistake = new Error('a mistake')
    const later: (() => void)[] = []
    bench.log.append(batch(), {
      done: () => {
        vi.spyOn(globalThis, 'setImmediate').mockImplementationOnce(run => {
          later.push(() => run())
          return undefined as never
        })
        throw mistake
      },
      failed: () => {},
    })
    await append(bench.log, batch())
    expect(bench.log.counts).toMatchObject({ writtenEvents: 2, queuedEvents: 0, erroredEvents: 0 })
    expect(later).toHaveLength(1)
    expect(later[0]).toThrow(mistake)
    vi.restoreAllMocks()
    await append(bench.log, batch())
  })

  test('a lone request is synced by itself, and what comes meanwhile makes the next group', async () => {
    const bench = await start()
    const first = append(bench.log, batch())
    await new Promise(resolve => setImmediate(resolve))
    const rest = Array.from({ length: 10 }, () => append(bench.log, batch()))
    await first
    expect(bench.syncs()).toBe(1)
    await Promise.all(rest)
    expect(bench.syncs()).toBe(2)
  })

  test('requests that come turn after turn share one fdatasync as well, for a while', async () => {
    let ms = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ms)
    onTestFinished(() => clock.mockRestore())
    const bench = await start()
    const comeInTurns = async (turns: number, msEach: number): Promise<void> => {
      const kept: Promise<void>[] = []
      for (let i = 0; i < turns; i++) {
        // Before the log looks again.
        const turn = new Promise(resolve => setImmediate(resolve))
        kept.push(append(bench.log, batch()))
        ms += msEach
        await turn
      }
      await Promise.all(kept)
    }
    await comeInTurns(10, 0.1)
    expect(bench.syncs()).toBe(1)
    // A batch that has waited long enough waits no longer.
    await comeInTurns(10, 1)
    expect(bench.syncs()).toBeGreaterThan(3)
  })

  describe('a segment holds what came between two multiples of an interval', () => {
    const at = (receivedAt: number | undefined, ...names: readonly string[]): Batch => ({
      ...batch(names.map(name => head(name))),
      receivedAt,
    })
    /** Events of each segment that was handed on, in their order. */
    const eventsOf = async (bench: Bench): Promise<number[]> =>
      Promise.all(bench.closed.map(({ number }) => eventsIn(bench, number)))
    const startAt = async (options: Options = {}): Promise<Bench & { clock: { ms: number } }> => {
      const clock = { ms: 1_767_323_045_999 }
      const bench = await start({ now: () => clock.ms, ...options })
      return { ...bench, clock }
    }

    test.each([
      ['has just been taken', async () => {}],
      ['is being written', () => new Promise(resolve => setImmediate(resolve))],
      ['is written', (kept: Promise<void>) => kept],
    ] as const)('whether what came before it %s', async (_state, wait) => {
      const bench = await startAt()
      const first = append(bench.log, at(undefined, 'a', 'b'))
      await wait(first)
      const second = append(bench.log, at(undefined, 'c'))
      bench.clock.ms++
      const third = append(bench.log, at(undefined, 'd', 'e'))
      bench.clock.ms += 999
      const fourth = append(bench.log, at(undefined, 'f'))
      await Promise.all([first, second, third, fourth])
      expect(await eventsOf(bench)).toEqual([3])
      expect(bench.log.openEvents).toBe(3)
      expect([...bench.log.openBuckets].map(({ head: { name } }) => name)).toEqual(['d', 'e', 'f'])
      bench.clock.ms += 5_000
      await bench.log.rollDue()
      await bench.log.rollDue()
      expect(await eventsOf(bench)).toEqual([3, 3])
    })

    test('by when a request came, which may be a moment ago', async () => {
      const bench = await startAt()
      await append(bench.log, at(bench.clock.ms, 'a'))
      bench.clock.ms++
      await append(bench.log, at(bench.clock.ms - 1, 'b'))
      expect(bench.closed).toEqual([])
      await append(bench.log, at(bench.clock.ms, 'c'))
      expect(await eventsOf(bench)).toEqual([2])
      // What took longer to be read has missed its segment: nothing else ends for it.
      await append(bench.log, at(bench.clock.ms - 1, 'd'))
      await append(bench.log, at(bench.clock.ms, 'e'))
      await bench.log.rollDue()
      expect(await eventsOf(bench)).toEqual([2])
    })

    test('when the clock of the log is stopped, each of several intervals has its own', async () => {
      const bench = await startAt()
      const kept = []
      for (const name of ['a', 'b', 'c', 'd']) {
        kept.push(append(bench.log, at(undefined, name)))
        bench.clock.ms += 1_000
      }
      await Promise.all(kept)
      expect(await eventsOf(bench)).toEqual([1, 1, 1])
    })

    test('a clock that is set back, or forth, ends one, and later ones are as usual', async () => {
      const bench = await startAt()
      for (const ms of [0, -7_000, 500, 86_400_000, -86_400_000, 0]) {
        bench.clock.ms += ms
        await append(bench.log, at(undefined, 'a'))
      }
      expect(await eventsOf(bench)).toEqual([1, 1, 1, 1])
      bench.clock.ms -= 3_000
      await bench.log.rollDue()
      expect(await eventsOf(bench)).toEqual([1, 1, 1, 1, 2])
    })

    test('where it may not end, it ends as soon as it may', async () => {
      let mayRoll = false
      const bench = await startAt({ mayRoll: () => mayRoll })
      for (let i = 0; i < 3; i++) {
        await append(bench.log, at(undefined, 'a'))
        bench.clock.ms += 1_000
      }
      await bench.log.rollDue()
      expect(bench.closed).toEqual([])
      mayRoll = true
      await append(bench.log, at(undefined, 'a'))
      expect(await eventsOf(bench)).toEqual([3])
    })

    test('the buckets of what is to come have room, although those before them are still there', async () => {
      const bench = await startAt({ limits: { maxUncommittedEvents: 100_000 } })
      const many = (prefix: string): Batch => at(undefined, ...Array.from({ length: 6_000 }, (_, i) => `${prefix}${i}`))
      const first = append(bench.log, many('a'))
      bench.clock.ms++
      await Promise.all([first, append(bench.log, many('b'))])
      expect(() => append(bench.log, many('c'))).toThrow('Too many different')
    })

    test('the one under way ends when it would have, though the interval is made longer meanwhile, and sooner when shorter', async () => {
      const limits = { flushIntervalMs: 1_000 }
      const bench = await startAt({
        settings: () => ({ maxSegmentBytes: 1 << 20, maxUncommittedEvents: 1_000, ...limits }),
      })
      bench.clock.ms = 1_767_323_045_000
      await append(bench.log, at(undefined, 'a'))
      limits.flushIntervalMs = 60_000
      bench.clock.ms += 999
      await append(bench.log, at(undefined, 'b'))
      expect(bench.closed).toEqual([])
      bench.clock.ms++
      await append(bench.log, at(undefined, 'c'))
      expect(await eventsOf(bench)).toEqual([2])
      limits.flushIntervalMs = 500
      bench.clock.ms += 400
      await append(bench.log, at(undefined, 'd'))
      bench.clock.ms += 100
      await append(bench.log, at(undefined, 'e'))
      expect(await eventsOf(bench)).toEqual([2, 2])
    })

    test('an empty one does not count', async () => {
      const bench = await startAt()
      for (let i = 0; i < 3; i++) {
        await bench.log.rollDue()
        bench.clock.ms += 1_000
      }
      await append(bench.log, at(undefined, 'a'))
      expect(bench.closed).toEqual([])
      expect(await eventsIn(bench, 1)).toBe(1)
    })

    test('a failed write takes what waits for the segments behind it along, once', async () => {
      let isBroken = true
      const fail = (operation: string): Error | undefined =>
        isBroken && operation === 'fdatasync' ? new Error('EIO') : undefined
      const disk = createTearingDisk({ fail })
      await disk.mkdir('log')
      const bench = await startAt({ disk })
      const kept = []
      for (const name of ['a', 'b', 'c']) {
        kept.push(append(bench.log, at(undefined, name)))
        bench.clock.ms += 1_000
      }
      expect((await Promise.allSettled(kept)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
      expect(bench.log.counts).toMatchObject({ queuedEvents: 0, queuedBytes: 0, erroredEvents: 3 })
      isBroken = false
      await bench.log.recover()
      await append(bench.log, at(undefined, 'd'))
      expect(bench.closed).toHaveLength(1)
      expect(bench.log.openEvents).toBe(1)
    })
  })

  test('what was appended before a roll is handed on with it, what waits included', async () => {
    const bench = await start()
    const kept = [append(bench.log, batch())]
    await new Promise(resolve => setImmediate(resolve))
    kept.push(append(bench.log, batch()))
    const rolled = bench.log.roll()
    kept.push(append(bench.log, batch()))
    await Promise.all([rolled, ...kept])
    expect(bench.closed).toHaveLength(1)
    expect(await eventsIn(bench, 1)).toBe(2)
    expect(bench.log.openEvents).toBe(1)
  })

  test.each(['fsync', 'replicated'] as const)('every acknowledged byte is synced with ack=%s', async ack => {
    const bench = await start({ ack })
    for (let i = 0; i < 20; i++) {
      await append(bench.log, batch([head()], i * 1_000))
      expect(bench.disk.syncedLength(segmentPath(1))).toBe((await bench.disk.read(segmentPath(1))).length)
    }
  })

  test.each([3, 20])('a request larger than a group is kept whole: %i MiB', async mebibytes => {
    const bench = await start({ limits: { maxSegmentBytes: 1 << 28 } })
    await Promise.all([
      append(bench.log, batch()),
      append(bench.log, batch([head()], mebibytes << 20)),
      append(bench.log, batch()),
    ])
    expect(await eventsIn(bench, 1)).toBe(3)
  })

  test('a long request takes many turns of the event loop', async () => {
    const bench = await start({ limits: { maxSegmentBytes: 1 << 28 } })
    let turns = 0
    const count = (): void => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    await append(bench.log, batch([head()], 64 << 20))
    clearImmediate(next)
    expect(turns).toBeGreaterThanOrEqual(16)
  })

  test.each([
    ['bytes', { maxSegmentBytes: 2_000 }],
    ['events', { maxUncommittedEvents: 5 }],
  ])('a segment is closed when it is full of %s', async (_, limits) => {
    const bench = await start({ limits })
    for (let i = 0; i < 10; i++) await append(bench.log, batch([head()], 400))
    await bench.log.roll()
    expect(bench.closed.map(({ number }) => number)).toEqual(bench.closed.map((_, i) => i + 1))
    expect(bench.closed.length).toBeGreaterThan(1)
    const counts = await Promise.all(bench.closed.map(({ number }) => eventsIn(bench, number)))
    expect(counts.reduce((a, b) => a + b)).toBe(10)
  })

  test('roll hands on what was appended before it, and an empty log has nothing to hand on', async () => {
    const bench = await start()
    await bench.log.roll()
    expect(bench.closed).toEqual([])
    const kept = append(bench.log, batch())
    await bench.log.roll()
    await kept
    expect(bench.closed).toEqual([{ number: 1 }])
    expect(bench.log.openEvents).toBe(0)
  })

  test('R5: a failed fdatasync is never repeated: 503, the segment ends at the last acknowledged byte, a new one follows', async () => {
    const eio = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    let broken = false
    const bench = await start({}, { fail: operation => (operation === 'fdatasync' && broken ? eio : undefined) })
    await append(bench.log, batch())
    const end = (await bench.disk.read(segmentPath(1))).length
    broken = true
    const refused = await Promise.allSettled([append(bench.log, batch()), append(bench.log, batch())])
    for (const { status, ...result } of refused) {
      expect([status, result]).toMatchObject(['rejected', { reason: { code: 'unavailable' } }])
    }
    expect(bench.closed).toEqual([{ number: 1, end }])
    expect(() => append(bench.log, batch())).toThrow('cannot be written')
    const tried = bench.syncs()
    broken = false
    expect(await bench.log.recover()).toBe(true)
    await append(bench.log, batch())
    expect(bench.syncs()).toBe(tried + 1)
    expect(await eventsIn(bench, 2)).toBe(1)
    expect({ ...bench.log.counts, openEvents: bench.log.openEvents }).toMatchObject({
      writtenEvents: 2,
      erroredEvents: 2,
      queuedEvents: 0,
      queuedBytes: 0,
    })
  })

  test.each(['create', 'append', 'fsyncDir'] as const)('while %s fails nothing is acknowledged', async operation => {
    let broken = true
    const bench = await start(
      {},
      { fail: failing => (failing === operation && broken ? new Error('ENOSPC') : undefined) },
    )
    await expect(append(bench.log, batch())).rejects.toMatchObject({ code: 'unavailable' })
    expect(bench.log.failed).toBeInstanceOf(Error)
    broken = false
    await bench.log.recover()
    await append(bench.log, batch())
    expect(bench.log.counts.writtenEvents).toBe(1)
  })

  test('an acknowledgement needs the receipt of a sync that covers it', async () => {
    const disk = createTearingDisk()
    await disk.mkdir('log')
    const short: TearingDisk = {
      ...disk,
      create: async path => ({ ...(await disk.create(path)), fdatasync: async () => 0 }),
    }
    const bench = await start({ disk: short })
    await expect(append(bench.log, batch())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('ack=written acknowledges without a sync', async () => {
    const bench = await start({ ack: 'written' })
    await append(bench.log, batch())
    expect(bench.syncs()).toBe(0)
    await bench.log.roll()
    expect(bench.syncs()).toBe(1)
  })

  test('ack=memory acknowledges before anything is written', async () => {
    const bench = await start({ ack: 'memory' })
    await append(bench.log, batch())
    expect(bench.log.counts.queuedEvents).toBe(1)
    await bench.log.roll()
    expect(await eventsIn(bench, 1)).toBe(1)
  })

  test('a segment takes at most 10 000 buckets; the next one takes more', async () => {
    const bench = await start({ limits: { maxUncommittedEvents: 1e9 } })
    const many = (from: number, count: number): Batch =>
      batch(Array.from({ length: count }, (_, i) => ({ ...head(`e${from + i}`), index: i })))
    await append(bench.log, many(0, 9_999))
    await append(bench.log, many(9_999, 1))
    await append(bench.log, many(0, 10))
    expect(() => append(bench.log, many(20_000, 1))).toThrow('Too many different event types')
    await bench.log.roll()
    await append(bench.log, many(20_000, 1))
    expect(() => append(bench.log, many(0, 10_001))).toThrow('at most 10000')
  })
})
