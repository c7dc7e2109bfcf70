import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../../src/app/app.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createMemoryHdfs } from '../../suites/memory-hdfs.ts'
import { beatTwice, readFiles } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

test('event files are written as the settings say', async () => {
  const output = ['format=jsonl', 'layout=hive', 'envelope=false'].map(one => `collector.output.${one}`)
  const every = 'collector.diskspool.flush-interval-seconds=3600'
  const argv = [...output, every].flatMap(one => ['--set', one])
  const { settings } = loadConfig({ argv, env: {}, cwd: '/nowhere', readFile: () => '' })
  const fileSystem = createMemoryFileSystem()
  const clock = { ms: Date.UTC(2026, 10, 22, 8, 59, 59, 999) }
  let beat = async (): Promise<void> => {}
  const app = await createApp({
    settings,
    logger: silentLogger,
    fileSystem,
    disk: createTearingDisk(),
    now: () => clock.ms,
    heartbeat: body => {
      beat = body
      return () => {}
    },
  })
  const send = async (): Promise<void> => {
    const body = '{"eventName":"Click","payload":{"a":1}}'
    const headers = { 'content-type': 'application/json' }
    const url = 'http://localhost/rest/1.0/event'
    expect((await app.fetch(new Request(url, { method: 'POST', headers, body }))).status).toBe(202)
  }
  await send()
  clock.ms++
  await send()
  await beatTwice(beat)
  const files = [...(await readFiles(fileSystem))]
  const line = `{"eventName":"Click","a":1,"eventDate":${clock.ms - 1},"eventGranularity":"HOURLY"}\n`
  expect(files.map(([, bytes]) => Buffer.from(bytes).toString())).toEqual([line])
  expect(files[0]?.[0]).toMatch(/^\/events\/Click\/dt=2026-11-22\/hour=08\/[^/]+\.jsonl$/)
  await app.close()
  expect([...(await readFiles(fileSystem)).keys()][1]).toMatch(
    /^\/events\/Click\/dt=2026-11-22\/hour=09\/[^/]+\.jsonl$/,
  )
})

test.for([
  ['fsync', undefined],
  ['replicated', 3],
] as const)('an event file is on as many data nodes as its log: %s', async ([ack, least]) => {
  const set = [`collector.ack=${ack}`, 'collector.replicated.min=3', 'namenode.url=hdfs://namenode:8020']
  const argv = set.flatMap(one => ['--set', one])
  const { settings } = loadConfig({ argv, env: {}, cwd: '/nowhere', readFile: () => '' })
  const hdfs = createMemoryHdfs()
  const asked: (number | undefined)[] = []
  const app = await createApp({
    settings,
    logger: silentLogger,
    fileSystem: {
      ...hdfs,
      publish: async (path, source, options) => {
        asked.push(options?.minReplication)
        return await hdfs.publish(path, source, options)
      },
    },
    disk: createTearingDisk(),
  })
  const headers = { 'content-type': 'application/json' }
  const body = '{"eventName":"Click","payload":{"a":1}}'
  const answer = await app.fetch(new Request('http://localhost/rest/1.0/event', { method: 'POST', headers, body }))
  expect(answer.status).toBe(202)
  await app.close()
  expect(asked).toEqual([least])
})

test('a spool that cannot be opened leaves nothing open', async () => {
  const { settings } = loadConfig({ env: {}, cwd: '/nowhere', readFile: () => '' })
  let closed = 0
  const fileSystem = {
    ...createMemoryFileSystem(),
    close: async () => {
      closed++
    },
  }
  const disk = createTearingDisk({ fail: () => new Error('EIO: the disk is broken') })
  await expect(createApp({ settings, logger: silentLogger, fileSystem, disk })).rejects.toThrow('the disk is broken')
  expect(closed).toBe(1)
})

test.each(['/proc/sluice', '/dev/null/sluice'])(
  'a directory that cannot be made (%s) is told with its setting',
  async place => {
    const start = async (...set: readonly string[]) => {
      const argv = set.flatMap(one => ['--set', one])
      const { settings } = loadConfig({ argv, env: {}, cwd: '/nowhere', readFile: () => '' })
      return await createApp({ settings, logger: silentLogger })
    }
    await expect(start(`data.dir=${place}`)).rejects.toThrow(`Cannot use "${place}/fs": `)
    await expect(start(`data.dir=${place}`)).rejects.toThrow('; the setting data.dir says where it is')
    const directory = await mkdtemp(join(tmpdir(), 'sluice-place-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    await symlink('.', join(directory, 'link'))
    // By a link, too, as long as it leads somewhere.
    const spool = start(`data.dir=${directory}/link/data`, `collector.diskspool.path=${place}`)
    await expect(spool).rejects.toThrow(
      /^Cannot use "[^"]*sluice": .*; the setting collector.diskspool.path says where/,
    )
  },
)
