import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { toFrame } from '../../src/spool/framing/framing.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { openLocalStore, type Store } from '../foreign/store.ts'
import { postJson, startTestServer } from '../suites/admin.ts'
import { seededRandom } from '../suites/crash-world.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'
import { runCli } from '../suites/run-cli.ts'
import { createSluice, ownProtocol, type Sluice } from '../suites/sluice-process.ts'
import { createRawClient, toPost } from '../unit/http/raw-client.ts'

const hdfs = 'sluice.metrics.collector:name=HDFSWriter'
const order = '{"eventName":"Order","payload":{"id":1}}'
const json = 'Content-Type: application/json\r\n'

const sluices: Sluice[] = []
const directories: string[] = []
afterEach(async () => {
  await Promise.all(sluices.splice(0).map(one => one.close()))
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true })
})

const open = async (options: Parameters<typeof createSluice>[0] = {}): Promise<Sluice> => {
  const sluice = await createSluice(options)
  sluices.push(sluice)
  await sluice.start()
  return sluice
}

const toEnv = (sluice: Sluice) => ({ SLUICE_URL: sluice.urls()?.['admin'] ?? '' })

describe('R23: a collector that is drained', () => {
  test('refuses events and says so everywhere, until that is undone', async () => {
    const server = await startTestServer()
    const keyed = () =>
      server.server('/rest/1.0/event', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
        body: order,
      })
    expect((await keyed()).status).toBe(202)
    const report = await server.rpc.exec(hdfs, 'drain')
    expect(report).toMatchObject({ drained: true, changed: true, lasts: true, realtime: { events: 0, types: {} } })
    const refused = await postJson(server, order)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('connection')).toBe('close')
    expect(await refused.json()).toMatchObject({ code: 'draining', detail: expect.stringContaining('drained') })
    // Accepted events stay accepted: a repetition gets the same answer.
    expect((await keyed()).status).toBe(202)
    const ready = await server.server('/readyz')
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(/^drained/)])
    expect((await server.server('/livez')).status).toBe(200)
    const health = await server.server('/1.0/healthcheck')
    expect(await health.text()).toContain('refusing: drained, until `sluice drain --undo`')
    expect((await server.rpc.read(hdfs, 'Drained')).value).toBe(true)
    await server.beat()
    expect(await server.rpc.exec(hdfs, 'drainStatus')).toMatchObject({ left: { waiting: { files: 0, events: 0 } } })
    expect(await server.rpc.exec(hdfs, 'drain')).toMatchObject({ drained: true, changed: false })
    expect(await server.rpc.exec(hdfs, 'undoDrain')).toMatchObject({ drained: false, changed: true })
    expect((await postJson(server, order)).status).toBe(202)
    expect((await server.server('/readyz')).status).toBe(200)
    // One line for each change, none for reads.
    const lines = server.log.filter(({ msg }) => msg === 'management').map(line => line['operation'] ?? line['target'])
    expect(lines).toHaveLength(3)
  })

  test.each([
    ['the short way', toPost('/rest/1.0/event', order, json)],
    ['the usual way', toPost('/rest/1.0/event/', order, json)],
  ])('ends connections with the refusal, %s', async (_, request) => {
    const server = await startTestServer({ transport: 'node' })
    const client = await createRawClient(Number(new URL(server.serverUrl).port))
    client.send(request)
    await client.until(/^HTTP\/1\.1 202 [\s\S]*?\r\n\r\n\{[^}]*\}/)
    await server.rpc.exec(hdfs, 'drain')
    client.send(request)
    const rest = await client.rest()
    expect(rest).toMatch(/HTTP\/1\.1 503 /)
    expect(rest.slice(rest.indexOf('503')).match(/^connection: .*$/gim)).toEqual([
      expect.stringMatching(/: close\r?$/i),
    ])
  })

  test('names what the file system refuses, and retries it at the next drain', async () => {
    let refuses = true
    const fileSystem = createMemoryFileSystem({
      fail: (operation, path) =>
        refuses && operation === 'rename' ? new FileSystemError('denied', path, 'not for you') : undefined,
    })
    const server = await startTestServer({ fileSystem })
    await postJson(server, order)
    await server.rpc.exec(hdfs, 'drain')
    await server.beat()
    expect(await server.rpc.exec(hdfs, 'drainStatus')).toMatchObject({
      left: { quarantined: { files: 1, events: 1 }, pieces: [{ state: 'quarantined', reason: 'not for you' }] },
    })
    refuses = false
    await server.rpc.exec(hdfs, 'drain')
    await server.beat()
    expect(await server.rpc.exec(hdfs, 'drainStatus')).toMatchObject({
      left: { quarantined: { files: 0 }, pieces: [] },
    })
  })
})

/**
 * The contents of a spool except copies of committed files, and records that a kill cut short: others are reported as
 * left.
 */
const leftIn = async (directory: string): Promise<string[]> => {
  const places = ['log', '_quarantine', '_taken']
  const names = await Promise.all(places.map(async place => await readdir(join(directory, '.diskpool', place))))
  return names.flat().filter(name => !name.endsWith('.damaged'))
}

/** Drains under load, ended the hard way some times; then everything is in its place. */
const drainUnderLoad = async (server: Sluice, store: Store, kills: number): Promise<void> => {
  const random = seededRandom(kills + 1)
  const load = server.load(4)
  await server.acknowledged(2_000)
  for (let kill = 0; kill < kills; kill++) {
    const draining = runCli(['drain'], { env: toEnv(server) })
    await new Promise(resolve => setTimeout(resolve, 300 + random() * 500))
    await server.kill()
    await draining
    await server.start()
    // One that was noted lasts; one that was not takes events as before.
    await runCli(['drain', '--undo'], { env: toEnv(server) })
    await server.acknowledged(500)
  }
  const { code, stdout, stderr } = await runCli(['drain', '--json'], { env: toEnv(server) })
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    drained: true,
    directory: join(server.directory, '.diskpool'),
    left: { waiting: { files: 0, events: 0, bytes: 0 }, quarantined: { files: 0 }, taken: { files: 0 }, pieces: [] },
    problem: '',
    realtime: { events: 0, types: {} },
  })
  // Further requests are refused: nothing of them may be anywhere.
  await load.stop()
  expect(await leftIn(server.directory)).toEqual([])
  const { lost, twice, unknown, ...figures } = await server.reckon(store)
  expect({ lost, twice, unknown }).toEqual(allIsWell)
  expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found })
  expect(await server.drain()).toBe(0)
  await server.start()
  const again = await runCli(['drain'], { env: toEnv(server) })
  expect(again.code).toBe(0)
  expect(again.stdout).toMatch(/^✓ Drained\n {2}Nothing is left in .*: it may be deleted\.\n$/)
  console.log(
    `drain under load, ${kills} kills in it: ${server.client.acknowledged.size} events acknowledged, ${figures.found} in ${figures.files} files, none lost, none twice`,
  )
}

describe('R23: sluice drain', () => {
  test('under load: what was acknowledged is in the file system, the spool is empty', async () => {
    const server = await open()
    await drainUnderLoad(server, openLocalStore(`${server.directory}/fs`), 0)
  })

  test('killed in the middle, started and drained again', async () => {
    const server = await open()
    await drainUnderLoad(server, openLocalStore(`${server.directory}/fs`), 4)
  })

  test('without its file system it ends with 1, names what is left, and refuses after a restart', async () => {
    const server = await open({ settings: ['namenode.url=hdfs://127.0.0.1:1', 'collector.event-output-directory=/e'] })
    const load = server.load(2)
    await server.acknowledged(100)
    await load.stop()
    const { code, stdout, stderr } = await runCli(['drain', '--timeout', '1'], { env: toEnv(server) })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^STATE +EVENTS +SIZE +FILE +WHY\n(unsealed|waiting) /)
    expect(stderr).toMatch(/^✗ [\d,]+ events in \d+ files? of .* are left in .*\.diskpool: do not delete it\n$/m)
    await server.kill()
    await server.start()
    const response = await fetch(`${server.urls()?.['server']}/1?v=Order,s1`)
    expect(response.status).toBe(503)
    const json = await runCli(['drain', '--timeout', '0', '--json'], { env: toEnv(server) })
    expect(json.code).toBe(1)
    const { left } = JSON.parse(json.stdout)
    expect(left.waiting.events).toBe(server.client.acknowledged.size)
    expect(await runCli(['drain', '--undo'], { env: toEnv(server) })).toMatchObject({
      code: 0,
      stdout: '✓ Events are taken again.\n',
    })
    expect((await fetch(`${server.urls()?.['server']}/1?v=Order,s1`)).status).toBe(202)
  })

  test('says by its exit code that the server did not answer, or that the command was wrong', async () => {
    expect(await runCli(['drain'], { env: { SLUICE_URL: 'http://127.0.0.1:1' } })).toMatchObject({ code: 3 })
    expect(await runCli(['drain', '--timeout', 'soon'])).toMatchObject({ code: 2 })
    expect(await runCli(['drain', '--undo', '--timeout', '3'])).toMatchObject({ code: 2 })
    const gateway = await open({ settings: ['services=gateway'] })
    const { code, stderr } = await runCli(['drain'], { env: toEnv(gateway) })
    expect(code).toBe(1)
    expect(stderr).toContain('The server runs no collector')
  })
})

/** About the time that the tool takes to reach the spool, and to finish with it. */
const killFromMs = 400
const killWithinMs = 900

/** The tool on a spool, ended the hard way and called again until it is through. @returns how often it was ended */
const adoptAtLast = async (words: readonly string[], kills: number): Promise<number> => {
  const random = seededRandom(kills)
  let ended = 0
  for (let kill = 0; kill < kills; kill++) {
    const { signal } = await runCli(['spool', 'adopt', ...words], {
      signal: AbortSignal.timeout(Math.floor(killFromMs + random() * killWithinMs)),
    })
    if (signal !== null) ended++
  }
  const { code, stdout, stderr } = await runCli(['spool', 'adopt', ...words, '--json'])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(JSON.parse(stdout)).toMatchObject({ drained: true, left: { pieces: [], waiting: { files: 0, events: 0 } } })
  return ended
}

/** The settings of the server, as another one is given them. */
const toWords = (directory: string, settings: readonly string[]): string[] =>
  [
    `data.dir=${directory}`,
    'collector.output.format=jsonl',
    'collector.diskspool.min-free-bytes=0',
    ...settings,
  ].flatMap(setting => ['--set', setting])

const killAndAdopt = async (server: Sluice, store: Store, settings: readonly string[], kills: number) => {
  const load = server.load(4)
  await server.acknowledged(3_000)
  await server.kill()
  await load.stop()
  const spool = join(server.directory, '.diskpool')
  const words = [spool, ...toWords(server.directory, settings)]
  const ended = await adoptAtLast(words, kills)
  const { lost, twice, unknown, ...figures } = await server.reckon(store)
  expect({ lost, twice, unknown }).toEqual(allIsWell)
  expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found, leftOver: [] })
  expect(await leftIn(server.directory)).toEqual([])
  console.log(
    `adopt: ${server.client.acknowledged.size} events acknowledged, ${ended} kills in it, ${figures.found} in ${figures.files} files, none lost, none twice`,
  )
  return words
}

describe('R23: sluice spool adopt', () => {
  test('brings the events of a killed collector to their place, once; the collector takes none when it comes back', async () => {
    const server = await open()
    const words = await killAndAdopt(server, openLocalStore(`${server.directory}/fs`), [], 3)
    const again = await runCli(['spool', 'adopt', ...words])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ Adopted collector [0-9a-f]{32}\n/) })
    await server.start()
    expect((await fetch(`${server.urls()?.['server']}/1?v=Order,s1`)).status).toBe(503)
    const held = await runCli(['spool', 'adopt', ...words])
    expect(held.code).toBe(1)
    expect(held.stderr).toMatch(/is in use by process \d+/)
  })

  test('takes the place, layout and format that the spool remembers, whatever the settings here, and names it', async () => {
    const server = await open({ outputDirectory: '/there', settings: ['collector.output.layout=hive'] })
    const load = server.load(2)
    await server.acknowledged(100)
    await server.kill()
    await load.stop()
    // As from another directory, without a settings file.
    const elsewhere = await mkdtemp(join(tmpdir(), 'sluice-adopt-'))
    directories.push(elsewhere)
    const words = ['--set', `data.dir=${elsewhere}`, '--set', 'collector.diskspool.min-free-bytes=0']
    const { code, stdout } = await runCli(['spool', 'adopt', join(server.directory, '.diskpool'), ...words])
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toBe(`  The events that went are in file://${server.directory}/fs/there`)
    expect(await readdir(elsewhere)).toEqual([])
    const { lost, twice, unknown } = await server.reckon(openLocalStore(`${server.directory}/fs`))
    expect({ lost, twice, unknown }).toEqual(allIsWell)
    const files = await readdir(`${server.directory}/fs/there`, { recursive: true })
    expect(files.filter(name => name.endsWith('.jsonl')).every(name => /\/dt=[\d-]+\/hour=\d\d\//.test(name))).toBe(
      true,
    )
  })

  test('of a spool that remembers nothing asks where to', async () => {
    const server = await open()
    await server.kill()
    await rm(join(server.directory, '.diskpool/destination'))
    const words = ['spool', 'adopt', join(server.directory, '.diskpool'), ...toWords(server.directory, [])]
    const asked = await runCli(words)
    expect(asked.code).toBe(1)
    expect(asked.stderr).toContain('does not remember where its events go, and the settings name file:///')
    expect(await runCli([...words, '--into', 'settings'])).toMatchObject({ code: 0 })
    // From then on it does.
    expect(await runCli(words)).toMatchObject({ code: 0 })
  })

  test('reports a directory that is not a spool, and one of a later version', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-adopt-'))
    directories.push(directory)
    const spool = join(directory, 'spool')
    const adopt = () => runCli(['spool', 'adopt', spool, ...toWords(directory, [])])
    expect(await adopt()).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is no spool at ${spool}`) })
    expect(existsSync(spool)).toBe(false)
    await mkdir(spool)
    expect(await adopt()).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no spool') })
    expect(await readdir(spool)).toEqual([])
    await writeFile(join(spool, 'id'), `${'0'.repeat(32)}\n`)
    await writeFile(join(spool, 'format'), toFrame(0, Buffer.from('{"format":"spool","version":99}')))
    const later = await adopt()
    expect(later.code).toBe(1)
    expect(later.stderr).toMatch(/format has format version 99; this program knows the spool up to version 3/)
    expect(await runCli(['spool', 'adopt'])).toMatchObject({ code: 2 })
  })

  test('of a spool whose log no collector has any more sends nothing, and says what to do', async () => {
    const server = await open()
    const load = server.load(2)
    await server.acknowledged(100)
    await server.kill()
    await load.stop()
    const spool = join(server.directory, '.diskpool')
    const id = (await readFile(join(spool, 'id'), 'utf8')).trim()
    await writeFile(join(spool, 'replicated'), `/events/_log/${id}\n`)
    const words = [spool, '--timeout', '1', ...toWords(server.directory, [])]
    const { code, stderr } = await runCli(['spool', 'adopt', ...words])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`No collector has the log of ${id} any more`)])
    expect(existsSync(join(spool, 'fenced', id, 'log'))).toBe(true)
  })

  test('ends with 1 and names what is left where the file system is unavailable', async () => {
    const server = await open({ settings: ['namenode.url=hdfs://127.0.0.1:1'] })
    const load = server.load(2)
    await server.acknowledged(100)
    await server.kill()
    await load.stop()
    const spool = join(server.directory, '.diskpool')
    const away = toWords(server.directory, [
      'namenode.url=hdfs://127.0.0.1:1',
      'collector.event-output-directory=/events',
    ])
    const { code, stderr } = await runCli(['spool', 'adopt', spool, '--timeout', '1', ...away])
    expect(code).toBe(1)
    expect(stderr).toMatch(/are left in .*\.diskpool: do not delete it/)
    // Elsewhere there is one: not by itself, for it is not the collector's.
    const elsewhere = [spool, ...toWords(server.directory, ['collector.event-output-directory=/events'])]
    const refused = await runCli(['spool', 'adopt', ...elsewhere])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /belongs to hdfs:\/\/127\.0\.0\.1:1\/\w+, and the settings name file:\/\/\/.*\/fs\/events\. Nothing was sent/,
    )
    expect(existsSync(`${server.directory}/fs`)).toBe(false)
    expect(await adoptAtLast([...elsewhere, '--into', 'settings'], 0)).toBe(0)
    const { lost, twice, unknown } = await server.reckon(openLocalStore(`${server.directory}/fs`))
    expect({ lost, twice, unknown }).toEqual(allIsWell)
  })
})

describeHdfs('with HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  const toSettings = (name: string) => ({
    outputDirectory: `/${name}-${process.pid}`,
    settings: [`namenode.url=${namenodeUrl}`, `namenode.webhdfs.url=${webhdfsUrl}`],
  })

  test.each(['fsync', 'replicated'])('R23: sluice drain under load, ack %s', async ack => {
    const { outputDirectory, settings } = toSettings(`drain-${ack}`)
    // There is one DataNode.
    const oneCopy = ['collector.replicated.replication=1', 'collector.replicated.min=1']
    const server = await open({ outputDirectory, settings: [...settings, ...oneCopy, `collector.ack=${ack}`] })
    await drainUnderLoad(server, await openHdfsStore(webhdfsUrl), 2)
    expect(new Set(server.ways)).toEqual(new Set([ownProtocol]))
  })

  test('R23: sluice spool adopt of a killed collector', async () => {
    const { outputDirectory, settings } = toSettings('adopt')
    const server = await open({ outputDirectory, settings })
    const more = [...settings, `collector.event-output-directory=${outputDirectory}`]
    await killAndAdopt(server, await openHdfsStore(webhdfsUrl), more, 2)
  })

  test('R26: sluice spool adopt of the log in HDFS of a collector that is lost with its disk, once it is silent', async () => {
    const { outputDirectory, settings: where } = toSettings('adopt-log')
    const oneCopy = ['collector.replicated.replication=1', 'collector.replicated.min=1']
    const settings = [...where, ...oneCopy, 'collector.ack=replicated', 'collector.replicated.takeover-seconds=8']
    const server = await open({ outputDirectory, settings })
    const load = server.load(4)
    await server.acknowledged(1_000)
    const id = (await readFile(join(server.directory, '.diskpool', 'id'), 'utf8')).trim()
    const url = `${namenodeUrl.replace(/\/$/, '')}${outputDirectory}/_log/${id}`
    const adopt = (...more: string[]) =>
      runCli(['spool', 'adopt', url, ...toWords(server.directory, settings), ...more])
    expect(await adopt('--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining(`Collector ${id} lives`) })
    await server.kill()
    await load.stop()
    await rm(join(server.directory, '.diskpool'), { recursive: true })
    expect(await adopt()).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    const { code, stdout, stderr } = await adopt('--yes')
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('No sign of life for') })
    expect(stdout).toContain(`Adopted collector ${id}`)
    const { lost, twice, unknown, leftOver } = await server.reckon(await openHdfsStore(webhdfsUrl))
    expect({ lost, twice, unknown, leftOver }).toEqual({ ...allIsWell, leftOver: [] })
    expect(await adopt('--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no log at') })
  })
})
