import { describe, expect, test } from 'vitest'
import { createSpaceWatch } from '../../../../src/spool/heartbeat/space-watch.ts'
import { silent } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const start = (freeAt: (minute: number) => number) => {
  const clock = { ms: 1_000_000 }
  const minute = (): number => (clock.ms - 1_000_000) / 60_000
  const disk = createTearingDisk({ freeBytes: () => freeAt(minute()) })
  const watch = createSpaceWatch(
    disk,
    () => ({ minFreeBytes: 10e9 }),
    silent,
    async () => {},
    () => clock.ms,
  )
  const run = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 5) {
      await watch.check()
      clock.ms += 5_000
    }
  }
  return { watch, run, clock }
}

describe('when the disk is full', () => {
  test('is known from how it filled in the last minutes', async () => {
    // 100 GB to go at 1 GB a minute.
    const { watch, run } = start(minute => 110e9 - minute * 1e9)
    await run(55)
    expect(watch.fullInSeconds).toBeUndefined()
    await run(10)
    expect(watch.fullInSeconds).toBeCloseTo(99 * 60, -2)
    await run(3_600)
    expect(watch.fullInSeconds).toBeCloseTo(39 * 60, -2)
  })

  test('is not said of a disk that does not fill, and follows what it does now', async () => {
    const { watch, run } = start(minute => (minute < 30 ? 50e9 : 50e9 - (minute - 30) * 1e9))
    await run(600)
    expect(watch.fullInSeconds).toBeUndefined()
    await run(1_200 + 900)
    expect(watch.fullInSeconds).toBeCloseTo(25 * 60, -2)
  })

  test('is forgotten where the clock is set back', async () => {
    const { watch, run, clock } = start(() => 50e9 - clock.ms)
    await run(120)
    clock.ms = 1_000
    await run(30)
    expect(watch.fullInSeconds).toBeUndefined()
  })

  test('the refusal names figure and setting', async () => {
    const { watch, run } = start(() => 68e6)
    await run(5)
    expect(watch.refusal).toBe('only 68 MB are free in memory; collector.diskspool.min-free-bytes requires 10000 MB')
  })
})
