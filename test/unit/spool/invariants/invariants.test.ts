import { describe, expect, test } from 'vitest'
import type { AppendFile } from '../../../../src/disk/disk.ts'
import { createCarrier } from '../../../../src/spool/commit/carry-file.ts'
import type { CommitContext } from '../../../../src/spool/commit/commit.ts'
import { createReaper } from '../../../../src/spool/commit/reaper.ts'
import type { BucketFile, FileRecord } from '../../../../src/spool/files/bucket-file.ts'
import { guardDisk } from '../../../../src/spool/invariants/guard-disk.ts'
import {
  createInvariants,
  type Invariant,
  InvariantBroken,
  type Invariants,
} from '../../../../src/spool/invariants/invariants.ts'
import { openLedger, readLedger } from '../../../../src/spool/ledger/ledger.ts'
import type { LedgerEntry } from '../../../../src/spool/ledger/ledger-entry.ts'
import { checkFigures } from '../../../../src/spool/ledger/ledger-invariants.ts'
import { createLedgerState } from '../../../../src/spool/ledger/ledger-state.ts'
import type { Group } from '../../../../src/spool/log/groups.ts'
import { createLogDoor } from '../../../../src/spool/log/log-door.ts'
import { createLogTally } from '../../../../src/spool/log/log-tally.ts'
import { createLogWriting } from '../../../../src/spool/log/log-writing.ts'
import { createSegmentVersions } from '../../../../src/spool/log/segment-versions.ts'
import { createSegmentWriter } from '../../../../src/spool/log/segment-writer.ts'
import { createSealQueue } from '../../../../src/spool/seal/seal-queue.ts'
import { createMark } from '../../../../src/spool/segment/segment-format.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, silent } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

const bucketFile = (name = 'a.jsonl', segment = 1): BucketFile => ({
  name,
  directory: '/events/Hello',
  segment,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  length: 10,
  crc: 1,
  events: 2,
  oldest: 1,
})

const sealed = (...files: BucketFile[]): LedgerEntry => ({ type: 'sealed', segment: 1, files, damage: [] })
const about = (type: 'requeued' | 'removed'): LedgerEntry => ({ type, name: 'a.jsonl' })
const moving: LedgerEntry = { type: 'moving', name: 'a.jsonl', temporary: '/t' }
const committed: LedgerEntry = { type: 'committed', name: 'a.jsonl', at: 1 }
const quarantined: LedgerEntry = { type: 'quarantined', name: 'a.jsonl', reason: 'r' }
const taken: LedgerEntry = { type: 'taken', name: 'a.jsonl', reason: 'r' }
const files = (at: 'sealed'): LedgerEntry => ({ type: 'files', files: [{ file: bucketFile(), state: { at } }] })

/** A disk whose files give other receipts than they should. */
const createLyingDisk = (file: Partial<AppendFile>) => {
  const disk = createTearingDisk()
  return { ...disk, create: async (path: string) => ({ ...(await disk.create(path)), ...file }) }
}

const group = (length: number, events = 1): Group => ({
  bytes: new Uint8Array(length),
  length,
  events,
  batches: [],
  waiters: [],
})

/** Writes groups of ten bytes to a segment whose file answers so. */
const write = async (invariant: Invariant, answers: Partial<AppendFile>, groups: readonly Group[]) => {
  const disk = createTearingDisk()
  await disk.mkdir('log')
  let isHeader = true
  const writer = createSegmentWriter({
    versions: createSegmentVersions(false),
    disk: {
      ...disk,
      create: async path => {
        const file = await disk.create(path)
        return {
          ...file,
          ...answers,
          append: async bytes => {
            if (!isHeader && answers.append) return await answers.append(bytes)
            isHeader = false
            return await file.append(bytes)
          },
        }
      },
    },
    collectorId: '0'.repeat(32),
    firstSegment: 1,
    ack: 'fsync',
    mark: createMark(),
    now: () => 1,
    onSafe: () => {},
    onClosed: async () => {},
    onUnsynced: () => {},
    invariant,
  })
  await writer.write(groups)
}

const openWith = async (invariant: Invariant, entries: readonly LedgerEntry[], file: Partial<AppendFile> = {}) => {
  const keepDamaged = () => Promise.reject(new Error('nothing is damaged'))
  const ledger = await openLedger(createLyingDisk(file), true, keepDamaged, { invariant })
  for (const entry of entries) await ledger.append(entry)
  return ledger
}

const createQueue = async (invariant: Invariant, append: 'noted' | 'forgotten') => {
  const disk = createTearingDisk()
  const ledger = await openWith(invariant, [])
  const queue = createSealQueue({
    disk,
    ledger: append === 'noted' ? ledger : { ...ledger, append: async () => {} },
    keys: { has: () => true, flush: async () => {} } as never,
    schemas: { note: () => {}, forget: () => false },
    sealing: { atOnce: 1, seal: async () => ({ files: [], keys: [], damage: [] }), forget: async () => {} },
    request: () => ({}) as never,
    now: () => 1,
    outage: { failed: () => {}, worked: () => {} },
    log: silent,
    invariant,
  })
  queue.add({ number: 1 }, { events: 3, bytes: 30, since: 1 }, true)
  return queue
}

const rules: readonly [rule: string, breaks: (invariant: Invariant) => unknown][] = [
  [
    'counts of what is queued are never negative',
    invariant => createLogTally(invariant).settle(group(10), 'writtenEvents'),
  ],
  [
    'what is queued is what the groups hold',
    async invariant => {
      const tally = createLogTally(invariant)
      const door = createLogDoor(createMark(), createSegmentVersions(false), () => {})
      const segment = { write: async () => {}, end: async () => {}, number: 1, events: 0, bytes: 0 } as never
      const failure = { begin: () => {}, retry: () => {}, end: () => {}, check: () => {}, error: undefined }
      const settings = () => ({ maxSegmentBytes: 1, maxUncommittedEvents: 1 })
      const kept = Promise.withResolvers<void>()
      const waiter = { done: kept.resolve, failed: kept.reject }
      tally.queue(jsonBatch([{ a: 1 }]), door.add(jsonBatch([{ a: 1 }]), 1, waiter) + 1)
      await Promise.all([
        kept.promise,
        createLogWriting({ door, segment, tally, failure, settings, invariant }).start(),
      ])
    },
  ],
  [
    'receipts of a segment come in order',
    async invariant => await write(invariant, { append: async () => 7, fdatasync: async () => 1_000 }, [group(10)]),
  ],
  ['a segment only grows', async invariant => await write(invariant, { fdatasync: async () => 1_000 }, [group(0)])],
  [
    'nothing is safe that was not written',
    async invariant => await write(invariant, { fdatasync: async () => 1_000 }, [group(10)]),
  ],
  [
    'the ledger only grows',
    invariant => openWith(invariant, [{ type: 'flush', enabled: false }], { append: async () => 5 }),
  ],
  ['segments are sealed in order, each once', invariant => openWith(invariant, [sealed(), sealed()])],
  [
    'segments are sealed in order, each once',
    async invariant => {
      const ledger = await openWith(invariant, [])
      await Promise.all([ledger.append(sealed()), ledger.append(sealed())])
    },
  ],
  ['the states of a file go in order', invariant => openWith(invariant, [sealed(bucketFile()), taken])],
  [
    'counts of files are never negative',
    invariant => {
      const state = createLedgerState(true)
      state.files.figures.remove(bucketFile(), { at: 'taken', reason: 'r' })
      checkFigures(state, invariant)
    },
  ],
  [
    'each file is counted in one state',
    invariant => {
      const state = createLedgerState(true)
      state.files.figures.add(bucketFile(), { at: 'taken', reason: 'r' })
      checkFigures(state, invariant)
    },
  ],
  [
    'what waits is what is sealed, moving or placed',
    invariant => {
      const { files, ...state } = createLedgerState(true)
      const { figures } = files
      checkFigures(
        {
          ...state,
          files: { ...files, size: 0, figures: { ...figures, waiting: { files: 1, events: 1, bytes: 1 } } },
        } as never,
        invariant,
      )
    },
  ],
  [
    'a queue without segments holds nothing',
    async invariant => {
      const queue = await createQueue(invariant, 'noted')
      Object.assign(queue.waiting, { events: 4 })
      await queue.run()
    },
  ],
  [
    'a segment goes once the ledger has its files',
    async invariant => await (await createQueue(invariant, 'forgotten')).run(),
  ],
  [
    'a file is committed by one at a time',
    async invariant => {
      const record: FileRecord = { file: bucketFile(), state: { at: 'sealed' } }
      const report = { files: 0, events: 0, bytes: 0, failures: 0 }
      const stats = { flushes: 0, flushedEvents: 0, errors: 0, retries: 0, lastError: '' }
      const fileSystem = { publish: () => new Promise(() => {}) }
      const context = {
        fileSystem,
        uploading: new Set(),
        doubtful: new Set(),
        now: () => 1,
      } as unknown as CommitContext
      const carry = createCarrier({
        context,
        moves: {} as never,
        outage: { failed: () => {} },
        log: silent,
        stats,
        invariant,
      })
      void carry(record, report)
      await carry(record, report)
    },
  ],
  [
    'only copies of committed files are removed',
    async invariant => {
      const { state, ...ledger } = await openWith(invariant, [sealed(bucketFile())])
      const lying = { ...state, files: { ...state.files, committed: () => state.files.values() } }
      const keepCommittedMs = () => 0
      const reap = createReaper({
        disk: createTearingDisk(),
        ledger: { ...ledger, state: lying },
        keepCommittedMs,
        now: () => 1,
        invariant,
      })
      await reap(true)
    },
  ],
]

test.each(rules)('%s', async (rule, breaks) => {
  const seen: InvariantBroken[] = []
  const { invariant } = createInvariants(broken => seen.push(broken))
  await Promise.resolve()
    .then(() => breaks(invariant))
    .catch(() => {})
  expect(seen.map(broken => broken.invariant)).toEqual([rule])
  expect(Object.keys(seen[0]?.figures ?? {})).not.toEqual([])
})

describe('the states of a file', () => {
  const before: Readonly<Record<string, readonly LedgerEntry[]>> = {
    unknown: [],
    sealed: [sealed(bucketFile())],
    moving: [sealed(bucketFile()), moving],
    committed: [sealed(bucketFile()), moving, committed],
    quarantined: [sealed(bucketFile()), quarantined],
    taken: [sealed(bucketFile()), moving, taken],
  }
  const next: Readonly<Record<string, LedgerEntry>> = {
    moving,
    committed,
    quarantined,
    taken,
    requeued: about('requeued'),
    removed: about('removed'),
    'sealed again': { ...sealed(bucketFile()), segment: 2 } as LedgerEntry,
    'noted again': files('sealed'),
  }
  /** The states that may follow each state; what the file system has never comes back. */
  const legal: Readonly<Record<string, readonly string[]>> = {
    unknown: ['removed', 'sealed again', 'noted again'],
    sealed: ['moving', 'committed', 'quarantined', 'requeued', 'sealed again', 'noted again'],
    moving: ['moving', 'committed', 'quarantined', 'taken', 'requeued', 'sealed again'],
    committed: ['committed', 'removed', 'sealed again'],
    quarantined: ['requeued', 'removed', 'sealed again', 'noted again'],
    taken: ['requeued', 'removed', 'sealed again', 'noted again'],
  }

  test.each(Object.keys(legal))('%s', async state => {
    const possible: string[] = []
    for (const [name, entry] of Object.entries(next)) {
      const ledger = await openWith(createInvariants(() => {}).invariant, before[state] ?? [])
      const kept = await ledger.append(entry).then(
        () => true,
        error => {
          expect(error).toBeInstanceOf(InvariantBroken)
          return false
        },
      )
      if (kept) possible.push(name)
    }
    expect(possible).toEqual(legal[state])
  })

  test('a segment that is sealed again leaves files as they are that the file system has, or may have', async () => {
    const again = { type: 'sealed', files: [bucketFile(), bucketFile('b.jsonl', 2)], damage: [] } as const
    for (const last of [moving, committed]) {
      const invariants = createInvariants(() => {})
      const ledger = await openWith(invariants.invariant, [sealed(bucketFile()), moving, last])
      await ledger.append({ ...again, segment: 2 })
      expect(['a.jsonl', 'b.jsonl'].map(name => ledger.state.files.get(name)?.state.at)).toEqual([last.type, 'sealed'])
      // What comes with it goes by that: the one may follow on "moving" alone, the other on anything but "committed".
      const next = ledger.append({ ...again, segment: 3 }, last === moving ? taken : quarantined)
      await next.catch(() => {})
      expect(invariants.broken?.figures).toEqual(
        last === moving ? undefined : { file: 'a.jsonl', before: 'committed', entry: 'quarantined' },
      )
    }
  })

  test('an entry that comes with the one before counts from that one on, and nothing of either is written', async () => {
    const disk = createTearingDisk()
    const invariants = createInvariants(() => {})
    const keepDamaged = () => Promise.reject(new Error('nothing is damaged'))
    const ledger = await openLedger(guardDisk(disk, invariants), true, keepDamaged, invariants)
    await ledger.append(sealed(bucketFile()))
    await expect(Promise.all([ledger.append(committed), ledger.append(taken)])).rejects.toThrow(InvariantBroken)
    expect(ledger.state.files.get('a.jsonl')?.state).toEqual({ at: 'sealed' })
    expect((await readLedger(disk.kill())).files.get('a.jsonl')?.state).toEqual({ at: 'sealed' })
  })
})

describe('a spool whose invariant does not hold', () => {
  /** A spool with one event that is kept, and a disk whose next receipt of the log will be wrong. */
  const open = async () => {
    const disk = createTearingDisk()
    const fileSystem = createMemoryFileSystem()
    let isWrong = false
    const lines: { readonly fields: object; readonly message: string }[] = []
    const tell = (fields: object, message: string): void => void lines.push({ fields, message })
    let broken = 0
    const opened = await openTestSpool({
      disk: {
        ...disk,
        create: async path => {
          const file = await disk.create(path)
          return {
            ...file,
            append: async bytes => (await file.append(bytes)) + (isWrong && path.startsWith('log/') ? 1 : 0),
          }
        },
      },
      fileSystem,
      log: { ...silent, warn: tell, error: tell },
      onBroken: () => broken++,
    })
    await opened.spool.append(jsonBatch([{ a: 1 }]))
    return { ...opened, disk, fileSystem, lines, breakIt: () => (isWrong = true), broken: () => broken }
  }

  test('says so once, with its figures; takes and writes nothing more; and a start has all that was acknowledged', async () => {
    const { spool, beat, clock, disk, fileSystem, lines, breakIt, broken } = await open()
    breakIt()
    await expect(spool.append(jsonBatch([{ a: 2 }]))).rejects.toThrow('could not be cut off')
    const told = lines.filter(({ fields }) => 'invariant' in fields)
    expect(told).toEqual([
      {
        message: 'the spool found an internal contradiction and stops; the next start recovers from the disk',
        fields: expect.objectContaining({
          invariant: 'receipts of a segment come in order',
          segment: 1,
          end: expect.any(Number),
        }),
      },
    ])
    expect(broken()).toBe(1)
    await expect(spool.append(jsonBatch([{ a: 3 }]))).rejects.toMatchObject({ status: 503, code: 'draining' })
    expect(spool.stats()).toMatchObject({ accepting: false, refusal: 'stopped: receipts of a segment come in order' })
    await expect(spool.disableFlush()).rejects.toMatchObject({ status: 503 })
    await expect(spool.drainStatus()).rejects.toMatchObject({ status: 503 })
    const said = lines.length
    const before = new Map(disk.paths.map(path => [path, disk.contents(path)]))
    clock.ms += 3_600_000
    await beat()
    await spool.close()
    expect(lines.slice(said)).toEqual([])
    expect(new Map(disk.paths.map(path => [path, disk.contents(path)]))).toEqual(before)
    expect(await readEvents(fileSystem)).toEqual([])

    const next = await openTestSpool({ disk: disk.kill(), fileSystem, clock })
    await next.spool.close()
    // The second one had no answer, and is on the disk.
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['a'])).toEqual([1, 2])
  })
})

describe('createInvariants', () => {
  const invariantsOf = (): Invariants & { readonly seen: string[] } => {
    const seen: string[] = []
    const invariants = createInvariants(broken => seen.push(broken.invariant))
    return {
      invariant: invariants.invariant,
      check: () => invariants.check(),
      seen,
      get broken() {
        return invariants.broken
      },
    }
  }

  test('does not ask for figures while all holds', () => {
    const invariants = invariantsOf()
    invariants.invariant(true, 'a', () => expect.unreachable())
    expect([invariants.broken, invariants.seen]).toEqual([undefined, []])
    expect(() => invariants.check()).not.toThrow()
  })

  test('throws the first one, and no other: the cleanup after it runs to its end', () => {
    const invariants = invariantsOf()
    expect(() => invariants.invariant(false, 'a', () => ({ n: 1 }))).toThrow(InvariantBroken)
    expect(() => invariants.invariant(false, 'b', () => ({ n: 2 }))).not.toThrow()
    expect(invariants.broken).toMatchObject({ invariant: 'a', figures: { n: 1 }, status: 503 })
    expect(invariants.seen).toEqual(['a'])
    expect(() => invariants.check()).toThrow(InvariantBroken)
  })
})
