/** Each message of HDFS' own protocol, of each step of a commit, an upload and a download, meets what networks do to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { readEvents } from '../../foreign/read-events.ts'
import { listNames } from '../../suites/filesystem.ts'
import type { FlatFileSystem } from '../../suites/flat-filesystem.ts'
import { at, createTestGateway, type TestGateway } from '../../suites/gateway.ts'
import { allIsWell, createClientLedger } from '../../suites/ledger-of-client.ts'
import { findEvents, toMark } from '../../suites/marks.ts'
import { jsonBatch, openTestSpool } from '../../suites/spool.ts'
import { storeOf } from '../../suites/store-of.ts'
import { someOf } from '../../suites/stride.ts'
import { describeOwnHdfs, findFaults, fsck, openNative, openWebHdfs } from './own-cluster.ts'
import { behindProxy, type HdfsProxy, type Meeting, startHdfsProxy } from './proxy.ts'

const meetings: readonly Exclude<Meeting, 'passes'>[] = ['in pieces', 'cut before', 'cut within', 'cut behind', 'held']

/** An answer that is kept back is waited for no longer. */
const impatient = { timeoutMs: 1_000, idleTimeoutMs: 1_000 }

const timeout = 600_000
const blockSize = 131_072
const bytes = Buffer.from(Uint8Array.from({ length: 200_001 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 13))

const cluster = { transferHost: behindProxy, properties: { 'dfs.blocksize': `${blockSize}` } }

await describeOwnHdfs("HDFS' own protocol, each of its messages disturbed", cluster, hdfs => {
  let proxy: HdfsProxy
  let view: FlatFileSystem
  beforeAll(async () => {
    proxy = await startHdfsProxy(hdfs())
    view = await openWebHdfs(hdfs())
  })
  afterAll(async () => {
    await view?.close()
    await proxy?.close()
  })

  let paths = 0
  /** Unused by earlier tests, because a failed test is retried. */
  const newPath = (name: string): string => `/${name}-${paths++}`
  const open = () => openNative(hdfs(), { namenodeUrl: proxy.namenodeUrl, ...impatient })

  /**
   * Makes a call once undisturbed, to learn its messages, and once more for each of some of them, which is disturbed then.
   * @param required words of messages that there must be, and that are disturbed where they are chosen
   * @returns the words of all messages, and of those that were disturbed
   */
  const atEachStep = async (meeting: Meeting, required: readonly string[], call: (round: number) => Promise<void>) => {
    const disturbed: string[] = []
    const known = new Set<string>()
    let rounds = 0
    const round = async (aim?: string): Promise<void> => {
      const counts = new Map<string, number>()
      proxy.disconnect()
      proxy.meet = ({ name, to }) => {
        const count = (counts.get(name) ?? 0) + 1
        counts.set(name, count)
        const step = `${name} ${count} → ${to}`
        if (aim === undefined) known.add(step)
        if (step !== aim) return 'passes'
        disturbed.push(step)
        return meeting
      }
      await call(rounds++)
      proxy.meet = () => 'passes'
    }
    await round()
    const aims = someOf([...known], 3)
    for (const aim of aims) await round(aim)
    expect([...known]).toEqual(expect.arrayContaining([...required]))
    expect(disturbed).toEqual(expect.arrayContaining(required.filter(one => aims.includes(one))))
    expect(disturbed).not.toEqual([])
    return { known: [...known], disturbed }
  }

  test.for(meetings)(
    'R7: a message of a commit, %s: nothing lost, nothing twice, nothing left over',
    { timeout },
    async meeting => {
      const directory = await mkdtemp(join(tmpdir(), 'sluice-steps-'))
      const outputDirectory = newPath('commit')
      const client = createClientLedger()
      const fileSystem = await open()
      const settings = { outputDirectory, keepCommittedMs: 0 }
      const { spool, clock, beat } = await openTestSpool({ disk: createNodeDisk({ directory }), fileSystem, settings })
      const commit = async (): Promise<number> => {
        clock.ms += 120_000
        await beat()
        return spool.stats().waitingFiles
      }
      const { known, disturbed } = await atEachStep(meeting, ofUpload, async () => {
        const event = client.issue()
        await spool.append(jsonBatch([{ id: toMark(event) }], { date: clock.ms }))
        client.acknowledge(event)
        await commit()
      })
      await expect.poll(commit).toBe(0)
      const { collectorId, totalFlushedEvents } = spool.stats()
      await spool.close()
      await fileSystem.close()
      const { events, unreadable } = await readEvents(storeOf(view), outputDirectory)
      expect(unreadable).toEqual([])
      const found = events.flatMap(({ fields }) => findEvents(Buffer.from(String(new Map(fields).get('id')))))
      expect(client.compare(found)).toEqual(allIsWell)
      expect(totalFlushedEvents).toBe(found.length)
      await expect.poll(() => listNames(view, `${outputDirectory}/_tmp/${collectorId}`)).toEqual([])
      await expect.poll(async () => findFaults(await fsck(hdfs(), outputDirectory))).toEqual([])
      expect(await listNames(view, outputDirectory)).not.toContain('_taken')
      await rm(directory, { recursive: true })
      console.log(
        `R7, ${meeting}: ${disturbed.length} of ${known.length} messages of commits, ${found.length} events, each once`,
      )
    },
  )

  let gateway: TestGateway | undefined
  afterEach(async () => {
    await gateway?.close()
    gateway = undefined
  })

  test.for(meetings)('R14: a message of an upload, %s: the file is whole, or not there', { timeout }, async meeting => {
    const fileSystem = await open()
    gateway = await createTestGateway({ fileSystem })
    const { call } = gateway
    const directory = newPath('upload')
    const stored: string[] = []
    let rounds = 0
    const { known, disturbed } = await atEachStep(meeting, ofUpload, async round => {
      rounds++
      const { status } = await call(at('', `${directory}/${round}`, '&replication=1'), { method: 'POST', body: bytes })
      expect([201, 503]).toContain(status)
      if (status === 201) stored.push(`${round}`)
    })
    if (meeting === 'in pieces') expect(stored.length).toBe(rounds)
    // What was begun is removed, perhaps a little later.
    await expect.poll(async () => (await listNames(view, directory)).toSorted()).toEqual(stored.toSorted())
    for (const name of stored) {
      const found = Buffer.concat(await Array.fromAsync(await view.open(`${directory}/${name}`)))
      expect(found.equals(bytes), name).toBe(true)
    }
    await expect.poll(async () => findFaults(await fsck(hdfs(), directory))).toEqual([])
    await fileSystem.close()
    console.log(
      `R14, ${meeting}: ${disturbed.length} of ${known.length} messages of uploads, ${stored.length} whole, the others not there`,
    )
  })

  test.for(meetings)('R14: a message of a download, %s: it is whole, or breaks off', { timeout }, async meeting => {
    const path = newPath('download')
    await view.create(path, pieces(), { blockSize })
    const fileSystem = await open()
    gateway = await createTestGateway({ fileSystem })
    const { call } = gateway
    const ends = new Map<string, number>()
    let rounds = 0
    const { known, disturbed } = await atEachStep(meeting, ofDownload, async () => {
      rounds++
      const end = await download(() => call(at('/binary', path)))
      ends.set(end, (ends.get(end) ?? 0) + 1)
    })
    expect([...ends.keys()]).not.toContain('short')
    // Whatever one connection does, another one has the bytes.
    expect(ends.get('whole')).toBe(rounds)
    await fileSystem.close()
    console.log(
      `R14, ${meeting}: ${disturbed.length} of ${known.length} messages of downloads: ${[...ends].join('; ')}`,
    )
  })
})

/** What must be among the messages, or the test has tried too little. */
const ofUpload: readonly string[] = [
  'create 1 → name node',
  'addBlock 1 → name node',
  'answer of addBlock 1 → client',
  'write 1 → data node',
  'answer of the node 1 → client',
  'packet 1 → data node',
  'last packet 1 → data node',
  'ack 1 → client',
  'complete 1 → name node',
  'answer of complete 1 → client',
  'rename2 1 → name node',
  'answer of rename2 1 → client',
]
const ofDownload: readonly string[] = [
  'getBlockLocations 1 → name node',
  'answer of getBlockLocations 1 → client',
  'read 1 → data node',
  'answer of the node 1 → client',
  'packet 1 → client',
  'last packet 1 → client',
]

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield bytes
}

const download = async (ask: () => Promise<Response>): Promise<'whole' | 'refused' | 'aborted' | 'short'> => {
  const response = await ask()
  if (response.status !== 200) return 'refused'
  try {
    return Buffer.from(await response.arrayBuffer()).equals(bytes) ? 'whole' : 'short'
  } catch {
    return 'aborted'
  }
}
