import { expect, test } from 'vitest'
import { collectorMetrics } from '../../../admin/metrics/collector.ts'
import type { Disk } from '../../../src/disk/disk.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import type { Spool } from '../../../src/spool/spool.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, startMs } from '../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../suites/tearing-disk.ts'

/** The metrics that add up to what was ever accepted, as `docs/operate.md` says. */
const parts = [
  'collector_stored_events_total',
  'collector_spool_events',
  'collector_quarantined_events',
  'collector_taken_events',
  'collector_lost_events',
]

const readParts = (spool: Spool): number[] => {
  const families = collectorMetrics(
    {},
    () => spool.stats(),
    () => [],
    () => [],
  )
  return parts.map(wanted => {
    const found = families.find(({ name }) => name === wanted)
    if (!found) throw new Error(`There is no metric ${wanted}`)
    return [...found.samples()].reduce((sum, { value }) => sum + value, 0)
  })
}
const add = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Looks at the books in every turn of the event loop while something is done. */
const watching = async (spool: Spool, want: number, work: () => Promise<unknown>): Promise<void> => {
  const wrong: number[] = []
  let isDone = false
  const look = async (): Promise<void> => {
    while (!isDone) {
      const sum = add(readParts(spool))
      if (sum !== want) wrong.push(sum)
      await new Promise(setImmediate)
    }
  }
  const looking = look()
  await work()
  isDone = true
  await looking
  expect(wrong, `in some turns instead of ${want}`).toEqual([])
}

/** A disk on which closing a file takes a turn. */
const slow = (disk: TearingDisk): Disk => ({
  ...disk,
  create: async path => {
    const file = await disk.create(path)
    return {
      ...file,
      close: async () => {
        await new Promise(setImmediate)
        await file.close()
      },
    }
  },
})

test('R13: accepted = stored + spool + quarantine + taken + lost, at every instant, after damage and restarts too', async () => {
  const clock = { ms: startMs }
  let isRefusing = false
  const fileSystem = createMemoryFileSystem({
    fail: (operation, path) =>
      operation === 'create' && isRefusing ? new FileSystemError('denied', path, 'The quota is used up') : undefined,
  })
  const settings = { keepCommittedMs: 60_000 }
  let disk = createTearingDisk()
  let { spool, beat } = await openTestSpool({ disk: slow(disk), fileSystem, settings, clock })
  let accepted = 0
  const send = async (events: number, name: string): Promise<void> => {
    await spool.append(
      jsonBatch(
        Array.from({ length: events }, (_, n) => ({ n })),
        { name },
      ),
    )
    accepted += events
  }
  const restart = async (): Promise<void> => {
    disk = disk.kill()
    ;({ spool, beat } = await openTestSpool({ disk: slow(disk), fileSystem, settings, clock }))
    expect(add(readParts(spool))).toBe(accepted)
  }
  const pass = (ms = 30_000) =>
    watching(spool, accepted, async () => {
      clock.ms += ms
      await beat()
      await beat()
    })

  await send(7, 'Stored')
  await pass()
  expect(readParts(spool)).toEqual([7, 0, 0, 0, 0])

  isRefusing = true
  await send(5, 'Refused')
  await pass()
  expect(readParts(spool)).toEqual([7, 0, 5, 0, 0])
  await restart()

  await spool.disableFlush()
  await send(11, 'Lost')
  await restart()
  const [lost = ''] = disk.paths.filter(path => path.startsWith('log/'))
  await send(13, 'Open')
  await disk.unlink(lost)
  await restart()
  await spool.enableFlush()
  await pass()
  expect(readParts(spool)).toEqual([7, 0, 18, 0, 11])

  isRefusing = false
  await spool.disableFlush()
  for (const events of [2, 3, 4]) await send(events, 'Flipped')
  await restart()
  const [flipped = ''] = disk.paths.filter(path => path.startsWith('log/'))
  const bytes = disk.contents(flipped)
  const middle = bytes.length - Math.floor(bytes.length / 3)
  disk.overwrite(flipped, bytes.with(middle, (bytes[middle] ?? 0) ^ 1))
  await restart()
  await spool.enableFlush()
  await pass()
  const [stored, , quarantined] = readParts(spool)
  // What is damaged is set aside, and all else arrives.
  expect([stored, quarantined]).toEqual([expect.toBeOneOf([12, 13, 14]), expect.toBeOneOf([20, 21, 22])])
  for (let minute = 0; minute < 5; minute++) await pass(60_000)
  expect(readParts(spool).slice(3)).toEqual([0, 11])
  await restart()
  await spool.close()
  expect(add(readParts(spool))).toBe(accepted)
})
