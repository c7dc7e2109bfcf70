import { expect, test } from 'vitest'
import { directoriesOf } from '../../../../src/filesystem/facets.ts'
import { createMountTable } from '../../../../src/filesystem/mounts.ts'
import { adoptLog } from '../../../../src/spool/takeover/adopt-log.ts'
import { parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { type CopyPlaces, settleCopy } from '../../../../src/spool/takeover/settle-copy.ts'
import { takeLog } from '../../../../src/spool/takeover/take.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createMemoryHdfs, type MemoryHdfs, type MemoryHdfsOptions } from '../../../suites/memory-hdfs.ts'
import { openTestSpool, silent } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'
import { eventsIn, loseCollector, openReplicated, replicaOn } from './lost-collector.ts'

const taker = 'f'.repeat(32)

const placesOf = (hdfs: MemoryHdfs, outputDirectory: string | undefined): CopyPlaces => ({
  fileSystem: hdfs,
  outputDirectory,
  urlOf: () => hdfs.url,
  mountPoints: ['/'],
})

/** The log of a collector, by another one: as far as it is left to be taken. */
const takeOver = async (hdfs: MemoryHdfs, id: string): Promise<void> => {
  const taking = { fileSystem: hdfs, outputDirectory: '/events', taker, signal: new AbortController().signal }
  const owner = parseOwner(id)
  const name = owner && (await takeLog(taking, owner))
  const taken = name === undefined ? undefined : parseOwner(name)
  if (!taken) return
  const disk = createTearingDisk()
  let beat: () => Promise<void> = async () => {}
  await adoptLog(
    {
      ...taking,
      diskOf: () => disk,
      takeKeys: async () => {},
      open: async ({ name: ownerName }, temporaryDirectory) => {
        const replica = replicaOn(hdfs, ownerName)
        const settings = { ack: 'replicated' } as const
        const opened = await openTestSpool({ disk, fileSystem: hdfs, replica, temporaryDirectory, settings })
        beat = async () => {
          opened.clock.ms += 60_000
          await opened.beat()
        }
        return opened.spool
      },
      pause: () => beat(),
    },
    taken,
    { onStep: () => {}, onStatus: () => {} },
  )
}

/** A start with other settings, until all that the spool has is in the file system. */
const goOn = async (hdfs: MemoryHdfs, disk: TearingDisk, outputDirectory: string): Promise<void> => {
  const { spool, beat, clock } = await openTestSpool({ disk, fileSystem: hdfs, settings: { outputDirectory } })
  for (let n = 0; n < 20 && spool.stats().waitingFiles + spool.stats().quarantinedFiles > 0; n++) {
    clock.ms += 3_600_000
    await spool.processLeftBelowFiles(0)
    await beat()
  }
  await spool.close()
}

const lose = async (options: MemoryHdfsOptions = {}) => {
  const hdfs = createMemoryHdfs(options)
  const { id, events, disk } = await loseCollector(hdfs)
  return { hdfs, id, events, disk }
}

const logsIn = async (hdfs: MemoryHdfs): Promise<string[]> =>
  (await listAll(hdfs, '/events/_log')).map(({ path }) => path.slice('/events/_log/'.length))

test.for<[string, string | undefined, string]>([
  ['collector.ack is another one', undefined, '/events'],
  ['the output directory is another one', '/elsewhere', '/elsewhere'],
])(
  'the log does not stay where others would take it when %s, and all events get to their place once',
  async ([, today, output]) => {
    const { hdfs, id, events, disk } = await lose()
    const next = disk.kill()
    expect(await settleCopy(next, placesOf(hdfs, today), silent)).toBeUndefined()
    expect(await logsIn(hdfs)).toEqual([])
    expect(next.paths.filter(path => /^(?:replicated|withdrawn)/.test(path))).toEqual([])
    await takeOver(hdfs, id)
    await goOn(hdfs, next, output)
    expect(await eventsIn(hdfs, '/')).toEqual(events)
  },
)

test('a log that another collector has taken at the old place stays with it: the spool is set aside', async () => {
  const { hdfs, id, events, disk } = await lose()
  await takeOver(hdfs, id)
  const next = disk.kill()
  expect(await settleCopy(next, placesOf(hdfs, undefined), silent)).toBe(id)
  expect(next.paths.filter(path => !path.startsWith('fenced/'))).toEqual([])
  expect(await eventsIn(hdfs)).toEqual(events)
})

test('by the same settings nothing is withdrawn, however the cluster is called', async () => {
  const { hdfs, id, disk } = await lose()
  const next = disk.kill()
  for (const url of [hdfs.url, 'hdfs://new-name'])
    expect(await settleCopy(next, { ...placesOf(hdfs, '/events'), urlOf: () => url }, silent), url).toBeUndefined()
  expect(await logsIn(hdfs)).toEqual([id])
  expect(next.paths).toContain('replicated')
})

test('taken while the cluster got another name: it is set aside', async () => {
  const { hdfs, id, disk } = await lose()
  await takeOver(hdfs, id)
  const places = { ...placesOf(hdfs, '/events'), urlOf: () => 'hdfs://new-name' }
  expect(await settleCopy(disk.kill(), places, silent)).toBe(id)
})

test('it is withdrawn on the cluster where it is, as long as a mount names that', async () => {
  const { hdfs: old, disk } = await lose()
  const table = createMountTable(createMemoryHdfs(), [{ path: '/old', fileSystem: old }])
  const places = {
    fileSystem: table,
    outputDirectory: '/events',
    urlOf: (path: string) => (path.startsWith('/old') ? old.url : 'hdfs://new'),
    mountPoints: table.mountPoints,
  }
  const next = disk.kill()
  await expect(settleCopy(next, { ...places, mountPoints: ['/'] }, silent)).rejects.toThrow(
    `is in ${old.url.replace(/\/$/, '')}/events/_log/`,
  )
  expect(next.paths).toContain('replicated')
  expect(await settleCopy(next, places, silent)).toBeUndefined()
  expect(await logsIn(old)).toEqual([])
})

test('nothing begins while HDFS does not answer, and what to do is said', async () => {
  let isAway = false
  const { hdfs, id, disk } = await lose({ fail: () => (isAway ? 'before' : undefined) })
  isAway = true
  const next = disk.kill()
  await expect(settleCopy(next, placesOf(hdfs, undefined), silent)).rejects.toThrow(
    /Nothing is taken or committed until it is withdrawn.*collector\.replicated\.when-unavailable local/,
  )
  isAway = false
  // The settings may be those of before again: what was begun ends first.
  expect(await settleCopy(next, placesOf(hdfs, '/events'), silent)).toBeUndefined()
  expect(await logsIn(hdfs)).toEqual([])
  const { replica } = await openReplicated(hdfs, hdfs, next)
  expect([replica.state.name, await logsIn(hdfs)]).toEqual(['in-step', [id]])
})

test('what it had taken of others is left to others, and not gone on with', async () => {
  const { hdfs, id, disk } = await lose()
  const other = 'e'.repeat(32)
  await directoriesOf(hdfs).mkdirs(`/events/_log/${other}.${id}`)
  const next = disk.kill()
  await next.mkdir('adopted')
  await next.mkdir(`adopted/${other}`)
  const lines: object[] = []
  await settleCopy(next, placesOf(hdfs, undefined), { ...silent, warn: fields => void lines.push(fields) })
  expect((await next.list('.')).map(({ name }) => name)).not.toContain('adopted')
  expect(lines).toContainEqual({ logs: [`/events/_log/${other}.${id}`] })
})

/** When another collector takes the log. */
const takes = ['beside it', 'after the kill', 'after the next start'] as const

test.for(takes.flatMap(when => (['before', 'after'] as const).map(fate => [when, fate] as const)))(
  'R26: `kill -9` at each step of a withdrawal, another one takes the log %s, calls in vain take effect %s: 0 lost, 0 twice',
  { timeout: 60_000 },
  async ([when, fate]) => {
    const outcomes = new Set<string>()
    for (let killAt = 1; ; killAt++) {
      let left = killAt
      let isSettling = false
      let taking: Promise<void> = Promise.resolve()
      const die = (): boolean => {
        if (!isSettling || --left > 0) return false
        if (left === 0 && when === 'beside it') taking = takeOver(hdfs, id)
        return when !== 'beside it'
      }
      const { hdfs, id, events, disk } = await lose({ fail: () => (die() ? fate : undefined) })
      const dying = disk.kill({ fail: () => (die() ? new Error('killed') : undefined) })
      isSettling = true
      const first = await settleCopy(dying, placesOf(hdfs, undefined), silent).catch(() => undefined)
      isSettling = false
      const wasKilled = left <= 0
      await taking
      if (when === 'after the kill') await takeOver(hdfs, id)
      const next = dying.kill()
      const aside = first ?? (await settleCopy(next, placesOf(hdfs, undefined), silent))
      outcomes.add(aside === undefined ? 'ours' : 'taken')
      if (when === 'after the next start') await takeOver(hdfs, id)
      // One that was set aside begins as another one, with nothing.
      await goOn(hdfs, next, '/events')
      expect([killAt, await eventsIn(hdfs)]).toEqual([killAt, events])
      expect([killAt, (await logsIn(hdfs)).filter(name => name === id)]).toEqual([killAt, []])
      if (!wasKilled) {
        expect(killAt).toBeGreaterThan(15)
        break
      }
    }
    expect([...outcomes].toSorted()).toEqual(when === 'after the next start' ? ['ours'] : ['ours', 'taken'])
  },
)
