import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { type AdoptByHandOptions, adoptByHand } from '../../../../src/spool/manual/adopt-by-hand.ts'
import type { AdoptedLog, AdoptLogWatch } from '../../../../src/spool/takeover/adopt-log.ts'
import { createAlive } from '../../../../src/spool/takeover/alive.ts'
import { parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryHdfs, type MemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { silent, testSettings } from '../../../suites/spool.ts'
import { eventsIn, loseCollector, replicatedSettings } from '../takeover/lost-collector.ts'

const adopt = async (
  hdfs: MemoryHdfs,
  id: string,
  { onStatus = () => {}, ...options }: Partial<AdoptByHandOptions & AdoptLogWatch> = {},
): Promise<AdoptedLog> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-by-hand-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const settings = { ...testSettings, replicated: { ...replicatedSettings, takeoverMs: 0 } }
  return await adoptByHand(
    {
      fileSystem: hdfs,
      outputDirectory: '/events',
      directory,
      settings: () => settings,
      log: silent,
      isForced: false,
      signal: new AbortController().signal,
      onSilent: () => {},
      pause: async () => {},
      confirm: async () => {},
      ...options,
    },
    parseOwner(id) ?? expect.unreachable(),
    { onStep: () => {}, onStatus },
  )
}

const logsIn = async (hdfs: MemoryHdfs): Promise<string[]> =>
  (await listAll(hdfs, '/events/_log')).map(({ path }) => path.slice('/events/_log/'.length))

test('a log is taken by hand once its collector is silent: its events get to their place, and the note is left', async () => {
  const hdfs = createMemoryHdfs()
  const { id, events } = await loseCollector(hdfs)
  expect(await adopt(hdfs, id)).toMatchObject({ left: 0, lost: [] })
  expect(await eventsIn(hdfs)).toEqual(events)
  const [left = '', ...others] = await logsIn(hdfs)
  expect([left.slice(0, 33), others]).toEqual([`${id}.`, []])
  await expect(adopt(hdfs, left)).rejects.toMatchObject({ code: 'finished' })
  await expect(adopt(hdfs, id)).rejects.toMatchObject({ code: 'missing' })
})

test('that of one that lives is not, unless it is forced; nor is anything without a yes', async () => {
  const hdfs = createMemoryHdfs()
  const { id, events } = await loseCollector(hdfs)
  const life = createAlive(hdfs, `/events/_log/${id}`, () => 20_000)
  await life.beat()
  // Longer than two looks.
  const replicated = { ...replicatedSettings, takeoverMs: 60_000 }
  const waiting = { settings: () => ({ ...testSettings, replicated }), pause: () => life.beat() }
  await expect(adopt(hdfs, id, waiting)).rejects.toMatchObject({ code: 'alive' })
  const confirm = (): Promise<void> => Promise.reject(new Error('no'))
  await expect(adopt(hdfs, id, { isForced: true, confirm })).rejects.toThrow('no')
  expect(await logsIn(hdfs)).toEqual([id])
  await adopt(hdfs, id, { ...waiting, isForced: true })
  expect(await eventsIn(hdfs)).toEqual(events)
})

test('a sign of life while a person is asked is seen: nothing is taken', async () => {
  const hdfs = createMemoryHdfs()
  const { id } = await loseCollector(hdfs)
  const life = createAlive(hdfs, `/events/_log/${id}`, () => 20_000)
  let isBack = false
  const confirm = async (): Promise<void> => {
    isBack = true
    await life.beat()
  }
  const pause = async (): Promise<void> => {
    if (isBack) await life.beat()
  }
  await expect(adopt(hdfs, id, { confirm, pause })).rejects.toMatchObject({ code: 'alive' })
  expect(await logsIn(hdfs)).toEqual([id])
})

test('one that was idle for so long that another one has taken its log ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const hdfs = createMemoryHdfs()
  const { id } = await loseCollector(hdfs)
  const away: MemoryHdfs = {
    ...hdfs,
    publish: async path => {
      throw new FileSystemError('unavailable', path, 'away')
    },
  }
  const taker = 'e'.repeat(32)
  const takeAway = async (): Promise<void> => {
    for (const name of await logsIn(hdfs)) {
      const { id: of, keeper } = parseOwner(name) ?? expect.unreachable(name)
      if (keeper !== taker) await directoriesOf(hdfs).rename(`/events/_log/${name}`, `/events/_log/${of}.${taker}`)
    }
    await vi.advanceTimersByTimeAsync(2_000)
  }
  await expect(adopt(away, id, { onStatus: () => void takeAway() })).rejects.toMatchObject({ code: 'taken' })
})
