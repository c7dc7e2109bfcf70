/** A server whose log is in HDFS as well, seen from outside during outages of HDFS. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCounter } from '../../src/spool/takeover/alive.ts'
import { createTestServer, postJson, startTestServer } from '../suites/admin.ts'
import { createMemoryHdfs, whole } from '../suites/memory-hdfs.ts'
import { createTearingDisk } from '../suites/tearing-disk.ts'

const event = '{"eventName":"A","payload":{"n":1}}'

const start = async (...set: readonly string[]) => {
  const world = { isAway: false, copies: 3 }
  const fileSystem = createMemoryHdfs({
    fail: () => (world.isAway ? 'before' : undefined),
    copies: () => world.copies,
  })
  const server = await startTestServer({
    fileSystem,
    // The file system itself is the one above.
    set: ['collector.ack=replicated', 'namenode.url=hdfs://h:1', ...set],
  })
  const read = async (mbean: string): Promise<Readonly<Record<string, unknown>>> => (await server.rpc.read(mbean)).value
  const bean = () => read('sluice.metrics.collector:name=Replica')
  const metric = async (name: string): Promise<string> => {
    const text = await (await server.admin('/metrics')).text()
    return new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1] ?? ''
  }
  const codes = async (): Promise<Readonly<Record<string, string>>> => {
    const { items } = (await (await server.server('/1.0/healthcheck')).json()) as {
      items: readonly { type: string; code: string }[]
    }
    return Object.fromEntries(items.map(({ type, code }) => [type, code]))
  }
  const problems = async (): Promise<string> => JSON.stringify((await read('sluice.metrics:name=Health'))['Problems'])
  return { world, server, fileSystem, bean, metric, codes, problems }
}

test('in step it says where the log is and how many have it, and the gateway shows nothing of it', async () => {
  const { server, bean, metric, codes, fileSystem } = await start()
  const answer = await postJson(server, event)
  expect([answer.status, await answer.json()]).toEqual([202, { accepted: 1, rejected: 0, errors: [] }])
  const { Directory, ...shown } = await bean()
  expect(shown).toMatchObject({ State: 'in-step', Reason: '', Copies: 3, BehindBytes: 0, LocalEvents: 0 })
  expect(Directory).toMatch(/^\/events\/_log\/[0-9a-f]{32}$/)
  expect((await fileSystem.getFileStatus(String(Directory))).isDirectory).toBe(true)
  expect(await metric('collector_replica_state{state="in-step"}')).toBe('1')
  expect(await codes()).toMatchObject({ ReplicaHealthCheck: 'OK', WriterHealthCheck: 'OK' })
  expect(await (await server.server('/webhdfs/v1/events?op=LISTSTATUS')).text()).not.toContain('_log')
  expect((await server.server(`/webhdfs/v1${String(Directory)}?op=LISTSTATUS`)).status).toBe(403)
})

test('events are refused while HDFS is away, with the reason everywhere, and taken once it is back', async () => {
  const { world, server, bean, metric, codes, problems } = await start()
  world.isAway = true
  // Of the one that finds it away it is not known whether it is kept.
  expect([0, 503]).toContain((await postJson(server, event)).status)
  const refused = await postJson(server, event)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
  expect((await server.server('/readyz')).status).toBe(503)
  expect(await bean()).toMatchObject({ State: 'away', Reason: expect.stringContaining('away') })
  expect(await metric('collector_replica_state{state="away"}')).toBe('1')
  expect(await codes()).toMatchObject({ ReplicaHealthCheck: 'WARN', WriterHealthCheck: 'ERROR' })
  expect(await problems()).toContain('"word":"Away"')
  world.isAway = false
  await server.beat()
  await expect.poll(async () => (await postJson(server, event)).status).toBe(202)
  expect(await bean()).toMatchObject({ State: 'in-step', LocalEvents: 0 })
  expect((await server.server('/readyz')).status).toBe(200)
})

test('a group that too few DataNodes have is not acknowledged', async () => {
  const { world, server, bean } = await start()
  world.copies = 1
  expect([0, 503]).toContain((await postJson(server, event)).status)
  expect(await bean()).toMatchObject({
    State: 'away',
    Reason: expect.stringContaining('collector.replicated.min is 2'),
  })
})

test('with when-unavailable local they are taken meanwhile, told so, counted, and copied afterwards', async () => {
  const { world, server, bean, metric, codes, problems } = await start('collector.replicated.when-unavailable=local')
  world.isAway = true
  const answer = await postJson(server, event)
  expect(answer.status).toBe(202)
  expect(await answer.json()).toEqual({ accepted: 1, rejected: 0, errors: [], durability: 'local' })
  const beacon = await server.server('/1?v=A')
  expect([beacon.status, beacon.headers.get('warning')]).toEqual([202, expect.stringContaining('one machine alone')])
  expect(await bean()).toMatchObject({ State: 'away', LocalEvents: 2 })
  expect(Number((await bean())['BehindBytes'])).toBeGreaterThan(0)
  expect(await metric('collector_local_events_total')).toBe('2')
  expect(await codes()).toMatchObject({ ReplicaHealthCheck: 'WARN', WriterHealthCheck: 'OK' })
  expect(await problems()).toContain('"word":"On this disk alone"')
  expect((await server.server('/readyz')).status).toBe(200)
  world.isAway = false
  await server.beat()
  await expect.poll(async () => (await bean())['State']).toBe('in-step')
  expect(await bean()).toMatchObject({ BehindBytes: 0, LocalEvents: 2 })
  expect(await (await postJson(server, event)).json()).not.toHaveProperty('durability')
})

test('another collector has the log: nothing is taken, and it says so', async () => {
  const { world, server, fileSystem, bean, metric, codes, problems } = await start()
  await postJson(server, event)
  const { Directory } = await bean()
  await fileSystem.directories?.rename(String(Directory), `${String(Directory)}.another`)
  world.isAway = true
  await postJson(server, event)
  world.isAway = false
  await server.beat()
  await expect.poll(async () => (await bean())['State']).toBe('fenced')
  expect((await postJson(server, event)).status).toBe(503)
  expect(await metric('collector_replica_state{state="fenced"}')).toBe('1')
  expect(await codes()).toMatchObject({ ReplicaHealthCheck: 'ERROR', WriterHealthCheck: 'ERROR' })
  expect(await problems()).toContain('"word":"Fenced"')
})

test('set back to fsync the log in HDFS goes; without HDFS the start says why it cannot, and what to do', async () => {
  const world = { isAway: false }
  const fileSystem = createMemoryHdfs({ fail: () => (world.isAway ? 'before' : undefined) })
  const disk = createTearingDisk()
  const options = { fileSystem, set: ['namenode.url=hdfs://h:1', 'collector.ack=replicated'] }
  const server = await createTestServer({ ...options, disk })
  expect((await postJson(server, event)).status).toBe(202)
  const { Directory } = (await server.rpc.read('sluice.metrics.collector:name=Replica')).value
  const isThere = async (): Promise<boolean> => (await fileSystem.contents(`${String(Directory)}/ledger`)) !== undefined
  // A stop would leave nothing there.
  const next = { ...options, set: ['namenode.url=hdfs://h:1', 'collector.ack=fsync'], disk: disk.kill() }
  world.isAway = true
  await expect(startTestServer(next)).rejects.toThrow(/does not belong.*withdrawn.*when-unavailable local/)
  world.isAway = false
  expect(await isThere()).toBe(true)
  const back = await startTestServer(next)
  expect(await isThere()).toBe(false)
  expect((await postJson(back, event)).status).toBe(202)
  expect((await back.rpc.read('sluice.metrics.collector:name=Spool')).value).toMatchObject({
    TotalFlushedEvents: 0,
    WaitingEvents: 2,
  })
})

test('a stop that takes long shows that the collector lives until its log is gone', async () => {
  const hdfs = createMemoryHdfs()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let isPublishing = false
  const publish: typeof hdfs.publish = async (...args) => {
    isPublishing = true
    await held
    return await hdfs.publish(...args)
  }
  const directory = await mkdtemp(join(tmpdir(), 'sluice-slow-stop-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const server = await createTestServer({
    fileSystem: { ...hdfs, publish },
    set: ['collector.ack=replicated', 'namenode.url=hdfs://h:1'],
    directory,
  })
  const { Directory } = (await server.rpc.read('sluice.metrics.collector:name=Replica')).value
  const counter = async (): Promise<number> => (await readCounter(hdfs, String(Directory))) ?? 0
  expect((await postJson(server, event)).status).toBe(202)
  const closed = server.close()
  await expect.poll(() => isPublishing).toBe(true)
  const before = await counter()
  await expect.poll(counter).toBeGreaterThan(before + 1)
  release()
  await closed
  expect(await readdir(directory)).not.toContain('replicated')
  expect(await Array.fromAsync(hdfs.listStatus('/events/_log'))).toEqual([])
})

test('what only this machine had comes back also where collector.ack is another one by now', async () => {
  const hdfs = createMemoryHdfs()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-comes-back-'))
  const killed = `${directory}-killed`
  onTestFinished(async () => {
    for (const path of [directory, killed]) await rm(path, { recursive: true })
  })
  const set = ['namenode.url=hdfs://h:1']
  const first = await createTestServer({ fileSystem: hdfs, set: [...set, 'collector.ack=replicated'], directory })
  expect((await postJson(first, event)).status).toBe(202)
  const { Directory } = (await first.rpc.read('sluice.metrics.collector:name=Replica')).value
  // As a kill leaves it; its log is taken by one that finds nothing in it.
  await cp(directory, killed, { recursive: true })
  const taken = `${String(Directory)}.${'b'.repeat(32)}`
  await hdfs.directories?.rename(String(Directory), taken)
  await hdfs.publish(`${taken}/taken`, whole(Buffer.from('{"segments":{}}')))
  await first.close()
  const next = await startTestServer({ fileSystem: hdfs, set: [...set, 'collector.ack=fsync'], directory: killed })
  const waiting = async () => (await next.rpc.read('sluice.metrics.collector:name=Spool')).value['WaitingEvents']
  await expect.poll(waiting).toBe(1)
})
