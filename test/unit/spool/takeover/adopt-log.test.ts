import { expect, test } from 'vitest'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import { openLedger } from '../../../../src/spool/ledger/ledger.ts'
import type { SpoolSettings } from '../../../../src/spool/spool-settings.ts'
import { type AdoptedLog, adoptLog, bringDown } from '../../../../src/spool/takeover/adopt-log.ts'
import { removeNote } from '../../../../src/spool/takeover/finished-logs.ts'
import { type Owner, parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { takeLog } from '../../../../src/spool/takeover/take.ts'
import { readTaken } from '../../../../src/spool/takeover/taken-note.ts'
import { createNotes } from '../../../../src/spool/takeover/taken-notes.ts'
import * as journals from '../../../suites/journal-logs.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryHdfs, type MemoryHdfs, whole } from '../../../suites/memory-hdfs.ts'
import { createMortalView } from '../../../suites/mortal-view.ts'
import { openTestSpool, readFiles } from '../../../suites/spool.ts'
import { toStride } from '../../../suites/stride.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'
import { eventsIn, loseCollector, loseInterleaved, openReplicated, replicaOn } from './lost-collector.ts'

const taker = 'f'.repeat(32)

/** Continues a log as the server does, with a spool whose heart beats meanwhile. */
const adopt = async (
  hdfs: MemoryHdfs,
  owner: Owner,
  disk: TearingDisk,
  takeKeys: (disk: TearingDisk) => Promise<void> = async () => {},
  steps: string[] = [],
  more: Partial<SpoolSettings> = {},
): Promise<AdoptedLog> => {
  let beat: () => Promise<void> = async () => {}
  return await adoptLog(
    {
      fileSystem: hdfs,
      outputDirectory: '/events',
      taker,
      signal: new AbortController().signal,
      diskOf: () => disk,
      takeKeys: () => takeKeys(disk),
      open: async ({ name }, temporaryDirectory) => {
        const replica = replicaOn(hdfs, name)
        const settings = { ack: 'replicated', ...more } as const
        const opened = await openTestSpool({ disk, fileSystem: hdfs, replica, temporaryDirectory, settings })
        beat = async () => {
          opened.clock.ms += 60_000
          await opened.beat()
        }
        return opened.spool
      },
      pause: () => beat(),
    },
    owner,
    { onStep: step => void steps.push(step), onStatus: () => {} },
  )
}

const take = async (hdfs: MemoryHdfs, name: string): Promise<Owner> => {
  const owner = parseOwner(name)
  const taken = owner && (await takeLog({ ...taking(hdfs) }, owner))
  const found = taken === undefined ? undefined : parseOwner(taken)
  if (!found) throw new Error(`${name} was not taken`)
  return found
}

const taking = (fileSystem: MemoryHdfs) => ({
  fileSystem,
  outputDirectory: '/events',
  taker,
  signal: new AbortController().signal,
})

const namesIn = async (hdfs: MemoryHdfs, path: string): Promise<string[]> =>
  (await listAll(hdfs, path)).map(entry => entry.path.slice(path.length + 1))

test('all that a lost collector acknowledged gets to the file system, once, and nothing is left but the note', async () => {
  const hdfs = createMemoryHdfs()
  const { id, events } = await loseCollector(hdfs)
  expect(await eventsIn(hdfs)).toEqual([1, 2])
  const ours = await openReplicated(hdfs)
  const owner = await take(hdfs, id)
  const steps: string[] = []
  const disk = createTearingDisk()
  expect(await adopt(hdfs, owner, disk, other => ours.spool.takeKeys(other), steps)).toEqual({
    // By its owner, and from here.
    events: events.length,
    left: 0,
    lost: [],
  })
  expect(await eventsIn(hdfs)).toEqual(events)
  expect(steps).toEqual(['closing', 'copying', 'sending', 'removing'])
  expect(await namesIn(hdfs, `/events/_log/${owner.name}`)).toEqual(['taken'])
  expect([...((await readTaken(hdfs, `/events/_log/${owner.name}`)) ?? []).keys()]).toEqual([1, 2])
  expect(await namesIn(hdfs, '/events/_tmp')).toEqual([])
  // A sender that repeats a request is told that it was kept.
  for (const n of events) expect(ours.spool.recall(`key-${n}`)?.isKept).toBe(true)
  await ours.spool.close()
})

test('nobody can write it any more when it is copied, and what was taken is noted once', async () => {
  const hdfs = createMemoryHdfs()
  const { id } = await loseCollector(hdfs)
  const open = (name: string): string[] => hdfs.openPaths().filter(path => path.startsWith(`/events/_log/${name}/`))
  expect(open(id)).not.toEqual([])
  const owner = await take(hdfs, id)
  const options = { ...taking(hdfs), diskOf: () => createTearingDisk(), pause: async () => {} }
  const seen: (readonly string[])[] = []
  await bringDown(options, owner, step => void seen.push([step, ...open(owner.name)]))
  expect(seen.at(-1)).toEqual(['copying'])
  const directory = `/events/_log/${owner.name}`
  const noted = await readTaken(hdfs, directory)
  await hdfs.memory.delete(`${directory}/log-0000000001.log`)
  await bringDown(options, owner, () => {})
  expect(await readTaken(hdfs, directory)).toEqual(noted)
})

test('what its owner sends until its ledger is closed is not left where a late RENAME would find it', async () => {
  let late: string | undefined
  const hdfs: MemoryHdfs = createMemoryHdfs({
    fail: (operation, path) => {
      if (operation === 'recoverLease' && path.endsWith('/ledger') && late !== undefined)
        void hdfs.memory.create(late, whole(Buffer.from('sent')))
      return undefined
    },
  })
  const { id } = await loseCollector(hdfs)
  const owner = await take(hdfs, id)
  late = `/events/_tmp/${id}/late`
  const { temporaryDirectory } = await bringDown(
    { ...taking(hdfs), diskOf: () => createTearingDisk(), pause: async () => {} },
    owner,
    () => {},
  )
  expect(await namesIn(hdfs, temporaryDirectory)).toContain('late')
  expect(await namesIn(hdfs, '/events/_tmp')).toEqual([owner.name])
})

test('a log that another collector has taken meanwhile is not made anew', async () => {
  const hdfs = createMemoryHdfs()
  const { id } = await loseCollector(hdfs)
  const owner = await take(hdfs, id)
  const disk = createTearingDisk()
  await bringDown({ ...taking(hdfs), diskOf: () => disk, pause: async () => {} }, owner, () => {})
  await directoriesOf(hdfs).rename(`/events/_log/${owner.name}`, `/events/_log/${id}.${'e'.repeat(32)}`)
  const replica = replicaOn(hdfs, owner.name)
  await openTestSpool({ disk, fileSystem: hdfs, replica, settings: { ack: 'replicated' } })
  expect(replica.state.name).toBe('fenced')
  expect(await namesIn(hdfs, '/events/_log')).toEqual([`${id}.${'e'.repeat(32)}`])
})

test('it is sealed again as it was, whatever the settings are now: no file gets another name', async () => {
  const names = async (settings: Partial<SpoolSettings>) => {
    const hdfs = createMemoryHdfs()
    const { id, events } = await loseCollector(hdfs)
    await adopt(hdfs, await take(hdfs, id), createTearingDisk(), undefined, [], settings)
    const found = [...(await readFiles(hdfs)).keys()].filter(path => !path.includes('/_'))
    // What was not sealed before is as the settings say.
    return [
      found.length - events.length,
      found.filter(path => !path.includes('/Open/')).map(path => path.replaceAll(id, '')),
    ]
  }
  const now = { outputFormat: 'native', outputCodec: 'gzip', outputLayout: 'hive', outputEnvelope: false } as const
  expect(await names({ ...now, outputDirectory: '/events/elsewhere' })).toEqual(await names({}))
})

test('what a person decides about is left, with its file, where a person looks for it', async () => {
  const hdfs = createMemoryHdfs()
  const { id, events } = await loseCollector(hdfs, ['Conflict', 'Taken'])
  const owner = await take(hdfs, id)
  const disk = createTearingDisk()
  expect(await adopt(hdfs, owner, disk)).toMatchObject({ left: 2 })
  const left = disk.paths.filter(path => /^_(taken|quarantine)\//.test(path))
  expect(left.map(path => path.slice(0, path.indexOf('/'))).toSorted()).toEqual(['_quarantine', '_taken'])
  expect(await eventsIn(hdfs)).toEqual(events.slice(2))
  expect(await namesIn(hdfs, `/events/_log/${owner.name}`)).toContain('ledger')
})

test('segments that are lost are named, and the note of them stays with the log', async () => {
  const hdfs = createMemoryHdfs()
  const { id, events } = await loseCollector(hdfs)
  const owner = await take(hdfs, id)
  const disk = createTearingDisk()
  await bringDown({ ...taking(hdfs), diskOf: () => disk, pause: async () => {} }, owner, () => {})
  const ledger = await openLedger(disk, true, () => Promise.reject(new Error('nothing is damaged')))
  const lost = { file: '0000000009.log', bytes: 0, events: 3, reason: 'The file is gone', lost: true }
  await ledger.append({ type: 'damaged', damage: [lost] })
  await ledger.close()
  expect(await adopt(hdfs, owner, disk)).toMatchObject({ left: 0, lost: [lost.file] })
  expect(await eventsIn(hdfs)).toEqual(events)
  expect(await namesIn(hdfs, `/events/_log/${owner.name}`)).toContain('ledger')
})

test('a log that its owner had not made whole is removed, and nothing was taken of it', async () => {
  const hdfs = createMemoryHdfs()
  const id = 'a'.repeat(32)
  for (const name of ['id', 'log-0000000001.log'])
    await hdfs.memory.create(`/events/_log/${id}/${name}`, new Blob(['x']).stream())
  const owner = await take(hdfs, id)
  expect(await adopt(hdfs, owner, createTearingDisk())).toEqual({ events: 0, left: 0, lost: [] })
  expect(await namesIn(hdfs, `/events/_log/${owner.name}`)).toEqual(['taken'])
  expect(await readTaken(hdfs, `/events/_log/${owner.name}`)).toEqual(new Map())
})

test('a log whose note was about to be forgotten is removed, and gets no note that nothing was taken', async () => {
  const hdfs = createMemoryHdfs()
  const id = 'a'.repeat(32)
  const directory = `/events/_log/${id}.${taker}`
  await hdfs.memory.create(`${directory}/taken`, new Blob(['{"segments":{"1":100}}']).stream())
  let calls = 0
  // Killed behind the first deletion.
  const dying = createMortalView(hdfs, () => ++calls > 2)
  void removeNote(dying, directory)
  await expect.poll(() => namesIn(hdfs, directory)).toEqual([])
  const owner = parseOwner(`${id}.${taker}`) ?? expect.unreachable()
  expect(await adopt(hdfs, owner, createTearingDisk())).toEqual({ events: 0, left: 0, lost: [] })
  expect(await namesIn(hdfs, '/events/_log')).toEqual([])
  expect(await createNotes(hdfs, '/events/_log', id).read()).toBe('gone')
})

test('a log that is listed, and has ended meanwhile, is gone', async () => {
  expect(await removeNote(createMemoryHdfs(), `/events/_log/${'a'.repeat(32)}.${taker}`)).toBe(true)
})

test('a log in an object store whose removal was interrupted is removed by the next attempt, and listed no more', async () => {
  const { objects } = await journals.begin()
  const keeper = journals.startProcess(objects)
  await journals.take(keeper)
  await keeper.delete(`${journals.taken}/ledger`)
  const killed = journals.startProcess({ ...objects, delete: path => Promise.reject(journals.away(path)) })
  await expect(removeNote(killed, journals.taken)).rejects.toMatchObject({ code: 'unavailable' })
  const notes = createNotes(journals.startProcess(objects), journals.root, journals.id)
  expect(await notes.read()).toBe('not yet')
  expect(await notes.forget()).toBe(true)
  expect(await notes.read()).toBe('gone')
})

/** Continues a log until a call of the taker, of HDFS or of its disk, that is its last one. */
const adoptUntil = async (killAt: number, hdfs: MemoryHdfs, owner: Owner, disk: TearingDisk) => {
  let left = killAt
  const { promise: killed, resolve: kill } = Promise.withResolvers<void>()
  const isDead = (): boolean => {
    if (--left === 0) kill()
    return left <= 0
  }
  await Promise.race([adopt(createMortalView(hdfs, isDead), owner, createMortalView(disk, isDead)), killed])
  const wasKilled = left <= 0
  left = 0
  return { wasKilled, rest: disk.kill() }
}

/** The log of a taker that is lost gets to another one. */
const retake = async (hdfs: MemoryHdfs, { id, name }: Owner, to: string): Promise<Owner> => {
  await directoriesOf(hdfs).rename(`/events/_log/${name}`, `/events/_log/${id}.${to}`)
  return await take(hdfs, `${id}.${to}`)
}

/** What becomes of a taker that is lost, and who continues; one call of `every` is its last, or each in a release run. */
const losses = {
  'its next start goes on with it': {
    every: 4,
    goOn: (hdfs: MemoryHdfs, owner: Owner, disk: TearingDisk) => adopt(hdfs, owner, disk),
  },
  'it is lost with its machine, and another one goes on with it': {
    every: 4,
    goOn: async (hdfs: MemoryHdfs, owner: Owner) =>
      await adopt(hdfs, await retake(hdfs, owner, 'e'.repeat(32)), createTearingDisk()),
  },
  'so is the next one, twice, and a third one goes on with it': {
    every: 10,
    goOn: async (hdfs: MemoryHdfs, owner: Owner, _: TearingDisk, killAt: number) => {
      const second = await retake(hdfs, owner, 'e'.repeat(32))
      const { rest } = await adoptUntil(killAt, hdfs, second, createTearingDisk())
      await adoptUntil(Math.ceil(killAt / 2), hdfs, second, rest)
      await adopt(hdfs, await retake(hdfs, second, 'd'.repeat(32)), createTearingDisk())
    },
  },
}

/** What the log was like of the one that was lost first. */
const lost = { 'files in each state': loseCollector, 'segments that are done between others': loseInterleaved }

const cases = Object.entries(lost).flatMap(([what, lose]) =>
  Object.entries(losses).map(([loss, { every, goOn }]) => ({ what, lose, loss, every, goOn })),
)

test.for(cases)(
  'R26: `kill -9` at each step of what goes on with $what: $loss, 0 lost, 0 twice',
  async ({ lose, every, goOn }) => {
    const stride = toStride(every)
    for (let killAt = 1 + stride.first; ; killAt += stride.every) {
      const hdfs = createMemoryHdfs()
      const { id, events } = await lose(hdfs)
      const owner = await take(hdfs, id)
      const { wasKilled, rest } = await adoptUntil(killAt, hdfs, owner, createTearingDisk())
      await goOn(hdfs, owner, rest, killAt)
      expect([killAt, await eventsIn(hdfs)]).toEqual([killAt, events])
      if (!wasKilled) {
        expect(killAt).toBeGreaterThan(100)
        return
      }
    }
  },
)
