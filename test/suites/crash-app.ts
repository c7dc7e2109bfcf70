import type { Worker } from 'node:worker_threads'
import { createApp } from '../../src/app/app.ts'
import type { Listener } from '../../src/app/app-type.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/table.ts'
import { silentLogger } from '../../src/log/log.ts'
import { maxEvents, type RequestKind, requestKinds, toCrashRequest } from './crash-requests.ts'
import { seededRandom } from './crash-world.ts'
import { createClientLedger, type Verdict } from './ledger-of-client.ts'
import { findEvents } from './marks.ts'
import { createMemoryFileSystem } from './memory-filesystem.ts'
import { createMemoryHdfs } from './memory-hdfs.ts'
import { beatTwice, readFiles, startMs } from './spool.ts'
import { createTearingDisk } from './tearing-disk.ts'
import { startEdgeThread } from './threaded-app.ts'

/** What power cuts have done to an application under load. */
export type PowerCutRun = Verdict & {
  readonly cuts: number
  readonly acknowledged: number
  readonly byKind: ReadonlyMap<RequestKind, number>
  /** Events of a 202 that, in the moment of the 202, a power cut could still have taken. */
  readonly unsafe: readonly number[]
}

export type PowerCutOptions = {
  readonly cuts: number
  /** See {@link TearingDiskOptions.lies}. @default false */
  readonly lies?: boolean
  /** Whether the log is in HDFS, too. @default fsync */
  readonly ack?: 'fsync' | 'replicated'
  /** More than one: edge threads that take the requests, over sockets. @default 1: requests have no sockets */
  readonly threads?: number
}

/**
 * Sends requests of all kinds to the application, as a server runs it, over a disk that forgets and tears what was not
 * synced; cuts the power in the middle of it, again and again; and counts in the end.
 */
export const runPowerCuts = async (
  seed: number,
  { cuts, lies = false, ack = 'fsync', threads = 1 }: PowerCutOptions,
): Promise<PowerCutRun> => {
  const random = seededRandom(seed)
  const client = createClientLedger()
  const fileSystem = ack === 'replicated' ? createMemoryHdfs() : createMemoryFileSystem()
  const clock = { ms: startMs }
  const unsafe: number[] = []
  const byKind = new Map<RequestKind, number>()
  let disk = createTearingDisk({ lies })
  let generation = 0

  const start = async () => {
    let beat: () => Promise<void> = async () => {}
    const workers: Worker[] = []
    const app = await createApp({
      settings: toSettings(threads, ack),
      logger: silentLogger,
      disk,
      bucketBounds: { maxReadyBytes: 2_000 },
      fileSystem,
      now: () => clock.ms,
      random,
      heartbeat: body => {
        beat = body
        return () => {}
      },
      startEdgeThread: workerData => {
        const worker = startEdgeThread(workerData)
        workers.push(worker)
        return worker
      },
    })
    const url = threads > 1 ? toServerUrl(await app.start()) : 'http://localhost'
    return {
      url,
      // A power cut leaves no answer.
      fetch: async (request: Request) =>
        threads > 1 ? await fetch(request).catch(() => undefined) : await app.fetch(request),
      beat: () => beatTwice(beat),
      /** What the power cut does to sockets and threads; the rest of it waits for a disk that never answers again. */
      end: async () => {
        void app.close()
        await Promise.all(workers.map(worker => worker.terminate()))
      },
    }
  }

  let app = await start()
  const send = async (): Promise<void> => {
    const kind = requestKinds[Math.floor(random() * requestKinds.length)] ?? 'GET /1'
    const count = 1 + Math.floor(random() * maxEvents(kind))
    const events = Array.from({ length: count }, () => client.issue())
    const mine = generation
    const response = await app.fetch(toCrashRequest(app.url, kind, events))
    await response?.arrayBuffer()
    if (response?.status !== 202 || mine !== generation) return
    client.acknowledge(...events)
    byKind.set(kind, (byKind.get(kind) ?? 0) + 1)
    // What a power cut at this moment would spare for certain; the rest may be through to the file system already.
    const safe = new Set([...disk.safeFiles().values()].flatMap(findEvents))
    const waiting = events.filter(event => !safe.has(event))
    if (waiting.length === 0) return
    const through = new Set([...(await readFiles(fileSystem)).values()].flatMap(findEvents))
    if (mine === generation) unsafe.push(...waiting.filter(event => !through.has(event)))
  }

  for (let cut = 0; cut < cuts; cut++) {
    const rounds = 2 + Math.floor(random() * 8)
    for (let round = 0; round < rounds; round++) {
      const requests = Array.from({ length: 1 + Math.floor(random() * 6) }, () => send())
      clock.ms += Math.floor(random() * 40_000)
      const beating = random() < 0.5 ? app.beat() : undefined
      // The last round is still under way when the power goes: some turns of the event loop in.
      if (round === rounds - 1) await turns(Math.floor(random() * 25) * (threads > 1 ? turnsOfSockets : 1))
      else await Promise.all([...requests, beating])
    }
    generation++
    disk = disk.powerCut(random, { lies })
    if (threads > 1) await app.end()
    app = await start()
  }
  for (let i = 0; i < 3; i++) {
    clock.ms += 3_700_000
    await app.beat()
  }
  if (threads > 1) await app.end()
  const found = [...(await readFiles(fileSystem)).values()].flatMap(findEvents)
  return { ...client.compare(found), cuts, acknowledged: client.acknowledged.size, byKind, unsafe }
}

/** How much longer a request is under way over sockets and threads, in turns of the event loop, about. */
const turnsOfSockets = 40

const toSettings = (threads: number, ack: string): Settings => {
  const own = ['server.port=0', 'admin.port=0', 'collector.scribe.port=0', `server.threads=${threads}`]
  const spool = ['collector.diskspool.max-segment-bytes=65536', 'collector.seal-threads=2']
  // For a log in HDFS, the given file system has to count as HDFS.
  const log = ack === 'replicated' ? ['collector.ack=replicated', 'namenode.url=hdfs://localhost'] : []
  const argv = [...own, ...spool, ...log, 'collector.output.format=jsonl'].flatMap(one => ['--set', one])
  return loadConfig({ argv, env: {}, cwd: '/nowhere', readFile: () => '' }).settings
}

const toServerUrl = (listeners: readonly Listener[]): string =>
  listeners.find(({ name }) => name === 'server')?.url ?? ''

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}
