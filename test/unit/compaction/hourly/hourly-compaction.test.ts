/** When passes over the tables begin and end, and what is said of them; the processes are the test's. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHourlyCompaction, type HourlySettings } from '../../../../src/compaction/hourly/hourly-compaction.ts'
import type { PassNews, PassScope } from '../../../../src/compaction/hourly/news.ts'

const minuteMs = 60_000
const eight = Date.UTC(2026, 10, 22, 8)
const hour = eight / 3_600_000 - 1
const merged = {
  kind: 'merged',
  hour,
  filesBefore: 5,
  filesAfter: 1,
  rows: 50,
  bytesBefore: 900,
  bytesAfter: 400,
  repeats: 3,
} as const

const noneRemoved = { removedHours: 0, removedFiles: 0, removedRows: 0, removedBytes: 0 }

type Process = {
  readonly scope: PassScope
  readonly say: (news: PassNews) => void
  readonly end: (reason: string) => Promise<void>
  isKilled: boolean
}

/** A server that begins at ten to eight, by fake timers. */
const open = (given: Partial<HourlySettings> = {}) => {
  vi.useFakeTimers({ now: eight - 10 * minuteMs })
  onTestFinished(() => void vi.useRealTimers())
  const settings: { -readonly [K in keyof HourlySettings]: HourlySettings[K] } = {
    merges: true,
    retention: new Map(),
    afterMs: 10 * minuteMs,
    targetBytes: 512,
    ...given,
  }
  const processes: Process[] = []
  const lines: (readonly [message: string, fields: object])[] = []
  const log = (fields: object, message: string): void => void lines.push([message, fields])
  const compaction = createHourlyCompaction({
    settings: () => settings,
    startProcess: (scope, say) => {
      const { promise, resolve } = Promise.withResolvers<string>()
      const end = async (reason: string): Promise<void> => {
        resolve(reason)
        await vi.advanceTimersByTimeAsync(0)
      }
      const one: Process = { scope, say, end, isKilled: false }
      processes.push(one)
      return {
        ended: promise,
        kill: () => {
          one.isKilled = true
          resolve('was ended by SIGKILL')
        },
      }
    },
    now: Date.now,
    log: { debug: () => {}, info: log, warn: log },
  })
  compaction.start()
  onTestFinished(() => compaction.stop())
  return {
    compaction,
    settings,
    processes,
    lines,
    newest: (): Process => {
      const one = processes.at(-1)
      if (!one) throw new Error('no process was started')
      return one
    },
    pass: (minutes: number) => vi.advanceTimersByTimeAsync(minutes * minuteMs),
  }
}

/** Ends the newest process as one that is done. */
const finish = async ({ newest }: ReturnType<typeof open>): Promise<void> => {
  newest().say({ kind: 'done' })
  await newest().end('ended with code 0')
}

test('a pass begins soon after the start, and then once an hour, when the hour is closed', async () => {
  const world = open()
  const counts: number[] = []
  for (const minutes of [1, 18, 1, 59, 1]) {
    await world.pass(minutes)
    counts.push(world.processes.length)
    if (world.compaction.figures().isRunning) await finish(world)
  }
  // 07:51, 08:09, 08:10, 09:09, 09:10
  expect(counts).toEqual([1, 1, 2, 2, 3])
  expect(world.newest().scope).toEqual({ ...world.settings, skip: [], last: [] })
  expect(world.compaction.figures()).toMatchObject({ passes: 3, isRunning: false, lastPassAt: eight + 70 * minuteMs })
})

test('the next pass is due once the hour is closed, or now where that was before; without work none is', async () => {
  const world = open()
  const { figures } = world.compaction
  const found: number[] = []
  for (const minutes of [0, 1, 19, 1, 60]) {
    await world.pass(minutes)
    found.push((figures().nextPassAt - eight) / minuteMs)
    if (figures().isRunning) await finish(world)
  }
  // At 07:50 that of 07:10 was not begun; it begins at the first look.
  expect(found).toEqual([-50, 10, 70, 70, 130])
  world.settings.merges = false
  expect(figures().nextPassAt).toBe(0)
  world.settings.retention = new Map([['Order', 30]])
  expect(figures().nextPassAt).not.toBe(0)
  world.compaction.stop()
  expect(figures().nextPassAt).toBe(0)
})

test('the hours that were merged last are kept, the newest first, through passes, at most 20', async () => {
  const world = open()
  await world.pass(1)
  for (let i = 0; i < 15; i++) world.newest().say({ ...merged, table: `/events/${i}` })
  await finish(world)
  await world.pass(20)
  for (let i = 15; i < 30; i++) world.newest().say({ ...merged, table: `/events/${i}` })
  const { latest } = world.compaction.figures()
  expect(latest.map(({ table }) => table)).toEqual(Array.from({ length: 20 }, (_, i) => `/events/${29 - i}`))
  const { kind: _, ...hourOf } = merged
  expect(latest[0]).toEqual({ ...hourOf, table: '/events/29' })
})

test('off: no process is started; switched off, the one that runs is ended at once, and on again, one starts', async () => {
  const world = open({ merges: false })
  await world.pass(180)
  expect(world.processes).toHaveLength(0)
  world.settings.merges = true
  world.compaction.look()
  expect(world.processes).toHaveLength(1)
  world.newest().say({ kind: 'waits', table: '/events/Order', hours: 3 })
  expect(world.compaction.figures()).toMatchObject({ isRunning: true, waitingHours: 3 })
  world.settings.merges = false
  world.compaction.look()
  expect(world.newest().isKilled).toBe(true)
  await world.pass(1)
  expect(world.compaction.figures()).toMatchObject({ isRunning: false, waitingHours: 0, failures: 0, passes: 0 })
  world.settings.merges = true
  world.compaction.look()
  expect(world.processes).toHaveLength(2)
})

test('a pass that lasts for hours is the only one, and the next follows it', async () => {
  const world = open()
  const alive = setInterval(() => world.newest().say({ kind: 'alive' }), minuteMs)
  onTestFinished(() => clearInterval(alive))
  await world.pass(185)
  expect(world.processes).toHaveLength(1)
  await finish(world)
  await world.pass(1)
  expect(world.processes).toHaveLength(2)
})

test('a stop ends the process, and no other follows', async () => {
  const world = open()
  await world.pass(1)
  world.newest().say({ kind: 'begins', table: '/events/Order' })
  world.compaction.stop()
  expect(world.newest().isKilled).toBe(true)
  await world.pass(180)
  // As after a reload of the settings.
  world.compaction.look()
  expect(world.processes).toHaveLength(1)
  expect(world.lines).toEqual([])
})

test('what was merged is counted, and said once the pass is over; repeats that were dropped, by hour at once', async () => {
  const world = open()
  await world.pass(1)
  const { say } = world.newest()
  say({ ...merged, table: '/events/Order' })
  // Files with more columns may be larger than those before.
  say({ ...merged, table: '/events/Click', bytesAfter: 1_000, repeats: 0 })
  say({ ...merged, table: '/events/Click' })
  const dropped = { hour: '2026-11-22T07:00Z', rows: 50, repeats: 3 }
  const lines = [
    ['repeats', { table: '/events/Order', ...dropped }],
    ['repeats', { table: '/events/Click', ...dropped }],
  ]
  expect(world.lines).toEqual(lines)
  await finish(world)
  const sums = {
    ...noneRemoved,
    hours: 3,
    files: 15,
    newFiles: 3,
    rows: 150,
    repeats: 6,
    savedBytes: 1_000,
    failures: 0,
  }
  expect(world.compaction.figures()).toMatchObject(sums)
  expect(world.lines).toEqual([...lines, ['the files of closed hours of tables are merged', { ...sums, seconds: 0 }]])
})

test('a failure is logged with table, hour and cause; it is the problem until a pass without one, and its table comes last', async () => {
  const world = open()
  await world.pass(1)
  world.newest().say({ kind: 'failed', table: '/events/Order', hour, reason: 'no space' })
  world.newest().say({ kind: 'failed', table: '/events/Click', hour: undefined, reason: 'away' })
  expect(world.lines).toEqual([
    [
      'files of a table stay as they were; the next pass will retry',
      { table: '/events/Order', hour: '2026-11-22T07:00Z', reason: 'no space' },
    ],
    ['files of a table stay as they were; the next pass will retry', { table: '/events/Click', reason: 'away' }],
  ])
  await finish(world)
  expect(world.compaction.problem()).toBe('/events/Order 2026-11-22T07:00Z: no space (and 1 more)')
  await world.pass(20)
  expect(world.newest().scope.last).toEqual(['/events/Order', '/events/Click'])
  expect(world.compaction.problem()).not.toBe('')
  await finish(world)
  expect(world.compaction.problem()).toBe('')
  expect(world.compaction.figures()).toMatchObject({ failures: 2, failing: [] })
})

test('of many failures in a pass 20 are logged and kept, and all are counted', async () => {
  const world = open()
  await world.pass(1)
  for (let i = 0; i < 50; i++)
    world.newest().say({ kind: 'failed', table: `/events/${i}`, hour: undefined, reason: 'away' })
  await finish(world)
  const { failures, failing } = world.compaction.figures()
  expect([failures, failing.length, world.lines.length]).toEqual([50, 20, 21])
})

test.each([
  ['hangs', 6, 'nothing was heard of it for 300 s'],
  ['ends', 0, 'the process of the pass took more memory than it may have'],
])(
  'a table at which the process %s is left out, and the others go on in another process',
  async (_, minutes, reason) => {
    const world = open()
    await world.pass(1)
    const first = world.newest()
    first.say({ kind: 'begins', table: '/events/Done' })
    first.say({ kind: 'ended', table: '/events/Done' })
    first.say({ kind: 'begins', table: '/events/Bad' })
    if (minutes === 0) await first.end('took more memory than it may have')
    else await world.pass(minutes)
    expect(world.processes).toHaveLength(2)
    expect(first.isKilled).toBe(minutes > 0)
    expect(world.newest().scope.skip).toEqual(['/events/Done', '/events/Bad'])
    await finish(world)
    expect(world.compaction.problem()).toBe(`/events/Bad: ${reason}`)
  },
)

test('what says something now and then does not hang', async () => {
  const world = open()
  await world.pass(1)
  world.newest().say({ kind: 'begins', table: '/events/Large' })
  for (let i = 0; i < 5; i++) {
    await world.pass(4)
    world.newest().say({ kind: 'alive' })
  }
  expect([world.processes.length, world.newest().isKilled]).toEqual([1, false])
})

test('a process that ends before any table ends the pass: the next hour tries again', async () => {
  const world = open()
  await world.pass(1)
  await world.newest().end('could not be started: EAGAIN')
  expect(world.processes).toHaveLength(1)
  expect(world.compaction.problem()).toBe('the process of the pass could not be started: EAGAIN')
  await world.pass(20)
  expect(world.processes).toHaveLength(2)
})

test('a retention alone is a task as well; without it, and without merging, there is none', async () => {
  const world = open({ merges: false, retention: new Map([['Order', 30]]) })
  await world.pass(1)
  expect(world.newest().scope).toEqual({ ...world.settings, skip: [], last: [] })
  expect(world.compaction.figures()).toMatchObject({ merges: false, isRunning: true })
  world.settings.retention = new Map()
  world.compaction.look()
  expect([world.newest().isKilled, world.processes.length]).toEqual([true, 1])
  await world.pass(180)
  expect(world.processes).toHaveLength(1)
})

test.each<[what: string, retention: ReadonlyMap<string, number>]>([
  ['longer', new Map([['Order', 365]])],
  ['that of another type', new Map([['Click', 30]])],
  [
    'that of one type more',
    new Map([
      ['Order', 30],
      ['*', 30],
    ]),
  ],
  ['no more', new Map()],
])(
  'a pass ends where its retention is %s by now, and what it says behind that does not count',
  async (_, retention) => {
    const world = open({ retention: new Map([['Order', 30]]) })
    await world.pass(1)
    const first = world.newest()
    world.settings.retention = retention
    world.compaction.look()
    expect(first.isKilled).toBe(true)
    expect(world.newest()).not.toBe(first)
    expect(world.newest().scope.retention).toEqual(retention)
    first.say({ kind: 'failed', table: '/events/Order', hour, reason: 'late' })
    expect(world.lines).toEqual([])
  },
)

test('the same retention, read again, ends no pass', async () => {
  const world = open({ retention: new Map([['Order', 30]]) })
  await world.pass(1)
  world.settings.retention = new Map([['Order', 30]])
  world.compaction.look()
  expect([world.newest().isKilled, world.processes.length]).toEqual([false, 1])
})

test('each removal is one audit line at once, and is counted', async () => {
  const world = open()
  await world.pass(1)
  const sums = { hours: 3, files: 9, rows: 90, bytes: 900 }
  const snapshotId = 9_007_199_254_740_993n
  world
    .newest()
    .say({ kind: 'removed', table: '/events/Order', days: 30, from: hour - 9, to: hour, ...sums, snapshotId })
  expect(world.lines).toEqual([
    [
      'retention',
      {
        table: '/events/Order',
        from: '2026-11-21T22:00Z',
        to: '2026-11-22T06:00Z',
        days: 30,
        ...sums,
        snapshot: '9007199254740993',
      },
    ],
  ])
  world
    .newest()
    .say({ kind: 'removed', table: '/events/Click', days: 1, from: hour, to: hour + 1, ...sums, snapshotId })
  await finish(world)
  expect(world.compaction.figures()).toMatchObject({
    removedHours: 6,
    removedFiles: 18,
    removedRows: 180,
    removedBytes: 1_800,
    hours: 0,
    failures: 0,
  })
})

const removal = { kind: 'removed', table: '/events/Order', days: 1, from: hour, to: hour + 1, snapshotId: 1n } as const
const someRemoved: PassNews = { ...removal, hours: 1, files: 1, rows: 1, bytes: 1 }
const someMerged: PassNews = { ...merged, table: '/events/Order' }
const someFailed: PassNews = { kind: 'failed', table: '/events/Order', hour, reason: 'no space' }

test.each<[string, readonly PassNews[]]>([
  ['the files of closed hours of tables are merged', [someMerged]],
  ['rows of tables beyond their retention are removed', [someRemoved, someFailed]],
  [
    'the files of closed hours of tables are merged, and rows of tables beyond their retention are removed',
    [someRemoved, someMerged],
  ],
  ['no file of a table is merged or removed', [someFailed]],
])('the last line of a pass says what was done: %s', async (line, news) => {
  const world = open()
  await world.pass(1)
  for (const one of news) world.newest().say(one)
  await finish(world)
  expect(world.lines.at(-1)?.[0]).toBe(line)
})
