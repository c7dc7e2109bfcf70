/**
 * The ledger: the state of each sealed file. The header (see `format-header.ts`) is followed by frames of type 1 whose
 * payload is one {@link LedgerEntry} as JSON. It is rewritten, as a snapshot of many small entries, at each start and
 * when it has grown; a rename puts the new one in place. It is never in memory as a whole.
 */
import type { AppendFile, Disk } from '../../disk/disk.ts'
import { isDiskFull } from '../../disk/is-disk-full.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { UnknownWord } from '../framing/check.ts'
import { encodeHeader, formats, streamFormat, UnknownFormat } from '../framing/format-header.ts'
import { frameHeaderBytes, isTornFrame, toFrame } from '../framing/framing.ts'
import { type Invariant, invariantAlone } from '../invariants/invariants.ts'
import type { Damage } from './damage-list.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { parseEntry } from './ledger-entry.ts'
import { checkEntries, checkFigures } from './ledger-invariants.ts'
import { applyEntry, createLedgerState, type LedgerState } from './ledger-state.ts'
import { toSnapshot } from './to-snapshot.ts'

const path = 'ledger'
/** Not `ledger.next`, as in 0.1.0: see `formats.ts`. */
const nextPath = 'ledger.new'

/** The ledger is rewritten once it is this large, and at least twice as large as its last snapshot. */
const compactBytes = 16 << 20

/** Entries applied in one turn of the event loop; the largest hold some hundred files. */
const entriesPerTurn = 4

export type Ledger = {
  readonly state: LedgerState
  /** Resolves when the entries are synced; they count from then on. Concurrent calls share one sync. */
  append(...entries: LedgerEntry[]): Promise<void>
  close(): Promise<void>
}

/** Keeps an unreadable end of the ledger somewhere safe, and says what it did; called until it succeeds once. */
export type KeepDamaged = (bytes: Uint8Array) => Promise<Damage>

/** Looks at what the ledger says before anything is written: what it throws leaves all as it is. */
export type Inspect = (state: LedgerState) => Promise<void>

/** Puts keys that an earlier version kept in the ledger where they are safe without it; called until it succeeds once. */
export type KeepKeys = () => Promise<void>

export type LedgerOptions = {
  readonly inspect?: Inspect
  readonly keepKeys?: KeepKeys
  readonly invariant?: Invariant
}

/**
 * Reads the ledger and rewrites it. On a full disk the rewrite waits for space, and the ledger takes no entries until
 * then.
 * @throws UnknownFormat when another version wrote it; nothing is changed then
 */
export const openLedger = async (
  disk: Disk,
  flushEnabled: boolean,
  keepDamaged: KeepDamaged,
  { inspect, keepKeys, invariant = invariantAlone }: LedgerOptions = {},
): Promise<Ledger> => {
  const state = createLedgerState(flushEnabled)
  let damaged = await readRest(disk, await replay(disk, state))
  if (isTornEnd(damaged)) damaged = new Uint8Array()
  await inspect?.(state)
  let snapshotBytes = 0
  let length = 0

  const rewrite = async (): Promise<AppendFile> => {
    if (damaged.length > 0) {
      // Before the file that holds them is replaced.
      state.damage.add([await keepDamaged(damaged)])
      damaged = new Uint8Array()
    }
    if (state.oldKeys.length > 0) {
      await keepKeys?.()
      state.oldKeys.length = 0
    }
    const written = await writeLedger(disk, state)
    snapshotBytes = length = written.length
    return written.file
  }

  // Undefined after a failure: what the file holds is unknown then, and it may not even be the one under the name.
  let file: AppendFile | undefined = await rewrite().catch((error: unknown) => {
    if (isDiskFull(error)) return undefined
    throw error
  })
  let waiting: {
    readonly entries: readonly LedgerEntry[]
    readonly resolve: () => void
    readonly reject: (e: unknown) => void
  }[] = []
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        file ??= await rewrite()
        const entries = batch.flatMap(one => one.entries)
        checkEntries(state, entries, invariant)
        length = await appendSafely(file, Buffer.concat(entries.map(encode)), length, invariant)
        for (const entry of entries) applyEntry(state, entry)
        checkFigures(state, invariant)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        // The state in memory is what was acknowledged: that is written, now or before the next entry.
        await renew()
        for (const { reject } of batch) reject(error)
        continue
      }
      if (length > Math.max(compactBytes, 2 * snapshotBytes)) await renew()
    }
    running = undefined
  }

  const renew = async (): Promise<void> => {
    const old = file
    file = undefined
    await old?.close().catch(() => {})
    file = await rewrite().catch(() => undefined)
  }

  return {
    state,
    append: (...entries) =>
      new Promise((resolve, reject) => {
        waiting.push({ entries, resolve, reject })
        running ??= Promise.resolve().then(run)
      }),
    close: async () => {
      await running
      await file?.close()
    },
  }
}

/** Writes a ledger of this state in place of the one that is there; its file stays open. */
export const writeLedger = async (
  disk: Disk,
  state: LedgerState,
): Promise<{ readonly file: AppendFile; readonly length: number }> => {
  await disk.unlink(nextPath)
  const file = await disk.create(nextPath)
  try {
    let length = await file.append(encodeHeader('ledger'))
    // The disk yields to other work after each of them.
    for (const entry of toSnapshot(state)) length = await file.append(encode(entry))
    await file.fdatasync()
    await disk.rename(nextPath, path)
    await disk.fsyncDir('.')
    return { file, length }
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

/** Appends to a file of this length; resolves to its new length once all of it is synced. */
const appendSafely = async (
  file: AppendFile,
  bytes: Uint8Array,
  length: number,
  invariant: Invariant,
): Promise<number> => {
  const end = await file.append(bytes)
  const grown = end - length
  invariant(grown === bytes.length, 'the ledger only grows', () => ({ grown, written: bytes.length }))
  const safe = await file.fdatasync()
  if (safe < end) throw new Error(`The ledger is safe up to ${safe} of ${end} bytes`)
  return end
}

/** Reads the ledger without changing it, for the tools that look at a spool offline. */
export const readLedger = async (disk: Pick<Disk, 'stream'>): Promise<LedgerState> => {
  const state = createLedgerState(true)
  await replay(disk, state)
  return state
}

/** @returns where the valid prefix ends @throws UnknownFormat */
const replay = async (disk: Pick<Disk, 'stream'>, state: LedgerState): Promise<number> => {
  const frames = streamFormat(readOrEmpty(disk), path, 'ledger')
  let entries = 0
  for (;;) {
    const next = await frames.next()
    if (next.done) return next.value
    for (const { payload, start } of next.value.frames) {
      let entry: LedgerEntry
      try {
        entry = parseEntry(payload)
      } catch (error) {
        if (error instanceof UnknownWord)
          throw new UnknownFormat(path, 'ledger', next.value.version, `${error.message} at byte ${start}`)
        // Its CRC fits, so no disk did this; but no start may fail of what the ledger holds.
        return start
      }
      applyEntry(state, entry)
      // A piece of the file holds many: other work gets turns meanwhile.
      if (++entries % entriesPerTurn === 0) await nextTurn()
    }
  }
}

/** Whether the bytes after the valid prefix are an entry that `kill -9` cut short, before it was acknowledged. */
export const isTornEnd = (rest: Uint8Array): boolean => {
  if (!isTornFrame(rest)) return false
  try {
    JSON.parse(new TextDecoder().decode(rest.subarray(frameHeaderBytes)))
    // The entry is whole, so it is the length in front of it that is not.
    return false
  } catch {
    return true
  }
}

/** The bytes after the valid prefix. */
const readRest = async (disk: Disk, end: number): Promise<Uint8Array> => {
  try {
    return await disk.read(path, end)
  } catch (error) {
    return emptyIfMissing(error)
  }
}

async function* readOrEmpty(disk: Pick<Disk, 'stream'>): AsyncGenerator<Uint8Array> {
  try {
    yield* disk.stream(path)
  } catch (error) {
    emptyIfMissing(error)
  }
}

const emptyIfMissing = (error: unknown): Uint8Array => {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array()
  throw error
}

const encode = (entry: LedgerEntry): Uint8Array =>
  toFrame(formats.ledger.frames.entry, new TextEncoder().encode(JSON.stringify(entry)))
