import type { CodecName } from '../codecs/codecs.ts'
import type { Outcome } from './batch.ts'
import { createDamageList, type DamageList } from './damage-list.ts'
import { createFileTable, type FileTable } from './table/file-table.ts'

/** How a bucket file is written: the predecessor's own formats, Hadoop sequence files, or JSON lines. */
export const outputFormats = ['native', 'sequencefile', 'jsonl'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** A bucket file as it was sealed: every commit and retry copies exactly these bytes to exactly this path. */
export type BucketFile = {
  /** `<sealed-at>-<collector-id>-<segment>-<part>.<ext>`; unique, and the key of the file in the ledger. */
  readonly name: string
  /** Absolute directory in the file system. */
  readonly directory: string
  readonly segment: number
  readonly format: OutputFormat
  readonly codec: CodecName
  readonly kind: 'smile' | 'thrift'
  readonly length: number
  readonly crc: number
  readonly events: number
  /** When its oldest event was kept, ms since the epoch. */
  readonly oldest: number
}

/** An idempotency key with what its request was answered. */
export type KeptKey = {
  readonly key: string
  readonly fingerprint: string
  readonly outcome: Outcome
  /** When it was kept, ms since the epoch. */
  readonly at: number
}

/** Bytes or events that could not be turned into bucket files, kept in `_quarantine/` for a person to look at. */
export type Damage = {
  readonly file: string
  readonly bytes: number
  /** Known number of events; 0 for bytes that cannot be read. */
  readonly events: number
  readonly reason: string
  /** The bytes are nowhere: there is nothing in quarantine. @default false */
  readonly lost?: boolean | undefined
}

/** What a start has to know of a segment. */
export type SegmentFacts = { readonly events: number }

/** Idempotency keys as 0.1.0 kept them: since then they stand in files of their own (`keys/`). */
type OldKeys = { readonly keys?: readonly KeptKey[] | undefined }

/** One step in the life of the spool, as the ledger keeps it. */
export type LedgerEntry =
  /** The segment takes events from now on: should its file be gone later, somebody has to say so. */
  | { readonly type: 'opened'; readonly segment: number }
  /** The segment is whole and synced: a start needs to know no more of it, and leaves reading it to whoever seals it. */
  | ({ readonly type: 'closed'; readonly segment: number } & SegmentFacts & OldKeys)
  /** A failed write: nothing of the segment beyond `end` may ever be read. */
  | { readonly type: 'end'; readonly segment: number; readonly end: number }
  /** What a start could not make sense of, set aside in quarantine. */
  | { readonly type: 'damaged'; readonly damage: readonly Damage[] }
  /** The segment's events now stand in these files, and its log file can go. */
  | {
      readonly type: 'sealed'
      readonly segment: number
      readonly files: readonly BucketFile[]
      readonly keys?: readonly KeptKey[] | undefined
      readonly damage: readonly Damage[]
    }
  /** The file stands complete under this temporary path, and from now on its RENAME to the final path may be sent. */
  | { readonly type: 'moving'; readonly name: string; readonly temporary: string }
  | { readonly type: 'committed'; readonly name: string; readonly at: number }
  /** The file system refused it for ever. */
  | { readonly type: 'quarantined'; readonly name: string; readonly reason: string }
  /** Its RENAME had no answer, and it stands neither here nor there: perhaps its consumer has it, perhaps nobody. */
  | { readonly type: 'taken'; readonly name: string; readonly reason: string }
  /** To be sent again: out of quarantine or `_taken/`, or because what was sent is gone and was surely not renamed. */
  | { readonly type: 'requeued'; readonly name: string }
  /** The local copy of a committed file is gone. */
  | { readonly type: 'removed'; readonly name: string }
  /** Somebody took care of a damaged piece in quarantine: it counts no longer. */
  | { readonly type: 'resolved'; readonly file: string }
  | { readonly type: 'flush'; readonly enabled: boolean }
  /**
   * Everything so far, when the ledger is written anew. Files and pieces follow in entries of their own; those of 0.1.0
   * stand in it.
   */
  | {
      readonly type: 'snapshot'
      /** @default none: earlier versions have no such thing */
      readonly closed?: readonly (readonly [segment: number, events: number])[] | undefined
      /** @default none, as of 0.1.0 */
      readonly opened?: readonly number[] | undefined
      readonly ends: readonly (readonly [segment: number, end: number])[]
      readonly lastSealed: number
      readonly files: readonly FileRecord[]
      readonly keys?: readonly KeptKey[] | undefined
      readonly damage: readonly Damage[]
      readonly flushEnabled: boolean
      readonly flushedEvents: number
    }

  /** Some of the files of a snapshot. */
  | { readonly type: 'files'; readonly files: readonly FileRecord[] }

/** A bucket file and where it is on its way. */
export type FileRecord = {
  readonly file: BucketFile
  readonly state:
    | { readonly at: 'sealed' }
    | { readonly at: 'moving'; readonly temporary: string }
    | { readonly at: 'committed'; readonly since: number }
    | { readonly at: 'quarantined'; readonly reason: string }
    | { readonly at: 'taken'; readonly reason: string }
}

/** What the ledger's entries add up to. */
export type LedgerState = {
  /** Segments that took events, and are not sealed; those that are closed or have an end included. */
  readonly opened: Set<number>
  /** Events of the whole segments that wait to be sealed. */
  readonly closed: Map<number, number>
  readonly ends: Map<number, number>
  lastSealed: number
  readonly files: FileTable
  /** Keys that 0.1.0 left in the ledger, until they are elsewhere. */
  readonly oldKeys: KeptKey[]
  readonly damage: DamageList
  flushEnabled: boolean
  /** Events committed over all runs of this spool. */
  flushedEvents: number
}

export const createLedgerState = (flushEnabled: boolean): LedgerState => ({
  opened: new Set(),
  closed: new Map(),
  ends: new Map(),
  lastSealed: 0,
  files: createFileTable(),
  oldKeys: [],
  damage: createDamageList(),
  flushEnabled,
  flushedEvents: 0,
})

/** Applies one entry. Entries about files that are gone are ignored: a repeated step changes nothing. */
export const applyEntry = (state: LedgerState, entry: LedgerEntry): void => {
  switch (entry.type) {
    case 'opened':
      if (entry.segment > state.lastSealed) state.opened.add(entry.segment)
      return
    case 'closed':
      if (entry.segment > state.lastSealed) state.closed.set(entry.segment, entry.events)
      for (const key of entry.keys ?? []) state.oldKeys.push(key)
      return
    case 'end':
      if (entry.segment > state.lastSealed) state.ends.set(entry.segment, entry.end)
      return
    case 'damaged':
      state.damage.add(entry.damage)
      return
    case 'sealed':
      for (const file of entry.files) state.files.set({ file, state: { at: 'sealed' } })
      for (const key of entry.keys ?? []) state.oldKeys.push(key)
      state.damage.add(entry.damage)
      state.ends.delete(entry.segment)
      state.lastSealed = Math.max(state.lastSealed, entry.segment)
      for (const segment of state.opened) if (segment <= state.lastSealed) state.opened.delete(segment)
      for (const segment of state.closed.keys()) if (segment <= state.lastSealed) state.closed.delete(segment)
      return
    case 'moving':
      setState(state, entry.name, { at: 'moving', temporary: entry.temporary })
      return
    case 'committed': {
      const record = state.files.get(entry.name)
      if (record && record.state.at !== 'committed') state.flushedEvents += record.file.events
      setState(state, entry.name, { at: 'committed', since: entry.at })
      return
    }
    case 'quarantined':
    case 'taken':
      setState(state, entry.name, { at: entry.type, reason: entry.reason })
      return
    case 'requeued':
      setState(state, entry.name, { at: 'sealed' })
      return
    case 'removed':
      state.files.delete(entry.name)
      return
    case 'resolved':
      state.damage.resolve(entry.file)
      return
    case 'flush':
      state.flushEnabled = entry.enabled
      return
    case 'files':
      for (const record of entry.files) state.files.set(record)
      return
    case 'snapshot':
      for (const segment of entry.opened ?? []) state.opened.add(segment)
      for (const [segment, events] of entry.closed ?? []) state.closed.set(segment, events)
      for (const [segment, end] of entry.ends) state.ends.set(segment, end)
      for (const record of entry.files) state.files.set(record)
      for (const key of entry.keys ?? []) state.oldKeys.push(key)
      state.damage.add(entry.damage)
      state.lastSealed = entry.lastSealed
      state.flushEnabled = entry.flushEnabled
      state.flushedEvents = entry.flushedEvents
      return
  }
}

/** Files, and pieces, in one entry of a snapshot: some 200 KB. */
const recordsPerEntry = 500

/** The state as entries from which {@link applyEntry} makes it again: many small ones, whatever it holds. */
export function* toSnapshot(state: LedgerState): Generator<LedgerEntry, void, undefined> {
  yield {
    type: 'snapshot',
    opened: [...state.opened],
    closed: [...state.closed],
    ends: [...state.ends],
    lastSealed: state.lastSealed,
    files: [],
    damage: [],
    flushEnabled: state.flushEnabled,
    flushedEvents: state.flushedEvents,
  }
  for (const files of inLots(state.files.values())) yield { type: 'files', files }
  for (const damage of inLots(state.damage.values())) yield { type: 'damaged', damage }
}

function* inLots<T>(all: Iterable<T>): Generator<readonly T[], void, undefined> {
  let lot: T[] = []
  for (const one of all) {
    lot.push(one)
    if (lot.length < recordsPerEntry) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}

const setState = (state: LedgerState, name: string, at: FileRecord['state']): void => {
  const record = state.files.get(name)
  if (record) state.files.set({ file: record.file, state: at })
}
