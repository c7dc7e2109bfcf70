import { expect, onTestFinished, test, vi } from 'vitest'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import { createTableCommits } from '../../../../src/spool/commit/table-commits.ts'
import type { BucketFile } from '../../../../src/spool/files/bucket-file.ts'
import { openLedger } from '../../../../src/spool/ledger/ledger.ts'
import { silent, startMs } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const many = Array.from({ length: 40 }, (_, i) => `/events/Slow-${i}`)
const slow = many.slice(0, 6)
const fast = Array.from({ length: 6 }, (_, i) => `/events/Fast-${i}`)

const toFile = (table: string, segment: number): BucketFile => ({
  name: `20260102T030405.000Z-${table.slice(8)}-${segment}-0.parquet`,
  directory: `${table}/data/eventDate_hour=2026-01-02-03`,
  segment,
  format: 'parquet',
  codec: 'none',
  kind: 'smile',
  length: 1,
  crc: 0,
  events: 1,
  oldest: startMs,
})

const open = async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ledger = await openLedger(createTearingDisk(), true, () => expect.unreachable('it is damaged'))
  const aborter = new AbortController()
  const { promise: answer, resolve: goOn } = Promise.withResolvers<void>()
  const asked: string[] = []
  const told: unknown[] = []
  const commits = createTableCommits({
    ledger,
    append: async (table, files) => {
      asked.push(table)
      if (table.startsWith('/events/Slow')) await answer
      return { committed: files, refused: [], gone: [] }
    },
    moves: { setAside: async () => {} },
    outage: { failed: () => {}, worked: () => {} },
    log: { ...silent, warn: fields => void told.push(fields) },
    stats: { flushes: 0, flushedEvents: 0, errors: 0, retries: 0, lastError: '' },
    snapshotMs: () => 0,
    now: () => startMs,
    random: () => 0.5,
    signal: aborter.signal,
  })
  return {
    commits,
    asked,
    told,
    goOn,
    giveUp: () => aborter.abort(),
    place: async (tables: readonly string[], segment: number) => {
      const files = tables.map(table => toFile(table, segment))
      await ledger.append({ type: 'sealed', segment, files, damage: [] })
      await ledger.append(...files.map(({ name }) => ({ type: 'placed' as const, name })))
    },
    left: () => [...ledger.state.files.inState('placed')].map(({ file }) => file.directory.split('/')[2]),
  }
}

/** All is done that waits for no time. */
const workOn = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn++) await nextTurn()
}

/** Lets ten seconds pass. */
const passTime = async (): Promise<void> => {
  await workOn()
  await vi.advanceTimersByTimeAsync(10_000)
}

const whileTimePasses = async (work: Promise<unknown>): Promise<void> => {
  let isDone = false
  const done = work.then(() => {
    isDone = true
  })
  while (!isDone) await passTime()
  await done
}

test('tables whose file system hangs hold up no other, and each is asked once', async () => {
  const { commits, asked, told, goOn, place, left } = await open()
  await place([...slow, ...fast], 1)
  await whileTimePasses(commits.commit())
  expect(left()).toEqual(slow.map(table => table.slice(8)))
  expect(told).toEqual(slow.map(table => ({ table })))
  await place([...slow, ...fast], 2)
  await whileTimePasses(commits.commit())
  expect(left()).toHaveLength(12)
  expect(asked.filter(table => slow.includes(table))).toEqual(slow)
  expect(asked.filter(table => fast.includes(table))).toHaveLength(12)
  // Those who want everything wait for all of them, and hold up no other.
  const all = commits.commit(true)
  await place(fast, 3)
  await whileTimePasses(commits.commit())
  expect(left()).toHaveLength(12)
  goOn()
  await all
  expect(left()).toEqual([])
})

test('of tables that all hang no more are begun than the memory is for', async () => {
  const { commits, asked, goOn, place, left } = await open()
  await place(many, 1)
  const passing = commits.commit()
  for (let n = 0; n < 12; n++) await passTime()
  expect(asked).toEqual(many.slice(0, 32))
  goOn()
  await whileTimePasses(passing)
  expect([asked, left()]).toEqual([many, []])
})

test('those who want everything wait for tables that became slow meanwhile', async () => {
  const { commits, goOn, place, left } = await open()
  await place(slow, 1)
  const all = commits.commit(true).then(left)
  for (let n = 0; n < 3; n++) await passTime()
  goOn()
  expect(await all).toEqual([])
})

test.for([
  ['none was begun', 0, false],
  ['the first are under way', 0, true],
  ['as many hang as are begun', 12, true],
] as const)('nothing is waited for once it is given up, when %s', async ([, tensOfSeconds, isBegun]) => {
  const { commits, giveUp, place } = await open()
  await place(many, 1)
  const passes = [commits.commit()]
  for (let n = 0; n < tensOfSeconds; n++) await passTime()
  if (isBegun) await workOn()
  passes.push(commits.commit(true))
  if (isBegun) await workOn()
  giveUp()
  await Promise.all(passes)
})
