import { afterEach, expect, test } from 'vitest'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { type BacklogOptions, buildBacklog, spoolOf } from '../suites/backlog.ts'
import { findImbalance, readBooks } from '../suites/books.ts'
import { toCrashRequest } from '../suites/crash-requests.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { listAll } from '../suites/list-all.ts'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

/** Set for the long form: many GB in files of the usual size beside 10 000 small ones, and bounds on times. */
const longGigabytes = Number(process.env['SLUICE_TEST_BACKLOG_GB'] ?? 0)
const isLong = longGigabytes > 0
const bytes = isLong ? longGigabytes * 2 ** 30 : 128 * 2 ** 20
const smallFiles = isLong ? 10_000 : 2_000
const maxSegmentBytes = isLong ? 128 * 2 ** 20 : 16 * 2 ** 20
/** What the backlog may add to a start, which takes a second by itself on an idle machine. */
const maxMsAdded = 5_000
const timeout = 600_000 + longGigabytes * 240_000

let sluice: Sluice | undefined
afterEach(async () => {
  await sluice?.close()
  sluice = undefined
})

/** Numbers of the events below a directory; nothing is held but a piece of a file. */
async function* findEventsIn(fileSystem: FileSystem, directory: string): AsyncGenerator<number> {
  for (const { path, isDirectory } of await listAll(fileSystem, directory)) {
    if (isDirectory) yield* findEventsIn(fileSystem, path)
    else {
      let tail = ''
      for await (const chunk of await fileSystem.open(path)) {
        const text = tail + Buffer.from(chunk).toString('latin1')
        let end = 0
        for (const match of text.matchAll(/E(\d+)E/g)) {
          yield Number(match[1])
          end = match.index + match[0].length
        }
        tail = text.slice(Math.max(end, text.length - 20))
      }
    }
  }
}

const startWithBacklog = async (shape: Pick<BacklogOptions, 'smallFiles' | 'isSealed'>) => {
  const emptyMs = await startEmpty()
  const server = await createSluice({ settings: [`collector.diskspool.max-segment-bytes=${maxSegmentBytes}`] })
  sluice = server
  const directory = spoolOf(server.directory)
  const backlog = await buildBacklog({ ...shape, directory, bytes, maxSegmentBytes, client: server.client })

  const started = performance.now()
  await server.start()
  const readyMs = performance.now() - started
  const [number] = [server.client.issue()]
  const answer = await fetch(toCrashRequest(server.urls()?.['server'] ?? '', 'POST JSON', [number]))
  expect(answer.status).toBe(202)
  server.client.acknowledge(number)
  const firstMs = performance.now() - started
  const atFirst = await readBooks(server.urls()?.['admin'])
  // How long it took is for the long run; here it counts that the backlog was still there.
  expect(atFirst.flushed).toBeLessThan(backlog.events / 2)
  if (isLong) expect(firstMs - emptyMs).toBeLessThanOrEqual(maxMsAdded)
  return { server, backlog, emptyMs, readyMs, firstMs, started }
}

/** How long a start takes now on this machine, without a backlog, in ms. */
const startEmpty = async (): Promise<number> => {
  sluice = await createSluice()
  const started = performance.now()
  await sluice.start()
  const ms = performance.now() - started
  await sluice.close()
  return ms
}

/** Events keep arriving while the whole backlog is uploaded, and is there once. */
const drainUnderLoad = async ({ server, backlog, ...times }: Awaited<ReturnType<typeof startWithBacklog>>) => {
  const before = server.client.acknowledged.size
  const load = server.load(2)
  let peakMB = 0
  const flushed = async () => {
    const books = await readBooks(server.urls()?.['admin'])
    peakMB = Math.max(peakMB, books.residentBytes / 1e6)
    return books.flushed
  }
  await expect.poll(flushed, { timeout, interval: 200 }).toBeGreaterThanOrEqual(backlog.events)
  const drainedMs = performance.now() - times.started
  await load.stop()
  const meanwhile = server.client.acknowledged.size - before
  expect(meanwhile).toBeGreaterThan(0)
  const fileSystem = await createLocalFileSystem({ root: `${server.directory}/fs` })
  await expect.poll(async () => findImbalance(await readBooks(server.urls()?.['admin']))).toEqual([])
  await drainFully(server)
  const found = await Array.fromAsync(findEventsIn(fileSystem, '/events'))
  expect(server.client.compare(found)).toEqual(allIsWell)
  const rate = bytes / 1e6 / (drainedMs / 1_000)
  console.log(
    `backlog of ${backlog.files} sealed files, all in all ${(bytes / 2 ** 30).toFixed(2)} GiB: ready after ${times.readyMs.toFixed(0)} ms, first 202 after ${times.firstMs.toFixed(0)} ms (an empty spool: ready after ${times.emptyMs.toFixed(0)} ms), drained after ${(drainedMs / 1_000).toFixed(1)} s (${rate.toFixed(0)} MB/s), ${meanwhile} events acknowledged meanwhile, at most ${peakMB.toFixed(0)} MB resident; each event once`,
  )
}

test('R8: a start takes events before a backlog of many files is through, and uploads meanwhile', {
  timeout,
}, async () => {
  await drainUnderLoad(await startWithBacklog({ smallFiles, isSealed: true }))
})

test('R8: a start takes events before segments of an earlier run are sealed', { timeout }, async () => {
  await drainUnderLoad(await startWithBacklog({ smallFiles: 0, isSealed: false }))
})
