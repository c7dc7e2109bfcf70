import { createApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { silentLogger } from '../../src/log/log.ts'
import { maxEvents, type RequestKind, requestKinds, toCrashRequest } from './crash-requests.ts'
import { seededRandom } from './crash-world.ts'
import { createClientLedger, type Verdict } from './ledger-of-client.ts'
import { findEvents } from './marks.ts'
import { createMemoryFileSystem } from './memory-filesystem.ts'
import { beatTwice, readFiles, startMs } from './spool.ts'
import { createTearingDisk } from './tearing-disk.ts'

/** What power cuts have done to an application under load. */
export type PowerCutRun = Verdict & {
  readonly cuts: number
  readonly acknowledged: number
  readonly byKind: ReadonlyMap<RequestKind, number>
  /** Events of a 202 that, in the moment of the 202, a power cut could still have taken. */
  readonly unsafe: readonly number[]
}

/**
 * Sends requests of all kinds to the application, as a server runs it, over a disk that forgets and tears what was not
 * synced; cuts the power in the middle of it, again and again; and counts in the end.
 */
export const runPowerCuts = async (
  seed: number,
  { cuts, lies = false }: { readonly cuts: number; readonly lies?: boolean },
): Promise<PowerCutRun> => {
  const random = seededRandom(seed)
  const client = createClientLedger()
  const fileSystem = createMemoryFileSystem()
  const clock = { ms: startMs }
  const unsafe: number[] = []
  const byKind = new Map<RequestKind, number>()
  let disk = createTearingDisk({ lies })
  let generation = 0

  const start = async () => {
    let beat: () => Promise<void> = async () => {}
    const { fetch } = await createApp({
      settings,
      logger: silentLogger,
      disk,
      fileSystem,
      now: () => clock.ms,
      random,
      heartbeat: body => {
        beat = body
        return () => {}
      },
    })
    return { fetch, beat: () => beatTwice(beat) }
  }

  let app = await start()
  const send = async (): Promise<void> => {
    const kind = requestKinds[Math.floor(random() * requestKinds.length)] ?? 'GET /1'
    const count = 1 + Math.floor(random() * maxEvents(kind))
    const events = Array.from({ length: count }, () => client.issue())
    const mine = generation
    const { status } = await app.fetch(toCrashRequest('http://localhost', kind, events))
    if (status !== 202 || mine !== generation) return
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
      if (round === rounds - 1) await turns(Math.floor(random() * 25))
      else await Promise.all([...requests, beating])
    }
    generation++
    disk = disk.powerCut(random, { lies })
    app = await start()
  }
  for (let i = 0; i < 3; i++) {
    clock.ms += 3_700_000
    await app.beat()
  }
  const found = [...(await readFiles(fileSystem)).values()].flatMap(findEvents)
  return { ...client.compare(found), cuts, acknowledged: client.acknowledged.size, byKind, unsafe }
}

const { settings } = loadConfig({
  argv: [
    '--set',
    'collector.output.format=jsonl',
    '--set',
    'collector.diskspool.max-segment-bytes=65536',
    '--set',
    'collector.seal-threads=2',
  ],
  env: {},
  cwd: '/nowhere',
  readFile: path => {
    throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
  },
})

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}
