import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import type { SpoolSettings } from '../../../src/spool/spool-settings.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, readFiles, type TestSpool } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const day = Date.UTC(2026, 0, 2)
const names = ['Click', 'Order', 'View']
const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

type Now = {
  readonly spool: TestSpool['spool']
  /** Sends one more event; without a date it is one of now. */
  readonly send: (name: string, date?: number) => Promise<void>
  readonly restart: (how: 'stop' | 'kill') => Promise<void>
}

/** What happens in a minute of the day, the first being 0. */
type Day = {
  readonly settings?: Partial<SpoolSettings>
  readonly at?: (minute: number, now: Now) => Promise<void> | undefined
  readonly isAway?: (minute: number) => boolean
}

/** A day on which an event of each type arrives every minute. @returns the number of files in each directory of it */
const liveThrough = async ({ settings, at, isAway }: Day): Promise<ReadonlyMap<string, number>> => {
  // It began at some time.
  const clock = { ms: day - 17 * minuteMs }
  const minute = (): number => (clock.ms - day) / minuteMs
  const away = new FileSystemError('unavailable', '/', 'away')
  const fileSystem = createMemoryFileSystem({ fail: () => (isAway?.(minute()) ? away : undefined) })
  let disk = createTearingDisk()
  const open = (): Promise<TestSpool> => {
    const hourly = { flushIntervalMs: hourMs, maxUncommittedMs: hourMs, ...settings }
    return openTestSpool({ disk, fileSystem, clock, settings: hourly })
  }
  let running = await open()
  let sent = 0
  const send = (name: string, date = clock.ms): Promise<void> =>
    running.spool.append(jsonBatch([{ n: sent++ }], { name, date }))
  const restart = async (how: 'stop' | 'kill'): Promise<void> => {
    if (how === 'stop') await running.spool.close()
    disk = disk.kill()
    running = await open()
  }
  for (; clock.ms < day + 25 * hourMs; clock.ms += minuteMs) {
    // In one hour the periodic work runs before the hour's first event, in the next one after it.
    const isLate = Math.floor(clock.ms / hourMs) % 2 === 0
    if (!isLate) await running.beat()
    for (const name of names) await send(name)
    await at?.(minute(), { spool: running.spool, send, restart })
    if (isLate) await running.beat()
  }
  await running.spool.close()
  expect(new Set((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).size).toBe(sent)
  const directories = [...(await readFiles(fileSystem)).keys()].map(path => path.slice(0, path.lastIndexOf('/')))
  const ofDay = directories.filter(path => path.includes('/2026/01/02/'))
  return new Map(
    Map.groupBy(ofDay, path => path)
      .entries()
      .map(([path, files]) => [path, files.length]),
  )
}

const at = (hour: number, minute: number, what: (now: Now) => Promise<void>): NonNullable<Day['at']> => {
  return (current, now) => (current === 60 * hour + minute ? what(now) : undefined)
}

const directoryOf = (name: string, hour: string): string => `/events/${name}/2026/01/02/${hour}`

describe('with a flush interval of an hour', () => {
  test.each<Day & { readonly why: string; readonly more?: Record<string, number>; readonly usual?: number }>([
    { why: 'a day is 24 files of each type' },
    { why: 'one more when the server stops', more: { 12: 2 }, at: at(12, 30, ({ restart }) => restart('stop')) },
    { why: 'one more when it is killed', more: { 12: 2 }, at: at(12, 30, ({ restart }) => restart('kill')) },
    { why: 'more where segments are full before', usual: 2, settings: { maxUncommittedEvents: 120 } },
    {
      why: 'one more after the file system was away: what waited is one segment',
      more: { '06': 2 },
      isAway: minute => minute > 3 * 60 + 20 && minute < 6 * 60 + 30,
    },
    {
      why: 'one more after flushing was disabled',
      more: { 16: 2 },
      at: async (minute, { spool }) => {
        if (minute === 14 * 60 + 10) await spool.disableFlush()
        if (minute === 16 * 60 + 20) await spool.enableFlush()
      },
    },
  ])('$why', async ({ why: _why, more, usual = 1, ...events }) => {
    const files = await liveThrough(events)
    const want = names.flatMap(name => hours.map(hour => [directoryOf(name, hour), more?.[hour] ?? usual] as const))
    expect(files).toEqual(new Map(want))
  })

  test('events that come late add a file of their type for each hour in which some came', async () => {
    const files = await liveThrough({
      at: async (minute, { send }) => {
        const late = day + 8 * hourMs
        if (minute === 10 * 60 + 30 || minute === 10 * 60 + 40 || minute === 15 * 60) await send('Click', late + minute)
      },
    })
    const more = [...files].filter(([, count]) => count > 1)
    expect(more).toEqual([[directoryOf('Click', '08'), 3]])
    expect(files.size).toBe(3 * 24)
  })
})
