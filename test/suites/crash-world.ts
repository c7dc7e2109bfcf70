import { createCounters } from '../../src/collector/counters.ts'
import { createKeep } from '../../src/collector/submit/keep.ts'
import { createKeepNew } from '../../src/collector/submit/keep-new.ts'
import type { AppendFile, Disk } from '../../src/disk/disk.ts'
import { SluiceError } from '../../src/errors.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { isMissing } from '../../src/filesystem/mounts/routes.ts'
import { toPromise } from '../../src/runtime/deferred.ts'
import type { Batch } from '../../src/spool/batch.ts'
import { eventIdBytes } from '../../src/spool/event-ids.ts'
import type { BucketBounds } from '../../src/spool/seal/bucket-bounds.ts'
import { poolSealings } from '../../src/spool/seal/pool.ts'
import { createSealing } from '../../src/spool/seal/sealing.ts'
import type { Spool } from '../../src/spool/spool.ts'
import type { SpoolSettings } from '../../src/spool/spool-settings.ts'
import { createTableDesk } from '../../src/spool/tables/table-desk.ts'
import { readEvents } from '../foreign/read-events.ts'
import { type FlatFileSystem, fromVerbs, type Verbs } from './flat-filesystem.ts'
import { handOver } from './framed.ts'
import { type ClientLedger, createClientLedger, type Verdict } from './ledger-of-client.ts'
import { toTableStore } from './live-files.ts'
import { createMemoryFileSystem, type MemoryFault, type MemoryOperation } from './memory-filesystem.ts'
import {
  jsonBatch,
  openTestSpool,
  readEvents as readLines,
  silent,
  startMs,
  type TestSpool,
  testSettings,
} from './spool.ts'
import { storeOf } from './store-of.ts'
import { createTearingDisk, type TearingDisk, type TearingDiskOptions } from './tearing-disk.ts'

/** Which operation of the disk is about to happen. */
export type DiskOperation = keyof Disk | keyof AppendFile

/** What goes wrong, until the test says otherwise. */
export type Faults = {
  fileSystem: ((operation: MemoryOperation, path: string) => MemoryFault | undefined) | undefined
  disk: ((operation: DiskOperation, path: string) => Error | undefined) | undefined
  /** Sealing is held back: it fails before it reads anything. */
  seal: (() => Error | undefined) | undefined
  /** The disk of the spool has no room for new events. */
  isDiskLow: boolean
}

/** A spool, the disk below it, the file system behind it and the client in front of it, any of which can fail. */
export type World = {
  readonly spool: () => Spool
  readonly disk: () => TearingDisk
  /** The file system as everybody sees it, without faults. */
  readonly fileSystem: FlatFileSystem
  readonly clock: { ms: number }
  readonly faults: Faults
  /** Invariants that did not hold. */
  readonly broken: readonly string[]
  readonly client: ClientLedger
  /** Sends a batch of so many events; resolves, never rejects, when it is answered. */
  append(events: number, options?: { readonly key?: string; readonly name?: string }): Promise<void>
  /** Sends these events as one batch, which may be a repetition. */
  appendEvents(events: readonly number[], key?: string, name?: string): Promise<void>
  /** Sends these events, each with its id, as the collector does: those that are kept already are left out. */
  appendIdentified(events: readonly number[]): Promise<void>
  /** Hands batches of so many events over in one range, as another thread does; resolves when all are answered. */
  handOver(batches: readonly { readonly events: number; readonly name: string }[]): Promise<void>
  beat(): Promise<void>
  /** Anything else asked of the spool; resolves when it is done or the process has stopped, rejects as it does. */
  call(body: (spool: Spool) => Promise<unknown>): Promise<void>
  /** Ends the process at once: nothing it began will end, on the disk or in the file system. */
  stop(how: 'power cut' | 'kill', random: () => number): void
  /** Starts the next process on what the last one left. */
  start(): Promise<void>
  /** Number of the process; grows with each stop. */
  readonly generation: number
  /** Faults end, time passes, everything drains: the file system then contains what was kept. */
  calm(): Promise<void>
  /** Numbers of the events in the file system. */
  found(): Promise<number[]>
  verdict(): Promise<Verdict>
}

export type WorldOptions = {
  readonly settings?: Partial<SpoolSettings>
  /** See {@link TearingDiskOptions.lies}. */
  readonly lies?: boolean
  /** Segments that are sealed at once. @default 1 */
  readonly sealers?: number
  /** @default those of the server */
  readonly bounds?: BucketBounds
}

export const createWorld = async ({
  settings = {},
  lies = false,
  sealers = 1,
  bounds,
}: WorldOptions = {}): Promise<World> => {
  const faults: Faults = { fileSystem: undefined, disk: undefined, seal: undefined, isDiskLow: false }
  const broken: string[] = []
  const client = createClientLedger()
  const clock = { ms: startMs }
  const fileSystem = createMemoryFileSystem({
    now: () => clock.ms,
    fail: (operation, path) => (isSpoolCalling ? faults.fileSystem?.(operation, path) : undefined),
  })
  let generation = 0
  let isSpoolCalling = false
  /** Faults are the spool's alone: the file system decides on them before the call first waits. */
  const asSpool = <T>(call: () => T): T => {
    isSpoolCalling = true
    try {
      return call()
    } finally {
      isSpoolCalling = false
    }
  }
  /** Ends the waits for a process that has stopped: its own promises never settle. */
  const waiting = new Set<() => void>()

  /** Waits from before the call on: it may be the one that stops the process, before it first waits. */
  const untilStopped = async (call: () => Promise<unknown>): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.add(resolve)
    await Promise.race([call(), promise]).finally(() => waiting.delete(resolve))
  }
  /** Nothing, if no process runs: it may stop between two calls. */
  const untilStoppedIfRunning = async (call: () => Promise<unknown>): Promise<void> => {
    if (isRunning) await untilStopped(call)
  }
  const diskOptions = (): TearingDiskOptions => {
    const mine = generation
    return {
      lies,
      freeBytes: () => (faults.isDiskLow ? 0 : 1e9),
      fail: (operation, path) => (mine === generation ? faults.disk?.(operation, path) : undefined),
    }
  }
  const open = (): Promise<TestSpool> => {
    const mine = generation
    const ofSpool = mortal(fileSystem, () => mine === generation, asSpool)
    const pause = async (): Promise<void> => {}
    const now = (): number => clock.ms
    const { outputDirectory } = testSettings
    const tables = createTableDesk({ fileSystem: ofSpool, outputDirectory, log: silent, now, pause })
    const sealing = poolSealings(sealers, () => createSealing(disk, undefined, bounds, tables.tableOf))
    return openTestSpool({
      tables,
      disk,
      sealing: {
        ...sealing,
        seal: async request => {
          const failure = mine === generation ? faults.seal?.() : undefined
          if (failure) throw failure
          return await sealing.seal(request)
        },
      },
      fileSystem: ofSpool,
      clock,
      settings: { maxSegmentBytes: 4_000, minFreeBytes: 1, ...settings },
      log: {
        ...silent,
        error: fields => {
          if ('invariant' in fields) broken.push(JSON.stringify(fields))
        },
      },
    })
  }
  let disk = createTearingDisk(diskOptions())
  let current = await open()
  let isRunning = true
  /** How many attempts with an event have had no answer: as long as there are any, it may be there. */
  const attempts = new Map<number, number>()
  const attempt = (events: readonly number[], more: 1 | -1): void => {
    for (const event of events) attempts.set(event, (attempts.get(event) ?? 0) + more)
  }
  const found = async (): Promise<number[]> => {
    if (settings.outputFormat !== 'parquet')
      return (await readLines(fileSystem)).map(({ payload }) => Number(payload['n']))
    const { outputDirectory } = testSettings
    // The first commit makes it.
    const isThere = await fileSystem.getFileStatus(outputDirectory).then(
      () => true,
      error => (isMissing(error) ? false : Promise.reject(error)),
    )
    if (!isThere) return []
    const files = storeOf(fileSystem)
    const store = settings.outputLayout === 'iceberg' ? toTableStore(files, outputDirectory) : files
    const { events, unreadable } = await readEvents(store, outputDirectory)
    if (unreadable.length > 0) throw new Error(`Files that cannot be read: ${unreadable.join('; ')}`)
    return events.map(({ fields }) => Number(new Map(fields).get('n')))
  }

  const toBatch = (events: readonly number[], name?: string): Batch => {
    // Of one kind in this process, and of another in the next.
    const toMixed = [(n: number) => n, (n: number) => n + 0.5, (n: number) => `kind ${n}`][generation % 3] ?? String
    const payloads = events.map(n => ({ n, mixed: toMixed(n) }))
    return jsonBatch(payloads, name === undefined ? {} : { name })
  }
  const onRefused = (events: readonly number[], error: unknown): void => {
    if (!(error instanceof SluiceError)) return
    attempt(events, -1)
    client.refuse(...events.filter(event => attempts.get(event) === 0))
  }
  const issue = (count: number): number[] => Array.from({ length: count }, () => client.issue())

  const handOverAll: World['handOver'] = sizes => {
    const mine = generation
    return untilStoppedIfRunning(async () => {
      const sent = sizes.map(({ events, name }) => ({ events: issue(events), name }))
      for (const { events } of sent) attempt(events, 1)
      const batches = sent.map(({ events, name }) => ({ ...toBatch(events, name), receivedAt: clock.ms }))
      const { told, freed } = handOver(current.spool, batches)
      for (const [i, error] of (await told).entries()) {
        const { events } = sent[i] ?? { events: [] }
        if (mine !== generation) return
        if (error === undefined) client.acknowledge(...events)
        else onRefused(events, error)
      }
      await freed
    })
  }

  const appendEvents = (events: readonly number[], key?: string, name?: string): Promise<void> => {
    const batch = toBatch(events, name)
    const outcome = { accepted: events.length, rejected: 0, errors: [] }
    const sent = key === undefined ? batch : { ...batch, idempotency: { key, fingerprint: key, outcome } }
    return sendEvents(events, () => current.spool.append(sent))
  }

  const appendIdentified = (events: readonly number[]): Promise<void> =>
    sendEvents(events, () => keepNew(current.spool, { ...toBatch(events), eventIds: toIds(events) }))

  const sendEvents = (events: readonly number[], send: () => Promise<unknown>): Promise<void> => {
    const mine = generation
    return untilStoppedIfRunning(() => {
      attempt(events, 1)
      client.retry(...events)
      return send().then(
        () => {
          if (mine === generation) client.acknowledge(...events)
        },
        error => {
          if (mine === generation) onRefused(events, error)
        },
      )
    })
  }

  return {
    spool: () => current.spool,
    disk: () => disk,
    fileSystem,
    clock,
    faults,
    broken,
    client,
    append: (count, { key, name } = {}) => appendEvents(issue(count), key, name),
    appendEvents,
    appendIdentified,
    handOver: handOverAll,
    beat: () => untilStoppedIfRunning(() => current.beat()),
    call: body => untilStoppedIfRunning(() => body(current.spool)),
    stop: (how, random) => {
      generation++
      isRunning = false
      disk = how === 'kill' ? disk.kill(diskOptions()) : disk.powerCut(random, diskOptions())
      for (const resolve of waiting) resolve()
    },
    start: async () => {
      const mine = generation
      await untilStopped(async () => {
        const opened = await open()
        if (mine !== generation) return
        current = opened
        isRunning = true
      })
    },
    get generation() {
      return generation
    },
    calm: async () => {
      faults.fileSystem = undefined
      faults.disk = undefined
      faults.seal = undefined
      faults.isDiskLow = false
      await current.spool.enableFlush()
      for (let i = 0; i < 4; i++) {
        clock.ms += longestPauseMs
        await current.beat()
      }
      await current.spool.processLeftBelowFiles()
      clock.ms += longestPauseMs
      await current.beat()
    },
    found,
    verdict: async () => client.compare(await found()),
  }
}

/** An id for each event, its number. */
const toIds = (events: readonly number[]): Uint8Array => {
  const ids = Buffer.alloc(eventIdBytes * events.length)
  for (const [i, n] of events.entries()) ids.write(`id ${n}`, i * eventIdBytes)
  return ids
}

/** Keeps a batch as the collector does. */
const keepNew = async (spool: Spool, batch: Batch): Promise<void> => {
  const counters = createCounters()
  const { api, events } = batch
  const prepared = {
    api,
    batch,
    context: undefined,
    report: { accepted: events.length, rejected: 0, errors: [] },
    filtered: 0,
    mismatches: [],
    refused: [],
    isSingle: false,
  }
  const keep = createKeepNew({ spool, counters, keep: createKeep({ spool, counters }) })
  await toPromise(waiter => keep(prepared, waiter))
}

/** Random numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Longer than any pause of the spool: between retries, between passes, before strays are looked for again. */
const longestPauseMs = 3_700_000

/** The file system as one process sees it: once that has stopped, its calls do nothing and never end. */
const mortal = (fileSystem: FlatFileSystem, isAlive: () => boolean, asSpool: <T>(call: () => T) => T): FileSystem => {
  const never = new Promise<never>(() => {})
  const call = async <T>(body: () => Promise<T>): Promise<T> => (isAlive() ? asSpool(body) : never)
  return fromVerbs<Verbs>({
    url: fileSystem.url,
    create: (...args) => call(() => fileSystem.create(...args)),
    open: (...args) => call(() => fileSystem.open(...args)),
    getFileStatus: (...args) => call(() => fileSystem.getFileStatus(...args)),
    listStatus: async function* (...args) {
      const parts = fileSystem.listStatus(...args)[Symbol.asyncIterator]()
      for (let next = await call(() => parts.next()); !next.done; next = await call(() => parts.next())) {
        yield next.value
      }
    },
    mkdirs: (...args) => call(() => fileSystem.mkdirs(...args)),
    rename: (...args) => call(() => fileSystem.rename(...args)),
    delete: (...args) => call(() => fileSystem.delete(...args)),
    append: (...args) => call(() => fileSystem.append(...args)),
    setPermission: (...args) => call(() => fileSystem.setPermission(...args)),
    setOwner: (...args) => call(() => fileSystem.setOwner(...args)),
    setReplication: (...args) => call(() => fileSystem.setReplication(...args)),
    setTimes: (...args) => call(() => fileSystem.setTimes(...args)),
    getContentSummary: (...args) => call(() => fileSystem.getContentSummary(...args)),
    getFileChecksum: (...args) => call(() => fileSystem.getFileChecksum(...args)),
    getFileBlockLocations: (...args) => call(() => fileSystem.getFileBlockLocations(...args)),
    getStatus: (...args) => call(() => fileSystem.getStatus(...args)),
    getServerDefaults: (...args) => call(() => fileSystem.getServerDefaults(...args)),
    access: (...args) => call(() => fileSystem.access(...args)),
    probe: () => call(() => fileSystem.probe()),
    close: () => call(() => fileSystem.close()),
  })
}
