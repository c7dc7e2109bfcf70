import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import type { Batch, EventHead } from '../../../../src/spool/batch.ts'
import { createLog, type Log, type LogOptions } from '../../../../src/spool/log/log.ts'
import { readFramedBatches } from '../../../../src/spool/segment/framed-batches.ts'
import { decodeBatch } from '../../../../src/spool/segment/record.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { readSegment } from '../../../../src/spool/segment/segment-reader.ts'
import { append } from '../../../suites/append.ts'
import { frameBatches, type HandedOver, handOver, hearOf } from '../../../suites/framed.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDiskOptions } from '../../../suites/tearing-disk.ts'

const head = (name: string): EventHead => ({ index: 0, name, date: 0, granularity: 'HOURLY' })
const batch = (name: string, more: Partial<Batch> = {}): Batch => ({
  api: 'GET_API',
  format: 'thrift',
  events: [head(name)],
  body: new Uint8Array(10),
  receivedAt: 1,
  ...more,
})
const named = (...names: string[]): Batch[] => names.map(name => batch(name))

const start = async (options: Partial<LogOptions> = {}, diskOptions: TearingDiskOptions = {}) => {
  const disk = createTearingDisk(diskOptions)
  await disk.mkdir('log')
  const closed: number[] = []
  const broken: string[] = []
  const log = createLog({
    disk,
    collectorId: '0'.repeat(32),
    firstSegment: 1,
    ack: 'fsync',
    settings: () => ({ maxSegmentBytes: 1 << 24, maxUncommittedEvents: 100_000, flushIntervalMs: 1_000 }),
    now: () => 1,
    onClosed: async ({ number }) => void closed.push(number),
    invariant: (holds, name) => {
      if (!holds) broken.push(name)
    },
    ...options,
  })
  const give = (batches: readonly Batch[]): HandedOver & { readonly bytes: Uint8Array } => {
    const { bytes, facts } = frameBatches(batches, log.mark)
    const { waiter, ...heard } = hearOf(batches.length, bytes)
    log.appendFramed(bytes, readFramedBatches(bytes, facts), waiter)
    return { ...heard, bytes }
  }
  /** Names in a segment, in order. */
  const namesIn = async (segment: number): Promise<readonly string[]> => {
    const names: string[] = []
    for (const part of readSegment(await disk.read(segmentPath(segment)), segmentPath(segment))) {
      if (part.kind !== 'record') throw new Error('The segment is damaged')
      for (const { name } of decodeBatch(part.payload).events) names.push(name)
    }
    return names
  }
  return { log, disk, closed, broken, give, namesIn }
}

const keep = (log: Log, name: string): Promise<void> => append(log, batch(name))

describe('readFramedBatches', () => {
  test('gives back what was framed, with what the frames do not say', () => {
    const sent = [batch('a', { caller: '10.0.0.1' }), batch('b', { caller: '10.0.0.2', receivedAt: 7 }), batch('c')]
    const { bytes, facts } = frameBatches(sent, new Uint8Array(8))
    const framed = readFramedBatches(bytes, { ...facts, receivedAt: new Map([[1, 7]]) })
    expect(framed.map(one => one.batch)).toEqual(sent.map(one => ({ caller: undefined, ...one })))
    expect(framed.map(({ end }, i) => end === (framed[i + 1]?.start ?? bytes.length))).toEqual([true, true, true])
  })

  test.each([
    ['half a frame', (bytes: Uint8Array) => bytes.subarray(0, 30)],
    ['half a header', (bytes: Uint8Array) => bytes.subarray(0, 3)],
    ['zeros', () => new Uint8Array(100)],
    ['a frame that ends beyond', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 1)],
    ['another way in', (bytes: Uint8Array) => bytes.with(21 + 8, 250)],
  ])('refuses %s', (_, spoil) => {
    const { bytes, facts } = frameBatches(named('a'), new Uint8Array(8))
    expect(() => readFramedBatches(spoil(bytes), facts)).toThrow(FormatError)
  })
})

describe('Log.appendFramed', () => {
  test('batches are in the log in their order, between those received here', async () => {
    const { log, give, namesIn, broken } = await start()
    const first = keep(log, 'a')
    const range = give(named('b', 'c', 'd'))
    const other = give(named('e'))
    await Promise.all([first, keep(log, 'f'), range.told, other.told, range.freed, other.freed])
    // What gathers here shares a group.
    expect(await namesIn(1)).toEqual(['a', 'f', 'b', 'c', 'd', 'e'])
    expect(range.order).toEqual([[0, 1, 2]])
    expect(broken).toEqual([])
    expect(log.counts).toMatchObject({ writtenEvents: 6, queuedEvents: 0, queuedBytes: 0 })
  })

  test('nothing is copied: the log has the content of the memory at the time of the write', async () => {
    const { log, disk } = await start()
    const body = new Uint8Array(8).fill(1)
    const { bytes, facts } = frameBatches([batch('a', { body })], log.mark)
    const { waiter, told } = hearOf(1, bytes)
    log.appendFramed(bytes, readFramedBatches(bytes, facts), waiter)
    bytes.fill(2, bytes.length - 8)
    await told
    expect((await disk.read(segmentPath(1))).subarray(-8)).toEqual(new Uint8Array(8).fill(2))
  })

  test('adjacent ranges of one memory are reported separately', async () => {
    const { log, namesIn } = await start()
    const { bytes, facts } = frameBatches(named('a', 'b', 'c'), log.mark)
    const [, , last] = readFramedBatches(bytes, facts)
    const parts = [bytes.subarray(0, last?.start), bytes.subarray(last?.start)]
    const heard = parts.map((part, i) => {
      const { waiter, ...told } = hearOf(2 - i, new Uint8Array())
      log.appendFramed(part, readFramedBatches(part, facts), waiter)
      return told
    })
    await Promise.all(heard.flatMap(({ told, freed }) => [told, freed]))
    expect(heard.map(({ order }) => order)).toEqual([[[0, 1]], [[0]]])
    expect(await namesIn(1)).toEqual(['a', 'b', 'c'])
  })

  test('one that is refused leaves the others where they are', async () => {
    const { log, give, namesIn, broken } = await start()
    const huge = batch('huge', {
      events: Array.from({ length: 10_001 }, (_, index) => ({ ...head(`huge${index}`), index })),
    })
    const range = give([...named('a', 'b'), huge, ...named('c')])
    expect(range.order).toEqual([[2]])
    const [a, b, refused, c] = await range.told
    expect([a, b, c]).toEqual([undefined, undefined, undefined])
    expect(refused).toMatchObject({ code: 'too-large' })
    expect(range.order).toEqual([[2], [0, 1], [3]])
    await range.freed
    expect(await namesIn(1)).toEqual(['a', 'b', 'c'])
    expect(broken).toEqual([])
    expect(log.counts.queuedBytes).toBe(0)
  })

  test('a range that arrives in two periods is in two segments', async () => {
    const { log, give, namesIn, closed } = await start({ now: () => 2_500 })
    const range = give([
      batch('a', { receivedAt: 1_999 }),
      batch('b', { receivedAt: 1_999 }),
      batch('c', { receivedAt: 2_000 }),
      batch('d', { receivedAt: 2_001 }),
    ])
    await Promise.all([range.told, range.freed])
    await log.roll()
    expect(closed).toEqual([1, 2])
    expect([await namesIn(1), await namesIn(2)]).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(range.order).toEqual([
      [0, 1],
      [2, 3],
    ])
  })

  test('a range that fills the buckets of a segment continues in the next one', async () => {
    const { log, give, namesIn } = await start()
    const most = batch('', {
      caller: 'x',
      events: Array.from({ length: 9_999 }, (_, index) => ({ ...head(`e${index}`), index })),
    })
    const range = give([most, batch('a', { caller: 'y' }), batch('b', { caller: 'z' }), batch('e0')])
    expect(await range.told).toEqual([undefined, undefined, undefined, undefined])
    await log.roll()
    expect((await namesIn(1)).slice(9_998)).toEqual(['e9998', 'a'])
    expect(await namesIn(2)).toEqual(['b', 'e0'])
    expect([...log.openBuckets]).toEqual([])
  })

  test('what waits behind the end of a segment is in the buckets of the next one', async () => {
    const { log, give } = await start({
      settings: () => ({ maxSegmentBytes: 1, maxUncommittedEvents: 1, flushIntervalMs: 1_000 }),
    })
    await Promise.all([give(named('a')).told, log.roll(), give(named('b', 'b')).told])
    expect([...log.openBuckets].map(({ head: { name }, events }) => [name, events])).toEqual([])
    const held = give(named('c', 'd', 'c'))
    expect([...log.openBuckets].map(({ head: { name }, events }) => [name, events])).toEqual([
      ['c', 2],
      ['d', 1],
    ])
    await held.told
  })

  test('the memory of a range is never taken for one of the log, not even where it is as large', async () => {
    const { log, give, namesIn } = await start()
    // One of the size in which requests gather here.
    const whole = (name: string): Batch => {
      const { bytes } = frameBatches(named(name), log.mark)
      return batch(name, { body: new Uint8Array((1 << 20) - bytes.length + 10) })
    }
    const range = give([whole('a')])
    await Promise.all([range.told, range.freed])
    const kept = keep(log, 'b')
    range.bytes.fill(0xff)
    await kept
    expect(await namesIn(1)).toEqual(['a', 'b'])
  })

  test('R5: of a failed sync all pieces hear, and nothing of them counts', async () => {
    let isBroken = true
    const eio = Object.assign(new Error('EIO'), { code: 'EIO' })
    const { log, give, namesIn, broken } = await start(
      {},
      { fail: operation => (operation === 'fdatasync' && isBroken ? eio : undefined) },
    )
    const range = give(named('a', 'b'))
    expect(await range.told).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }])
    await range.freed
    const late = give(named('c'))
    expect(late.order).toEqual([[0]])
    expect(await late.told).toMatchObject([{ code: 'unavailable', about: 'spool-failed' }])
    await late.freed
    isBroken = false
    await log.recover()
    expect(await give(named('d')).told).toEqual([undefined])
    expect(await namesIn(2)).toEqual(['d'])
    expect(log.counts).toMatchObject({ writtenEvents: 1, erroredEvents: 2, queuedEvents: 0, queuedBytes: 0 })
    expect(broken).toEqual([])
  })

  test('ack=memory: kept at once, never before it returns; the memory is free when it is written', async () => {
    const { log, give, disk } = await start({ ack: 'memory' })
    const range = give(named('a', 'b'))
    expect(range.order).toEqual([])
    let isFree = false
    const freed = range.freed.then(() => {
      isFree = true
    })
    expect(await range.told).toEqual([undefined, undefined])
    expect([isFree, log.counts.queuedEvents]).toEqual([false, 2])
    await freed
    expect((await disk.read(segmentPath(1))).at(-1)).toBe(0)
  })

  test('ack=memory: a failed write frees the memory, and nothing is reported twice', async () => {
    const { give } = await start(
      { ack: 'memory' },
      { fail: operation => (operation === 'append' ? new Error('EIO') : undefined) },
    )
    const range = give(named('a'))
    expect(await range.told).toEqual([undefined])
    await range.freed
    expect(range.order).toEqual([[0]])
  })

  test('an empty range is free at once', async () => {
    const { give } = await start()
    await give([]).freed
  })
})

describe('Spool.keepFramed', () => {
  test('events come into their files once, whichever way they came', async () => {
    const fileSystem = createMemoryFileSystem()
    const { spool } = await openTestSpool({ disk: createTearingDisk(), fileSystem })
    const range = handOver(spool, [jsonBatch([{ n: 1 }, { n: 2 }]), jsonBatch([{ n: 3 }])])
    await Promise.all([range.told, range.freed, spool.append(jsonBatch([{ n: 4 }]))])
    expect(spool.stats()).toMatchObject({ writtenEvents: 4, queuedEvents: 0 })
    await spool.processLeftBelowFiles()
    expect(
      (await readEvents(fileSystem)).map(({ payload }) => payload['n']).toSorted((a, b) => Number(a) - Number(b)),
    ).toEqual([1, 2, 3, 4])
  })

  test('a drained spool refuses all of a range, and counts it', async () => {
    const { spool } = await openTestSpool({ disk: createTearingDisk(), fileSystem: createMemoryFileSystem() })
    await spool.drain()
    const range = handOver(spool, [jsonBatch([{ n: 1 }, { n: 2 }]), jsonBatch([{ n: 3 }])])
    expect(await range.told).toMatchObject([{ code: 'draining' }, { code: 'draining' }])
    await range.freed
    expect(spool.stats()).toMatchObject({ ignoredEvents: 3, queuedEvents: 0 })
  })
})
