import type { Disk } from '../../../../src/disk/disk.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createJournaled } from '../../../../src/filesystem/journal/journaled.ts'
import { isInside } from '../../../../src/filesystem/path.ts'
import type { Batch } from '../../../../src/spool/batch.ts'
import { openOfflineCopy } from '../../../../src/spool/manual/offline-copy.ts'
import { createSealing } from '../../../../src/spool/seal/sealing.ts'
import type { Spool } from '../../../../src/spool/spool.ts'
import type { SpoolSettings } from '../../../../src/spool/spool-settings.ts'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { type AdoptedLog, adoptLog } from '../../../../src/spool/takeover/adopt-log.ts'
import { parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { takeLog } from '../../../../src/spool/takeover/take.ts'
import { type OfflineSpool, takeSpool } from '../../../../src/spool/tool/offline.ts'
import { changeFields } from '../../../../src/tables/change-fields.ts'
import { createDirectoryCatalog } from '../../../../src/tables/directory-catalog.ts'
import type { TableField } from '../../../../src/tables/schema.ts'
import { readParquet } from '../../../foreign/read-parquet.ts'
import { createClientLedger } from '../../../suites/ledger-of-client.ts'
import { liveFiles } from '../../../suites/live-files.ts'
import { createMemoryHdfs } from '../../../suites/memory-hdfs.ts'
import { createMortalView } from '../../../suites/mortal-view.ts'
import { createObjects } from '../../../suites/object-filesystem.ts'
import { jsonBatch, openTestSpool, silent, startMs, testSettings } from '../../../suites/spool.ts'
import { storeOf } from '../../../suites/store-of.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'
import { replicaOn, replicatedSettings } from './lost-collector.ts'

/** A collector that is running, or one that continues its log. */
type Running = {
  readonly spool: Pick<Spool, 'append' | 'quarantine' | 'stats' | 'close'>
  readonly beat: () => Promise<void>
}

/** Which call of a process, of its disk or of HDFS, is its last one. */
type Life = { left: number; readonly killed: Promise<void>; readonly isDead: () => boolean }

const createLife = (left: number): Life => {
  const { promise: killed, resolve } = Promise.withResolvers<void>()
  const life: Life = {
    left,
    killed,
    isDead: () => {
      if (--life.left <= 0) resolve()
      return life.left <= 0
    },
  }
  return life
}

/** What becomes of a file of which nothing is heard once its attempt is noted. */
type Fate = 'renamed' | 'not renamed' | 'gone'
type Publishing = Parameters<FileSystem['publish']>

/** A file system that has the log and the tables. */
export type LineageWorld = {
  /** As a process sees it. */
  readonly seenBy: (isDead: () => boolean) => FileSystem
  /** Takes a file, once it is noted, to what its fate says. */
  readonly interrupt: (fate: Fate, path: string, source: Publishing[1], attempt: NotedAttempt) => Promise<void>
}
type NotedAttempt = NonNullable<NonNullable<Publishing[2]>['attempt']>

/** @param isAway whether nothing answers for a path */
type CreateWorld = (isAway: (path: string) => boolean) => LineageWorld

const inHdfs: CreateWorld = isAway => {
  const hdfs = createMemoryHdfs({ fail: (_, path) => (isAway(path) ? 'before' : undefined) })
  return {
    seenBy: isDead => createMortalView(hdfs, isDead),
    interrupt: async (fate, path, source, { temporary, note }) => {
      await hdfs.memory.create(temporary, source)
      await note()
      if (fate === 'renamed') await hdfs.memory.rename(temporary, path)
      if (fate === 'gone') await hdfs.delete(temporary)
    },
  }
}

/** The same in an object store. */
export const inObjects: CreateWorld = isAway => {
  const objects = createObjects()
  const store: FileSystem = {
    ...objects,
    publish: async (path, ...rest) => {
      if (isAway(path)) throw new FileSystemError('unavailable', path, 'it is away')
      return await objects.publish(path, ...rest)
    },
  }
  return {
    // Of an object that is not written nothing is there.
    interrupt: async (fate, path, source, attempt) => {
      if (fate === 'renamed') await objects.publish(path, source, { attempt })
      else await attempt.note()
    },
    seenBy: isDead =>
      createJournaled(createMortalView(store, isDead), {
        rootOf: path => (isInside(path, '/events/_log') ? '/events/_log' : undefined),
        gatherMs: () => 0,
        isWhole: names => names.includes('ledger'),
        groupsPerCheckpoint: 10,
      }),
  }
}

/**
 * Events of one collector, whose files are of tables and whose log is in HDFS, and all that continue this log when the
 * collector is lost: one process at a time. Tables refuse, and accept again.
 */
export const createLineage = async (more: Partial<SpoolSettings> = {}, createWorld = inHdfs) => {
  /** Directories of which nothing answers. */
  const away = new Set<string>()
  const world = createWorld(path => [...away].some(directory => path.startsWith(directory)))
  const hdfs = world.seenBy(() => false)
  const clock = { ms: startMs }
  const client = createClientLedger()
  /** Types of which no file gets to its place. */
  const denied = new Set<string>()
  /** Types whose tables get no snapshot. */
  const held = new Set<string>()
  /** Types whose files are on their way when the process ends, and what their RENAME came to. */
  const interrupted = new Map<string, Fate>()
  /** Numbers of segments. */
  const unsealable = new Set<number>()
  /** Events that a person removed. */
  const removed = new Set<number>()
  const typeOf = new Map<number, string>()
  const settings = {
    outputFormat: 'parquet',
    outputLayout: 'iceberg',
    snapshotMs: 1_000,
    keepCommittedMs: 0,
    ack: 'replicated',
    ...more,
  } as const
  let disk = createTearingDisk()
  let running: Running | undefined
  let life = createLife(Number.POSITIVE_INFINITY)
  /** Name of the log; that of its first owner until it is taken. */
  let name = ''
  let takers = 0

  const fateOf = (path: string) => interrupted.get(/^\/events\/([^/]+)\/data\//.exec(path)?.[1] ?? '')

  /** Sends a file, and hears nothing any more once its RENAME is noted. */
  const interrupt = async (fate: Fate, ...[path, source, options]: Publishing): Promise<never> => {
    const { attempt } = options ?? {}
    if (!attempt) throw new TypeError('nothing is noted')
    await world.interrupt(fate, path, source, attempt)
    throw new FileSystemError('unavailable', path, 'away')
  }

  const viewOf = (mortal: Life): FileSystem => {
    const view = world.seenBy(mortal.isDead)
    const publish: FileSystem['publish'] = async (path, ...rest) => {
      for (const type of denied)
        if (path.startsWith(`/events/${type}/data/`)) throw new FileSystemError('denied', path, 'not yours')
      for (const type of held)
        if (path.startsWith(`/events/${type}/metadata/`)) throw new FileSystemError('unavailable', path, 'held')
      const fate = fateOf(path)
      return await (fate ? interrupt(fate, path, ...rest) : view.publish(path, ...rest))
    }
    const settle: FileSystem['settle'] = async (path, ...rest) => {
      if (fateOf(path)) throw new FileSystemError('unavailable', path, 'away')
      return await view.settle(path, ...rest)
    }
    const changed = new Map<string | symbol, unknown>(Object.entries({ publish, settle }))
    return new Proxy(view, { get: (target, key) => changed.get(key) ?? Reflect.get(target, key) })
  }

  const open = async (
    mortal: Life,
    owner?: string,
    temporaryDirectory?: string,
  ): Promise<Running & { readonly whole: Spool }> => {
    const fileSystem = viewOf(mortal)
    const view = createMortalView(disk, mortal.isDead)
    const { outputDirectory } = testSettings
    const pause = async (): Promise<void> => {}
    const tables = createTableDesk({ fileSystem, outputDirectory, log: silent, now: () => clock.ms, pause })
    const replica = replicaOn(fileSystem, owner)
    const sealing = createSealing(view, undefined, {}, tables.tableOf)
    const seal: typeof sealing.seal = async request => {
      if (unsealable.has(request.segment)) throw new Error('it cannot be sealed')
      return await sealing.seal(request)
    }
    const opened = await openTestSpool({
      disk: view,
      fileSystem,
      replica,
      clock,
      settings,
      tables,
      sealing: { ...sealing, seal },
      ...(temporaryDirectory === undefined ? {} : { temporaryDirectory }),
    })
    return { spool: opened.spool, whole: opened.spool, beat: opened.beat }
  }
  /** What is done by a process, unless it ends. @returns undefined where it did */
  const alive = async <T>(mortal: Life, work: () => Promise<T>): Promise<T | undefined> =>
    await Promise.race([work(), mortal.killed.then(() => undefined)])

  /** The collector starts on its disk. */
  const start = async (): Promise<void> => {
    life = createLife(Number.POSITIVE_INFINITY)
    running = await open(life)
    name = new TextDecoder().decode(await disk.read('id')).trim()
  }
  await start()

  const end = (): void => {
    life.left = 0
    running = undefined
    disk = disk.kill()
  }
  const minute = async (beat: () => Promise<void>): Promise<void> => {
    clock.ms += 60_000
    await beat()
    await beat()
  }

  const change = async (
    type: string,
    toFields: (fields: readonly TableField[]) => readonly TableField[],
  ): Promise<void> => {
    const place = { path: `/events/${type}`, location: `memory:///events/${type}` }
    const catalog = createDirectoryCatalog(hdfs)
    const table = await catalog.load(place.path)
    if (!table) return
    let isDone = false
    await changeFields({
      catalog,
      place,
      now: () => clock.ms,
      pause: async () => {},
      toNew: () => {
        throw new Error('the table is there')
      },
      toFields: found => {
        if (isDone || !found) return undefined
        isDone = true
        return { fields: toFields(found.metadata.schema.fields), lastColumnId: found.metadata.lastColumnId + 1 }
      },
    })
  }
  const isMust = ({ name: column }: TableField): boolean => column === 'must'

  /** The next one takes the log. */
  const take = async (): Promise<void> => {
    const taker = (++takers).toString(16).padStart(32, '0')
    const owner = parseOwner(name)
    const signal = new AbortController().signal
    const taken =
      owner &&
      (await takeLog({ fileSystem: world.seenBy(() => false), outputDirectory: '/events', taker, signal }, owner))
    if (taken === undefined) throw new Error(`${name} was not taken`)
    name = taken
    disk = createTearingDisk()
  }

  /**
   * The process that took the log last continues it. @param calls after so many it is killed @returns undefined where
   * it was
   */
  const goOn = async (calls = Number.POSITIVE_INFINITY): Promise<AdoptedLog | undefined> => {
    const owner = parseOwner(name)
    if (!owner) throw new Error(name)
    life = createLife(calls)
    const mortal = life
    let beats = 0
    let beat: () => Promise<void> = async () => {}
    const options = {
      fileSystem: viewOf(mortal),
      outputDirectory: '/events',
      taker: owner.keeper,
      signal: new AbortController().signal,
      diskOf: (): Disk => createMortalView(disk, mortal.isDead),
      takeKeys: async () => {},
      open: async ({ name: log }: { readonly name: string }, temporaryDirectory: string) => {
        const opened = await open(mortal, log, temporaryDirectory)
        beat = () => minute(opened.beat)
        return opened.whole
      },
      pause: async () => {
        if (++beats > 60) throw new Error(`It does not end: ${JSON.stringify((await lastStatus?.())?.left)}`)
        await beat()
      },
    }
    let lastStatus: (() => Promise<{ readonly left: unknown }>) | undefined
    const watch = {
      onStep: () => {},
      onStatus: (status: { readonly left: unknown }) => {
        lastStatus = async () => status
      },
    }
    let adopted: AdoptedLog | undefined
    try {
      adopted = await alive(mortal, () => adoptLog(options, owner, watch))
    } finally {
      mortal.left = 0
      if (adopted === undefined) disk = disk.kill()
    }
    return adopted
  }

  /** A person works on the spool while no process runs on it. */
  const offline = async <T>(work: (spool: OfflineSpool) => Promise<T>, held: TearingDisk = disk): Promise<T> => {
    const places = { fileSystem: world.seenBy(() => false), urlOf: () => hdfs.url, mountPoints: ['/'] }
    const copy = await openOfflineCopy(held, { places, settings: replicatedSettings, log: silent })
    const spool = await takeSpool(held, copy)
    try {
      return await work(spool)
    } finally {
      await spool.close()
    }
  }

  /** What a running collector does, unless it ends. */
  const call = async (work: (now: Running) => Promise<void>): Promise<void> => {
    const now = running
    const mortal = life
    if (!now || mortal.left <= 0) return
    await alive(mortal, () => work(now))
    if (mortal.left <= 0) end()
  }

  const rowsOf = async (type: string): Promise<number[]> => {
    const rows: number[] = []
    for (const path of await liveFiles(storeOf(hdfs), `/events/${type}`))
      for (const { fields } of await readParquet(await storeOf(hdfs).read(path)))
        rows.push(Number(new Map(fields).get('n')))
    return rows
  }

  return {
    hdfs,
    client,
    clock,
    denied,
    held,
    interrupted,
    unsealable,
    removed,
    rowsOf,
    disk: (): TearingDisk => disk,
    running: () => running,
    get name() {
      return name
    },
    /** One request, with an event of each of these types. */
    append: (...types: readonly string[]): Promise<void> =>
      call(async ({ spool }) => {
        const events = types.map(type => ({ type, n: client.issue() }))
        for (const { n, type } of events) typeOf.set(n, type)
        await spool.append(toBatch(events))
        client.acknowledge(...events.map(({ n }) => n))
      }),
    /** All that time brings in a minute. */
    pass: (): Promise<void> => call(({ beat }) => minute(beat)),
    /** Asks the running collector for something. */
    ask: (work: (spool: Running['spool']) => Promise<unknown>): Promise<void> =>
      call(async ({ spool }) => void (await work(spool))),
    /** The process ends at one of its next calls. */
    dieAfter: (calls: number): void => {
      life.left = calls
    },
    typeOf,
    refuse: (type: string) =>
      change(type, fields => [
        ...fields.filter(field => !isMust(field)),
        { id: 900, name: 'must', isRequired: true, type: 'string' },
      ]),
    repair: (type: string) => change(type, fields => fields.filter(field => !isMust(field))),
    /** A person removes a table. @returns the events of its rows */
    drop: async (type: string): Promise<readonly number[]> => {
      const rows = await rowsOf(type)
      await hdfs.delete(`/events/${type}/metadata`, { recursive: true })
      return rows
    },
    /** The process ends, and the next one starts on its disk. */
    restart: async (): Promise<void> => {
      end()
      await start()
    },
    end,
    start,
    /** The machine is lost with its disk, and another one takes the log. */
    lose: async (): Promise<void> => {
      end()
      await take()
    },
    take,
    goOn,
    offline,
    away,
  }
}

export type Lineage = Awaited<ReturnType<typeof createLineage>>

/** One body with events of several types. */
const toBatch = (events: readonly { readonly type: string; readonly n: number }[]): Batch => {
  const [first] = events
  const batch = jsonBatch(events.map(({ n }) => ({ n })))
  return first === undefined
    ? batch
    : {
        ...batch,
        events: events.map(({ type }, index) => ({ index, name: type, date: startMs, granularity: 'HOURLY' })),
      }
}
