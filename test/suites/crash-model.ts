import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { readLedger } from '../../src/spool/ledger/ledger.ts'
import { isHeaderWhole } from '../../src/spool/segment/segment-layout.ts'
import { readSegment } from '../../src/spool/segment/segment-reader.ts'
import { readParquet } from '../foreign/read-parquet.ts'
import { createWorld, type DiskOperation, seededRandom, type World, type WorldOptions } from './crash-world.ts'
import { listAll } from './list-all.ts'
import type { MemoryFault, MemoryOperation } from './memory-filesystem.ts'
import { readFiles } from './spool.ts'

/** What one run did and how it ended; the lists are empty when all is well. */
export type ModelRun = {
  readonly steps: number
  readonly stops: number
  readonly acknowledged: number
  /** Acknowledged events that are neither in the file system nor in quarantine. */
  readonly lost: readonly number[]
  readonly twice: readonly number[]
  readonly unknown: readonly number[]
  /** Events in the file system of which the server has said that it did not keep them. */
  readonly refused: readonly number[]
  /** What does not add up in the figures of the spool, in words. */
  readonly books: readonly string[]
  /** Invariants of the spool that did not hold, as the log tells them. */
  readonly broken: readonly string[]
}

/** A keyed request that may be repeated until it is taken. */
type Keyed = { readonly key: string; readonly events: readonly number[] }

/**
 * Random actions on a spool, its disk and its file system, then calm, then the reckoning against a small model: which
 * events were acknowledged, which may be there, which were damaged on purpose. The same seed does the same again.
 */
export const runModel = async (seed: number, steps: number, options: WorldOptions = {}): Promise<ModelRun> => {
  const random = seededRandom(seed)
  const pick = <T>(...items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const chance = (probability: number): boolean => random() < probability
  const world = await createWorld({
    sealers: 1 + (seed % 3),
    bounds: { maxReadyBytes: pick(0, 400, 4_000), maxOpenFiles: pick(1, 256), maxHeldBytes: pick(200, 4_000) },
    ...options,
    settings: {
      maxSegmentBytes: pick(500, 2_000, 20_000),
      keepCommittedMs: pick(0, 60_000),
      outputFormat: seed % parquetEvery === 0 ? 'parquet' : 'jsonl',
      outputCodec: 'none',
      ...options.settings,
    },
  })
  /** Events whose only copy a test flipped a bit in. */
  const damaged = new Set<number>()
  /** Files in which it did. */
  const flipped = new Set<string>()
  /** Events of files that a consumer took from the file system. */
  const consumed: number[] = []
  /** A consumer continues when the process stops. */
  const consuming: Promise<void>[] = []
  const keyed: Keyed[] = []
  /** Events with ids, in the requests that they came in first. */
  const identified: (readonly number[])[] = []
  let step = 0
  let stops = 0
  let stopIn = Number.POSITIVE_INFINITY
  /** Until which step sealing is held back. */
  let heldUntil = 0
  let diskTrouble: ((operation: DiskOperation, path: string) => Error | undefined) | undefined
  let fileSystemTrouble: ((operation: MemoryOperation, path: string) => MemoryFault | undefined) | undefined
  const how = (): 'kill' | 'power cut' => (chance(0.4) ? 'kill' : 'power cut')

  /** The process may stop right before any operation of the disk, and before or after any of the file system. */
  const countDown = (): boolean => {
    if (--stopIn > 0) return false
    stopIn = Number.POSITIVE_INFINITY
    stops++
    world.stop(how(), random)
    return true
  }
  world.faults.disk = (operation, path) => (countDown() ? new Error('stopped') : diskTrouble?.(operation, path))
  world.faults.seal = () => (step < heldUntil ? Object.assign(new Error('EIO: held'), { code: 'EIO' }) : undefined)
  world.faults.fileSystem = (operation, path) => {
    const fault = countDown()
      ? pick<MemoryFault>(new Error('stopped'), 'lost-reply', 'torn')
      : fileSystemTrouble?.(operation, path)
    // A file under both names, whose consumer takes one of them, is not ours to put right.
    return operation === 'rename' && fault === 'torn' ? 'lost-reply' : fault
  }

  let generation = 0
  const restart = async (): Promise<void> => {
    while (world.generation !== generation) {
      generation = world.generation
      diskTrouble = undefined
      if (chance(0.15)) flipped.add(await damageSomething(world, random, damaged))
      if (chance(0.2)) stopIn = 1 + Math.floor(random() * 30)
      await world.start()
    }
  }

  const sendKeyed = (request: Keyed): Promise<void> => {
    const known = world.spool().recall(request.key)
    if (!known) return world.appendEvents(request.events, request.key)
    const mine = world.generation
    const told = known.outcome.then(
      () => {
        if (world.generation === mine) world.client.acknowledge(...request.events)
      },
      () => {},
    )
    return world.call(() => told)
  }

  const actions: Readonly<Record<string, readonly [weight: number, act: () => Promise<unknown> | undefined]>> = {
    append: [30, () => world.append(1 + Math.floor(random() * 5), { name: pick('A', 'B', 'C') })],
    handOver: [
      15,
      () => {
        const batches = Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
          events: 1 + Math.floor(random() * 3),
          name: pick('A', 'B', 'C'),
        }))
        return world.handOver(batches)
      },
    ],
    appendKeyed: [
      8,
      () => {
        const request = { key: `key-${keyed.length}`, events: [world.client.issue()] }
        keyed.push(request)
        return sendKeyed(request)
      },
    ],
    repeatKeyed: [5, () => (keyed.length > 0 ? sendKeyed(pick(...keyed)) : undefined)],
    appendIdentified: [
      8,
      () => {
        const known = chance(0.5) && identified.length > 0 ? pick(...identified) : []
        const fresh = Array.from({ length: 1 + Math.floor(random() * 2) }, () => world.client.issue())
        identified.push(fresh)
        return world.appendIdentified([...known, ...fresh])
      },
    ],
    repeatIdentified: [
      6,
      () => {
        if (identified.length === 0) return undefined
        const [first, second] = [pick(...identified), pick(...identified)]
        return world.appendIdentified(chance(0.5) ? first : [...first, ...second])
      },
    ],
    beat: [25, () => world.beat()],
    wait: [
      10,
      async () => {
        world.clock.ms += pick(250, 2_000, 31_000, 300_000, 3_700_000, -5_000, -7_200_000)
      },
    ],
    flushOff: [1, () => world.call(spool => spool.disableFlush())],
    flushOn: [2, () => world.call(spool => spool.enableFlush())],
    leftBelow: [2, () => world.call(spool => spool.processLeftBelowFiles())],
    drain: [1, () => world.call(spool => spool.drain())],
    undoDrain: [6, () => (world.spool().stats().drained ? world.call(spool => spool.undoDrain()) : undefined)],
    consume: [
      // What is in a table is taken by its snapshots alone.
      options.settings?.outputLayout === 'iceberg' ? 0 : 2,
      () =>
        world.call(() => {
          const one = consume(world, random, consumed)
          consuming.push(one)
          return one
        }),
    ],
    fileSystemTrouble: [
      4,
      async () => {
        const share = pick(0, 0.1, 0.4, 1)
        fileSystemTrouble = (operation, path) => {
          if (!chance(share)) return undefined
          const away = new FileSystemError('unavailable', path, 'away')
          // The answer to a RENAME that some client library repeated after its first reply was lost.
          const repeated = new FileSystemError('not-found', path, 'no such file')
          const denied = chance(0.1) ? new FileSystemError('denied', path, 'denied') : away
          return pick<MemoryFault>(away, 'lost-reply', 'torn', denied, operation === 'rename' ? repeated : away)
        }
      },
    ],
    diskTrouble: [
      2,
      async () => {
        const share = pick(0, 0.05, 0.3, 1)
        const code = pick('EIO', 'ENOSPC')
        diskTrouble = () => (chance(share) ? Object.assign(new Error(`${code}: on purpose`), { code }) : undefined)
      },
    ],
    breakSegment: [
      3,
      async () => {
        let left = pick(1, 1, 3)
        const ofLog = pick('fdatasync', 'append')
        const isLedgerBroken = chance(0.3)
        diskTrouble = (operation, path) => {
          if (left <= 0) return undefined
          const isLog = operation === ofLog && path.startsWith('log/')
          const isLedger = isLedgerBroken && path.startsWith('ledger')
          if (!isLog && !isLedger) return undefined
          if (isLog) left--
          return Object.assign(new Error('EIO: on purpose'), { code: 'EIO' })
        }
        // The next process has to know where the segment ends, and which keys are in it.
        heldUntil = step + pick(5, 20, 50)
      },
    ],
    diskLow: [
      2,
      async () => {
        world.faults.isDiskLow = !world.faults.isDiskLow
      },
    ],
    handleQuarantine: [
      2,
      () =>
        world.call(async spool => {
          const { list, release, releaseUnderNewName } = spool.quarantine
          // The file system may have those in `_taken/`.
          const names = (await list()).filter(({ kind }) => kind !== 'taken').map(({ name }) => name)
          await Promise.all([release([...names, ...names]), release(names), releaseUnderNewName(names)])
        }),
    ],
    goodTimes: [
      6,
      async () => {
        world.faults.isDiskLow = false
        diskTrouble = undefined
        fileSystemTrouble = undefined
      },
    ],
    stopSoon: [
      3,
      async () => {
        stopIn = 1 + Math.floor(random() * 60)
      },
    ],
    stop: [
      1,
      async () => {
        stops++
        world.stop(how(), random)
      },
    ],
  }
  const table = Object.values(actions).flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

  for (; step < steps; step++) {
    const done = pick(...table)()?.catch(() => {})
    // Half of the time the next thing happens while this one is still under way.
    if (chance(0.5)) await done
    await restart()
  }
  stopIn = Number.POSITIVE_INFINITY
  world.faults.disk = undefined
  world.faults.fileSystem = undefined
  world.faults.seal = undefined
  await world.beat()
  await restart()
  for (const request of keyed) await sendKeyed(request)
  for (const events of identified) await world.appendIdentified(events)
  await Promise.allSettled(consuming)
  await world.calm()
  return reckon(world, { steps, stops, damaged, flipped, consumed })
}

/** What was done in a run. */
type Done = Pick<ModelRun, 'steps' | 'stops'> & {
  readonly damaged: ReadonlySet<number>
  readonly flipped: ReadonlySet<string>
  readonly consumed: readonly number[]
}

const reckon = async (world: World, { steps, stops, damaged, flipped, consumed }: Done): Promise<ModelRun> => {
  const found = await world.found()
  const { lost, twice, unknown, refused = [] } = world.client.compare([...found, ...consumed])
  const setAside = await numbersInQuarantine(world)
  const stats = world.spool().stats()
  const books: string[] = []
  const expectFigure = (what: string, figure: number, want: number): void => {
    if (figure !== want) books.push(`${what} is ${figure}, not ${want}`)
  }
  expectFigure(
    'events in the file system, as the spool counts them,',
    // A consumer that takes a file whose RENAME had no answer leaves nothing to see.
    stats.totalFlushedEvents + stats.takenEvents,
    found.length + consumed.length,
  )
  for (const key of ['openEvents', 'pendingEvents', 'pendingFiles', 'queuedEvents', 'queuedBytes'] as const) {
    expectFigure(key, stats[key], 0)
  }
  const inQuarantine = lost.filter(event => !damaged.has(event)).length
  if (stats.quarantinedEvents < inQuarantine) {
    books.push(`${inQuarantine} events are in quarantine, ${stats.quarantinedEvents} are counted`)
  }
  if (lost.length > 0 && stats.quarantinedFiles === 0) books.push('quarantined files are not counted')
  books.push(...(await findSpoilt(world, flipped)))
  const { collectorId } = stats
  // The directory does not exist if nothing was ever sent.
  for (const { path } of await listAll(world.fileSystem, `/events/_tmp/${collectorId}`).catch(() => [])) {
    books.push(`${path} is left over`)
  }
  return {
    steps,
    stops,
    acknowledged: world.client.acknowledged.size,
    lost: lost.filter(event => !damaged.has(event) && !setAside.has(event)),
    twice,
    unknown,
    refused,
    books,
    broken: world.broken,
  }
}

/** Every so many-th seed writes Parquet, which takes longer to read. */
const parquetEvery = 4

/** Event numbers in records, lines and Parquet files: the payloads of this suite have them as `n`; none where a file is damaged. */
const numbersIn = async (bytes: Uint8Array): Promise<number[]> => {
  const text = Buffer.from(bytes).toString('latin1')
  if (!text.startsWith('PAR1')) return [...text.matchAll(/"n":(\d+)/g)].map(([, digits]) => Number(digits))
  const events = await readParquet(bytes).catch(() => [])
  return events.map(({ fields }) => Number(new Map(fields).get('n')))
}

/** Also those of files that the ledger has set aside, and that the disk would not let move. */
const numbersInQuarantine = async (world: World): Promise<Set<number>> => {
  const { files } = await readLedger(world.disk())
  const isQuarantined = (path: string): boolean => files.get(path.slice('sealed/'.length))?.state.at === 'quarantined'
  const paths = world.disk().paths.filter(path => path.startsWith('_quarantine/') || isQuarantined(path))
  const numbers = await Promise.all(paths.map(async path => await numbersIn(await world.disk().read(path))))
  return new Set(numbers.flat())
}

/** Files that were set aside as damaged without damage, or as unknown, in words. */
const findSpoilt = async (world: World, flipped: ReadonlySet<string>): Promise<string[]> => {
  const { files, damage } = await readLedger(world.disk())
  const spoilt = [...files.values()].flatMap(({ file: { name }, state }) =>
    'reason' in state && / sealed with \d+ bytes /.test(state.reason) && !flipped.has(`sealed/${name}`) ? [name] : [],
  )
  const unknown = damage.values().flatMap(({ file, reason }) => (/does not know/.test(reason) ? [file] : []))
  return [...spoilt.map(name => `${name} is not as it was sealed`), ...unknown.map(name => `${name} is unknown`)]
}

/**
 * Flips one bit of a segment or a sealed file while no process runs, and notes whose events that puts in danger.
 * @returns the file
 */
const damageSomething = async (world: World, random: () => number, damaged: Set<number>): Promise<string> => {
  const paths = world.disk().paths.filter(path => /^(log|sealed)\//.test(path))
  const path = paths[Math.floor(random() * paths.length)]
  if (path === undefined) return ''
  const bytes = world.disk().contents(path)
  if (bytes.length === 0) return path
  const at = Math.floor(random() * bytes.length)
  const { start, end } = path.startsWith('log/') ? inDanger(bytes, at) : { start: 0, end: bytes.length }
  for (const event of await numbersIn(bytes.subarray(start, end))) damaged.add(event)
  world.disk().overwrite(path, bytes.with(at, (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))))
  return path
}

/** What of a segment may be lost with one of its bytes: a record, or all of it where its header was damaged before. */
const inDanger = (bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } => {
  const hit = [...readSegment(bytes, 'log')].find(({ start, end }) => start <= at && at < end)
  if (hit) return hit
  return isHeaderWhole(bytes, 'log') ? { start: 0, end: 0 } : { start: 0, end: bytes.length }
}

/** A consumer takes one committed file. */
const consume = async (world: World, random: () => number, consumed: number[]): Promise<void> => {
  const files = [...(await readFiles(world.fileSystem))]
  const [path, bytes] = files[Math.floor(random() * files.length)] ?? []
  if (path === undefined || bytes === undefined) return
  const numbers = await numbersIn(bytes)
  if (await world.fileSystem.delete(path)) consumed.push(...numbers)
}
