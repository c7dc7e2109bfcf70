import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createRpcClient } from '../../admin/client/rpc-client.ts'
import { openHdfsStore } from '../foreign/hdfs-store.ts'
import { openLocalStore, type Store } from '../foreign/store.ts'
import { findImbalance, readBooks } from '../suites/books.ts'
import { drainFully } from '../suites/drain-fully.ts'
import { describeHdfs } from '../suites/hdfs.ts'
import { allIsWell } from '../suites/ledger-of-client.ts'
import { toMark } from '../suites/marks.ts'
import { type PaddedLoad, startPaddedLoad } from '../suites/padded-load.ts'
import { createSluice, type Sluice, type SluiceOptions } from '../suites/sluice-process.ts'
import { missingForSmallDisk, mountSmallDisk, type SmallDisk } from '../suites/small-disk.ts'
import { readAnswer, toFrame, toLog } from '../unit/collector/scribe/calls.ts'

const MiB = 2 ** 20
const missing = missingForSmallDisk()
const writer = 'sluice.metrics.collector:name=HDFSWriter'
const patience = { timeout: 120_000, interval: 50 }

let disk: SmallDisk | undefined
let sluice: Sluice | undefined
afterEach(async () => {
  await sluice?.kill()
  disk?.unmount()
  await sluice?.close()
  sluice = undefined
  disk = undefined
})

/** A server whose spool has a small disk to itself, under load; its file system is on another one. */
const startOnSmallDisk = async (
  bytes: number,
  settings: readonly string[] = [],
  place: Pick<SluiceOptions, 'outputDirectory'> = {},
) => {
  const lines: string[] = []
  // Its events are padded.
  const larger = 'collector.diskspool.max-segment-bytes=1MiB'
  sluice = await createSluice({ ...place, settings: [larger, ...settings], onLine: line => void lines.push(line) })
  disk = mountSmallDisk(`${sluice.directory}/.diskpool`, bytes)
  await sluice.start()
  return { disk, sluice, lines, load: startPaddedLoad(sluice, 8, 2_000) }
}

const urlOf = (server: Sluice, listener: string): string => server.urls()?.[listener] ?? 'not listening'

const refusals = ({ answers }: PaddedLoad): number => answers.get(503) ?? 0

/** What each route says to one more event. */
const askEverywhere = async (server: Sluice) => {
  const headers = { 'content-type': 'application/json' }
  const [first, second, third] = [server.client, server.client, server.client].map(client => toMark(client.issue()))
  const body = JSON.stringify({ eventName: 'Full', payload: { id: second } })
  const status = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${urlOf(server, 'server')}${path}`, init)
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }
  return {
    get: await status(`/1?v=Full,s${first}`),
    post: await status('/rest/1.0/event', { method: 'POST', headers, body }),
    health: await status('/1.0/healthcheck'),
    ready: await status('/readyz'),
    live: await status('/livez'),
    scribe: await logByScribe(urlOf(server, 'scribe'), `${Date.now()}:${third}`),
  }
}

/** The result of one `Log` call: 0 is OK, 1 is TRY_LATER. */
const logByScribe = async (url: string, message: string): Promise<unknown> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(toFrame(toLog([{ category: 'Full', message }])))
  const [answer]: Buffer[] = await once(socket, 'data')
  socket.destroy()
  return readAnswer(new Uint8Array(answer ?? []).subarray(4)).result
}

/** Everything drains, and what was acknowledged is in the file system once. */
const expectAllIsWell = async (server: Sluice, store: Store = openLocalStore(`${server.directory}/fs`)) => {
  await drainFully(server)
  const { lost, twice, unknown, ...figures } = await server.reckon(store)
  expect({ lost, twice, unknown }).toEqual(allIsWell)
  expect(figures).toMatchObject({ waiting: 0, flushedByLedger: figures.found })
}

const refusedWith = (text: RegExp) => ({ status: 503, retryAfter: '10', text: expect.stringMatching(text) })

describe.skipIf(missing)(`a small disk${missing ? `: ${missing}` : ''}`, () => {
  test('R6: a disk that fills up is refused before anything fails, and taken again by itself', {
    timeout: 400_000,
  }, async () => {
    const { disk, sluice, lines, load } = await startOnSmallDisk(64 * MiB, [
      `collector.diskspool.min-free-bytes=${40 * MiB}`,
      // Space must not wait for the time that committed files stay.
      'collector.diskspool.keep-committed-seconds=100000',
    ])
    await createRpcClient({ url: urlOf(sluice, 'admin') }).exec(writer, 'disableFlush')
    await expect.poll(() => refusals(load), patience).toBeGreaterThan(200)
    // Sealing the log frees a little space at first.
    await expect
      .poll(() => askEverywhere(sluice), patience)
      .toMatchObject({
        get: refusedWith(/overloaded/),
        post: refusedWith(/overloaded/),
        health: {
          status: 503,
          text: expect.stringMatching(/"ERROR","message":"refusing: only \d+ MB are free.*running: false/),
        },
        ready: { status: 503, text: expect.stringContaining('MB are free') },
        live: { status: 200 },
        scribe: 1,
      })
    // What is freed meanwhile is taken up again, for a moment.
    await expect
      .poll(() => readBooks(urlOf(sluice, 'admin')), patience)
      .toMatchObject({ errored: 0, isAccepting: false })
    expect(disk.freeBytes).toBeGreaterThan(0)
    expect(lines.filter(line => /failed/.test(line))).toEqual([])

    await createRpcClient({ url: urlOf(sluice, 'admin') }).exec(writer, 'enableFlush')
    await sluice.acknowledged(500)
    await load.stop()
    const books = await readBooks(urlOf(sluice, 'admin'))
    expect({ imbalance: findImbalance(books), errored: books.errored }).toEqual({ imbalance: [], errored: 0 })
    expect(new Set(load.answers.keys())).toEqual(new Set([202, 503]))
    await expectAllIsWell(sluice)
  })

  test('R6: a disk that somebody else fills to the brim costs nothing that was acknowledged, and is taken again by itself', {
    timeout: 400_000,
  }, async () => {
    const { disk, sluice, load } = await startOnSmallDisk(32 * MiB)
    for (let round = 0; round < 3; round++) {
      await sluice.acknowledged(1_000)
      const before = refusals(load)
      // What the server gives back while it drains is taken as well.
      const refused = () => {
        disk.fill()
        return refusals(load) - before
      }
      await expect.poll(refused, patience).toBeGreaterThan(100)
      disk.free()
      await sluice.acknowledged(500)
    }
    await load.stop()
    const books = await readBooks(urlOf(sluice, 'admin'))
    expect(findImbalance(books)).toEqual([])
    expect(books.errored).toBeGreaterThan(0)
    await expectAllIsWell(sluice)
  })

  test('R6: a start on a disk that is full to the brim refuses events until there is room', {
    timeout: 400_000,
  }, async () => {
    const { disk, sluice, load } = await startOnSmallDisk(32 * MiB)
    await sluice.acknowledged(1_000)
    await sluice.kill()
    disk.fill()
    await sluice.start()
    const before = refusals(load)
    await expect.poll(() => refusals(load) - before, patience).toBeGreaterThan(10)
    disk.free()
    await sluice.acknowledged(500)
    await load.stop()
    await expectAllIsWell(sluice)
  })
})

describeHdfs('with the log in HDFS', ({ namenodeUrl, webhdfsUrl }) => {
  test.skipIf(missing)(
    'R6: a disk that somebody else fills costs nothing that was acknowledged, ack replicated',
    {
      timeout: 400_000,
    },
    async () => {
      const outputDirectory = `/disk-full-${process.pid}`
      const { disk, sluice, load } = await startOnSmallDisk(
        32 * MiB,
        [
          `namenode.url=${namenodeUrl}`,
          `namenode.webhdfs.url=${webhdfsUrl}`,
          'collector.ack=replicated',
          // There is one DataNode.
          'collector.replicated.replication=1',
          'collector.replicated.min=1',
        ],
        { outputDirectory },
      )
      for (let round = 0; round < 2; round++) {
        await sluice.acknowledged(1_000)
        const before = refusals(load)
        const refused = () => {
          disk.fill()
          return refusals(load) - before
        }
        await expect.poll(refused, patience).toBeGreaterThan(100)
        disk.free()
        await sluice.acknowledged(500)
      }
      await load.stop()
      expect(findImbalance(await readBooks(urlOf(sluice, 'admin')))).toEqual([])
      await expectAllIsWell(sluice, await openHdfsStore(webhdfsUrl))
    },
  )
})
