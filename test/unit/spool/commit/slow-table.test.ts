import { expect, test } from 'vitest'
import { createTableCommits } from '../../../../src/spool/commit/table-commits.ts'
import type { BucketFile } from '../../../../src/spool/files/bucket-file.ts'
import { openLedger } from '../../../../src/spool/ledger/ledger.ts'
import { silent, startMs } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const slow = Array.from({ length: 6 }, (_, i) => `/events/Slow-${i}`)
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
  const ledger = await openLedger(createTearingDisk(), true, () => expect.unreachable('it is damaged'))
  const aborter = new AbortController()
  const { promise: answer, resolve: goOn } = Promise.withResolvers<void>()
  const asked: string[] = []
  const commits = createTableCommits({
    ledger,
    append: async (table, files) => {
      asked.push(table)
      if (slow.includes(table)) await answer
      return { committed: files, refused: [], gone: [] }
    },
    moves: { setAside: async () => {} },
    outage: { failed: () => {}, worked: () => {} },
    log: silent,
    stats: { flushes: 0, flushedEvents: 0, errors: 0, retries: 0, lastError: '' },
    snapshotMs: () => 0,
    now: () => startMs,
    random: () => 0.5,
    signal: aborter.signal,
    slowMs: 1,
  })
  return {
    commits,
    asked,
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

test('tables whose file system hangs hold up no other, and each is asked once', async () => {
  const { commits, asked, goOn, place, left } = await open()
  await place([...slow, ...fast], 1)
  await commits.commit()
  expect(left()).toEqual(slow.map(table => table.slice(8)))
  await place([...slow, ...fast], 2)
  await commits.commit()
  expect(left()).toHaveLength(12)
  expect(asked.filter(table => slow.includes(table))).toEqual(slow)
  expect(asked.filter(table => fast.includes(table))).toHaveLength(12)
  // Those who want everything wait for all of them, and hold up no other.
  const all = commits.commit(true)
  await place(fast, 3)
  await commits.commit()
  expect(left()).toHaveLength(12)
  goOn()
  await all
  expect(left()).toEqual([])
})

test('nothing is waited for once it is given up', async () => {
  const { commits, giveUp, place } = await open()
  await place([...slow, ...fast], 1)
  const all = commits.commit(true)
  giveUp()
  await all
})
