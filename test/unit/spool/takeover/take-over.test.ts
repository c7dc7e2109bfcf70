import { describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import { readCounter } from '../../../../src/spool/takeover/alive.ts'
import { createTakeOver, type TakeOver, type TakeOverOptions } from '../../../../src/spool/takeover/take-over.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryHdfs, type MemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { openTestSpool, silent } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'
import { eventsIn, loseCollector, openReplicated, replicaOn } from './lost-collector.ts'

type Clock = { ms: number }

/** A collector that watches the others; its disk, and those of the spools that it continues. */
type Watcher = {
  readonly takeOver: TakeOver
  readonly id: string
  readonly fenced: string[]
  readonly adopted: Map<string, TearingDisk>
}

/** Used as `adopted/` of a spool's directory. */
const ownDisk = (adopted: Map<string, TearingDisk>, freeBytes: () => number) => ({
  directory: 'memory',
  space: async () => ({ freeBytes: freeBytes(), totalBytes: 1e12 }),
  list: async () => [...adopted.keys()].map(name => ({ name, isDirectory: true, length: 0 })),
  removeDirectory: async (path: string) => void adopted.delete(path.slice('adopted/'.length)),
})

const watchOn = async (
  hdfs: MemoryHdfs,
  clock: Clock,
  before?: Pick<Watcher, 'id' | 'adopted'>,
  {
    isReady = () => true,
    takeoverMs = () => 20_000,
    freeBytes = () => 1e12,
  }: Partial<Pick<TakeOverOptions, 'isReady' | 'takeoverMs'> & { readonly freeBytes: () => number }> = {},
): Promise<Watcher> => {
  const opened = before ? undefined : await openReplicated(hdfs)
  const { id, adopted } = before ?? { id: opened?.id ?? '', adopted: new Map<string, TearingDisk>() }
  const fenced: string[] = []
  const beats: (() => Promise<void>)[] = []
  const takeOver = createTakeOver({
    fileSystem: hdfs,
    outputDirectory: '/events',
    taker: id,
    disk: ownDisk(adopted, freeBytes),
    keepFree: () => 1e9,
    diskOf: other => {
      const disk = adopted.get(other) ?? createTearingDisk()
      adopted.set(other, disk)
      return disk
    },
    takeKeys: async disk => opened?.spool.takeKeys(disk),
    open: async (owner, temporaryDirectory) => {
      const disk = adopted.get(owner.id) ?? createTearingDisk()
      const replica = replicaOn(hdfs, owner.name)
      const spool = await openTestSpool({
        disk,
        fileSystem: hdfs,
        replica,
        temporaryDirectory,
        settings: { ack: 'replicated' },
      })
      beats.push(async () => {
        spool.clock.ms += 60_000
        await spool.beat()
      })
      return spool.spool
    },
    pause: async () => {
      for (const beat of beats) await beat()
    },
    takeoverMs,
    monotonicMs: () => clock.ms,
    isOurs: () => true,
    isReady,
    onFenced: reason => void fenced.push(reason),
    log: silent,
  })
  return { takeOver, id, fenced, adopted }
}

const rounds = async (clock: Clock, count: number, ...watchers: readonly Watcher[]): Promise<void> => {
  for (let n = 0; n < count; n++) {
    clock.ms += 2_000
    for (const { takeOver } of watchers) await takeOver.beat()
  }
}

const logsIn = async (hdfs: MemoryHdfs): Promise<string[]> =>
  (await listAll(hdfs, '/events/_log')).map(({ path }) => path.slice('/events/_log/'.length))

/** Until all that was taken is where it belongs. */
const untilTaken = async (
  clock: Clock,
  watcher: Watcher,
  logs: number,
  ...others: readonly Watcher[]
): Promise<void> => {
  await expect
    .poll(async () => {
      await rounds(clock, 1, watcher, ...others)
      return watcher.takeOver.status()
    })
    .toMatchObject({ takenOver: logs, takingOver: [] })
}

describe('a collector', () => {
  test('takes over the log of one that is lost, and of none that lives', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const { id, events } = await loseCollector(hdfs)
    const one = await watchOn(hdfs, clock)
    const two = await watchOn(hdfs, clock)
    await rounds(clock, 9, one, two)
    expect(one.takeOver.status()).toMatchObject({ takenOver: 0, takingOver: [] })
    expect(one.takeOver.status().watched).toEqual(
      expect.arrayContaining([
        { id, silentMs: expect.toSatisfy((ms: number) => ms >= 12_000) },
        { id: two.id, silentMs: 0 },
      ]),
    )
    await rounds(clock, 20, one, two)
    const [taker] = [one, two].filter(
      ({ takeOver }) => takeOver.status().takenOver + takeOver.status().takingOver.length > 0,
    )
    if (!taker) throw new Error('nobody took it')
    await untilTaken(clock, taker, 1, taker === one ? two : one)
    expect(await eventsIn(hdfs)).toEqual(events)
    expect((await logsIn(hdfs)).toSorted()).toEqual([one.id, two.id, `${id}.${taker.id}`].toSorted())
    expect([one.fenced, two.fenced]).toEqual([[], []])
    for (const { takeOver } of [one, two]) await takeOver.close()
  })

  test('that was taken over hears of it', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const slow = await watchOn(hdfs, clock)
    const other = await watchOn(hdfs, clock)
    await rounds(clock, 2, slow, other)
    await rounds(clock, 15, other)
    await rounds(clock, 1, slow)
    expect([slow.fenced, other.fenced]).toEqual([[`/events/_log/${slow.id} is not there any more`], []])
    await untilTaken(clock, other, 1)
    for (const { takeOver } of [slow, other]) await takeOver.close()
  })

  test('whose log is still being made shows that it lives, and takes nothing', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    await loseCollector(hdfs)
    let isReady = false
    const young = await watchOn(hdfs, clock, undefined, { isReady: () => isReady })
    const other = await watchOn(hdfs, clock, undefined, { isReady: () => false })
    await rounds(clock, 20, young, other)
    expect([young.fenced, young.takeOver.status()]).toEqual([
      [],
      { takenOver: 0, takenOverEvents: 0, takingOver: [], watched: [] },
    ])
    const directory = `/events/_log/${young.id}`
    const counter = await readCounter(hdfs, directory)
    await rounds(clock, 1, young)
    expect(await readCounter(hdfs, directory)).toBe((counter ?? 0) + 1)
    isReady = true
    await rounds(clock, 20, young, other)
    await untilTaken(clock, young, 1, other)
    for (const { takeOver } of [young, other]) await takeOver.close()
  })

  test('waits as long as the settings say now', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    await loseCollector(hdfs)
    let takeoverMs = 86_400_000
    const one = await watchOn(hdfs, clock, undefined, { takeoverMs: () => takeoverMs })
    await rounds(clock, 20, one)
    expect(one.takeOver.status()).toMatchObject({ takenOver: 0, takingOver: [] })
    takeoverMs = 20_000
    await untilTaken(clock, one, 1)
    await one.takeOver.close()
  })

  test('shows that it lives while a look at the others hangs', async () => {
    const hdfs = createMemoryHdfs()
    const hanging = Promise.withResolvers<void>()
    let hangs = false
    const listStatus: MemoryHdfs['listStatus'] = async function* (path) {
      if (hangs) await hanging.promise
      yield* hdfs.listStatus(path)
    }
    const clock = { ms: 0 }
    const one = await watchOn({ ...hdfs, listStatus }, clock)
    await rounds(clock, 2, one)
    hangs = true
    const round = one.takeOver.beat()
    const counter = (): Promise<number | undefined> => readCounter(hdfs, `/events/_log/${one.id}`)
    const before = (await counter()) ?? 0
    await expect
      .poll(async () => {
        void one.takeOver.beat()
        return await counter()
      })
      .toBeGreaterThan(before + 3)
    hanging.resolve()
    await round
    await one.takeOver.close()
  })

  test('that stops shows that it lives until it is closed, and takes nothing meanwhile', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const one = await watchOn(hdfs, clock)
    await rounds(clock, 2, one)
    const counter = async (): Promise<number> => (await readCounter(hdfs, `/events/_log/${one.id}`)) ?? 0
    const { id } = await loseCollector(hdfs)
    await one.takeOver.stop()
    const before = await counter()
    await rounds(clock, 15, one)
    expect([await counter(), (await logsIn(hdfs)).includes(id)]).toEqual([before + 15, true])
    await one.takeOver.close()
    await rounds(clock, 1, one)
    expect(await counter()).toBe(before + 15)
  })

  test('calls nothing any more once it is closed, also where a sign of life hangs', async () => {
    const memory = createMemoryHdfs()
    const hadoop = hadoopOf(memory)
    const [looking, showing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isOpen = false
    let hangs = false
    const order: string[] = []
    const setTimes: typeof hadoop.setTimes = async (...args) => {
      if (hangs) await showing.promise
      await hadoop.setTimes(...args)
      if (hangs) order.push('shown')
    }
    const listStatus: MemoryHdfs['listStatus'] = async function* (path) {
      hangs = isOpen
      if (hangs) await looking.promise
      yield* memory.listStatus(path)
    }
    const one = await watchOn({ ...memory, listStatus, hadoop: { ...hadoop, setTimes } }, { ms: 0 })
    isOpen = true
    void one.takeOver.beat()
    await expect.poll(() => hangs).toBe(true)
    void one.takeOver.beat()
    const closed = one.takeOver.close().then(() => void order.push('closed'))
    looking.resolve()
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    showing.resolve()
    await closed
    expect(order).toEqual(['shown', 'closed'])
  })

  test('goes on at its next start with what it had taken, and what another one has taken from it meanwhile goes', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const { id, events } = await loseCollector(hdfs)
    const before = await watchOn(hdfs, clock)
    await hdfs.memory.rename(`/events/_log/${id}`, `/events/_log/${id}.${before.id}`)
    const lost = 'd'.repeat(32)
    before.adopted.set(lost, createTearingDisk())
    const next = await watchOn(hdfs, clock, before)
    await untilTaken(clock, next, 1)
    expect(await eventsIn(hdfs)).toEqual(events)
    expect([...next.adopted.keys()]).not.toContain(lost)
    await next.takeOver.close()
  })

  test('gives up what another one has taken from it meanwhile', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const { id } = await loseCollector(hdfs, ['Conflict'])
    const one = await watchOn(hdfs, clock)
    const ours = `/events/_log/${id}.${one.id}`
    await hdfs.memory.rename(`/events/_log/${id}`, ours)
    await expect
      .poll(async () => {
        await rounds(clock, 1, one)
        return one.takeOver.status()
      })
      .toMatchObject({ takingOver: [{ id, problem: `1 file waits for a person in memory/adopted/${id}` }] })
    expect([...one.adopted.keys()]).toEqual([id])
    await hdfs.memory.rename(ours, `/events/_log/${id}.${'c'.repeat(32)}`)
    await expect
      .poll(async () => {
        await rounds(clock, 1, one)
        return one.takeOver.status()
      })
      .toMatchObject({ takingOver: [], takenOver: 0 })
    expect([...one.adopted.keys()]).toEqual([])
    await one.takeOver.close()
  })

  test('takes over what one that is gone had taken itself, also where its own log is gone already', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const { id, events } = await loseCollector(hdfs)
    const first = await watchOn(hdfs, clock)
    await hdfs.memory.rename(`/events/_log/${id}`, `/events/_log/${id}.${first.id}`)
    const orphan = await loseCollector(hdfs)
    await hdfs.memory.rename(`/events/_log/${orphan.id}`, `/events/_log/${orphan.id}.${'c'.repeat(32)}`)
    const last = await watchOn(hdfs, clock)
    await rounds(clock, 12, last)
    await untilTaken(clock, last, 3)
    expect(await eventsIn(hdfs)).toEqual([...events, ...orphan.events].toSorted((a, b) => a - b))
    expect((await logsIn(hdfs)).filter(name => !name.includes(last.id))).toEqual([])
    await last.takeOver.close()
  })

  test('takes over a log once more that its owner made anew under the same id', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const { id, events } = await loseCollector(hdfs)
    const one = await watchOn(hdfs, clock)
    await hdfs.memory.create(`/events/_log/${id}.${one.id}/taken`, new Blob(['{"segments":{}}']).stream())
    await rounds(clock, 12, one)
    await untilTaken(clock, one, 1)
    expect(await eventsIn(hdfs)).toEqual(events)
    await one.takeOver.close()
  })

  test('that cannot take one log takes the others', async () => {
    const stuck = `/events/_log/${'0'.repeat(32)}`
    const hdfs = createMemoryHdfs({ fail: (_, path) => (path === stuck ? 'before' : undefined) })
    const clock = { ms: 0 }
    const one = await watchOn(hdfs, clock)
    await hdfs.memory.create(`${stuck}/ledger`, new Blob(['x']).stream())
    const { events } = await loseCollector(hdfs)
    await rounds(clock, 12, one)
    await expect
      .poll(async () => {
        await rounds(clock, 1, one)
        return await eventsIn(hdfs)
      })
      .toEqual(events)
    await one.takeOver.close()
  })

  test('without room for a log leaves it to one that has it', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const { id, events } = await loseCollector(hdfs)
    const full = await watchOn(hdfs, clock, undefined, { freeBytes: () => 1e9 + 100 })
    await rounds(clock, 20, full)
    expect(await logsIn(hdfs)).toContain(id)
    // A person sees it, where no other one has room.
    const problem = expect.stringMatching(new RegExp(`the log of ${id} needs .* MB are free`))
    expect(full.takeOver.status().takingOver).toEqual([{ id, waitingEvents: 0, problem }])
    const other = await watchOn(hdfs, clock)
    await rounds(clock, 15, full, other)
    await untilTaken(clock, other, 1, full)
    expect(await eventsIn(hdfs)).toEqual(events)
    expect(full.takeOver.status().takingOver).toEqual([])
    for (const { takeOver } of [full, other]) await takeOver.close()
  })

  test('leaves alone what is not a log, and what is finished', async () => {
    const hdfs = createMemoryHdfs()
    const clock = { ms: 0 }
    const finished = `${'a'.repeat(32)}.${'b'.repeat(32)}`
    await hdfs.memory.create(`/events/_log/${finished}/taken`, new Blob(['{"segments":{}}']).stream())
    await hdfs.memory.mkdirs('/events/_log/other')
    const one = await watchOn(hdfs, clock)
    await rounds(clock, 30, one)
    expect((await logsIn(hdfs)).toSorted()).toEqual([finished, one.id, 'other'].toSorted())
    expect(one.takeOver.status()).toMatchObject({ takenOver: 0, watched: [] })
    await one.takeOver.close()
  })
})
