import type { KeptKey } from '../batch.ts'
import { type BucketFile, type FileRecord, isConflict, waitsForPerson } from '../files/bucket-file.ts'
import { segmentInName } from '../files/spool-paths.ts'
import { createDamageList, type Damage, type DamageList } from './damage-list.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { createFileTable, type FileTable } from './table/file-table.ts'

/** What the ledger's entries add up to. */
export type LedgerState = {
  /** Segments that took events, and are not sealed; those that are closed or have an end included. */
  readonly opened: Set<number>
  /** Events of the whole segments that wait to be sealed. */
  readonly closed: Map<number, number>
  /** Where broken segments end: kept as long as one could be sealed again, somewhere. */
  readonly ends: Map<number, number>
  lastSealed: number
  /** Segments up to that one which are sealed again all the same: this machine has their log alone. */
  readonly reopened: Set<number>
  readonly files: FileTable
  /** The newest files of idempotency keys and of ids of events that were ever noted; 0 before the first. */
  keyFile: number
  idFile: number
  /** Keys that 0.1.0 left in the ledger, until they are elsewhere. */
  readonly oldKeys: KeptKey[]
  readonly damage: DamageList
  /**
   * What is decided about for good: names of files that were removed before they were in the file system, and pieces
   * that were. Sealing its segment again does not bring it back.
   */
  readonly settled: Map<string, Damage | undefined>
  flushEnabled: boolean
  /** Nothing is taken any more, and everything goes to the file system, whether flushing is enabled or not. */
  drained: boolean
  /** Events committed over all runs of this spool. */
  flushedEvents: number
}

export const createLedgerState = (flushEnabled: boolean): LedgerState => ({
  opened: new Set(),
  closed: new Map(),
  ends: new Map(),
  lastSealed: 0,
  reopened: new Set(),
  files: createFileTable(),
  keyFile: 0,
  idFile: 0,
  oldKeys: [],
  damage: createDamageList(),
  settled: new Map(),
  flushEnabled,
  drained: false,
  flushedEvents: 0,
})

/** Whether files go to the file system by themselves. */
export const isCarrying = ({ flushEnabled, drained }: LedgerState): boolean => flushEnabled || drained

/** Whether a segment was sealed, and nothing more is to be done with its log. */
export const isSealed = (
  { lastSealed, reopened }: Pick<LedgerState, 'lastSealed' | 'reopened'>,
  segment: number,
): boolean => segment <= lastSealed && !reopened.has(segment)

/**
 * Whether the file system has a file, or may have it: a segment that is sealed again, because a damaged ledger has forgotten
 * that it was, or another collector has the log alone, does not send it again.
 */
export const isSent = (at: FileRecord['state']['at'] | 'unknown' | undefined): boolean =>
  at === 'moving' || at === 'placed' || at === 'committed' || at === 'taken'

/** Whether the file system has the file as the ledger knows it. */
const isInPlace = ({ at }: FileRecord['state']): boolean => at === 'placed' || at === 'committed'

/** Applies one entry. Entries about files that are gone are ignored: a repeated step changes nothing. */
export const applyEntry = (state: LedgerState, entry: LedgerEntry): void => {
  switch (entry.type) {
    case 'opened':
      if (!isSealed(state, entry.segment)) state.opened.add(entry.segment)
      return
    case 'closed':
      if (!isSealed(state, entry.segment)) state.closed.set(entry.segment, entry.events)
      state.keyFile = Math.max(state.keyFile, entry.keyFile ?? 0)
      state.idFile = Math.max(state.idFile, entry.idFile ?? 0)
      for (const key of entry.keys ?? []) state.oldKeys.push(key)
      return
    case 'end':
      if (!isSealed(state, entry.segment)) state.ends.set(entry.segment, entry.end)
      return
    case 'damaged':
      state.damage.add(entry.damage)
      return
    case 'sealed':
      noteSealedFiles(state.files, entry.files)
      for (const key of entry.keys ?? []) state.oldKeys.push(key)
      if (state.reopened.has(entry.segment)) forgetFirst(state, entry)
      state.damage.add(entry.damage)
      state.lastSealed = Math.max(state.lastSealed, entry.segment)
      state.reopened.delete(entry.segment)
      for (const segment of state.opened) if (isSealed(state, segment)) state.opened.delete(segment)
      for (const segment of state.closed.keys()) if (isSealed(state, segment)) state.closed.delete(segment)
      return
    case 'reopened':
      for (const known of [state.reopened, state.opened]) for (const segment of entry.segments) known.add(segment)
      return
    case 'moving':
      setState(state, entry.name, { at: 'moving', temporary: entry.temporary })
      return
    case 'placed':
      setState(state, entry.name, { at: 'placed' })
      return
    case 'committed': {
      const record = state.files.get(entry.name)
      if (record && record.state.at !== 'committed') state.flushedEvents += record.file.events
      setState(state, entry.name, { at: 'committed', since: entry.at })
      return
    }
    case 'quarantined': {
      const { type: at, name, ...why } = entry
      setState(state, name, { at, ...why })
      return
    }
    case 'taken':
      setState(state, entry.name, { at: 'taken', reason: entry.reason })
      return
    case 'requeued':
      setState(state, entry.name, { at: 'sealed' })
      return
    case 'removed':
      noteRemoved(state, entry.name)
      return
    case 'resolved':
    case 'replaced':
      noteResolved(state, entry.file)
      if (entry.type === 'replaced') state.damage.add([entry.by])
      return
    case 'settled':
      for (const name of entry.names) state.settled.set(name, undefined)
      for (const piece of entry.pieces) state.settled.set(piece.file, piece)
      return
    case 'flush':
      state.flushEnabled = entry.enabled
      return
    case 'drained':
      state.drained = entry.drained
      return
    case 'files':
      for (const record of entry.files) state.files.set(record)
      return
    case 'snapshot':
      applySnapshot(state, entry)
      return
  }
}

const applySnapshot = (state: LedgerState, entry: Extract<LedgerEntry, { type: 'snapshot' }>): void => {
  for (const segment of entry.opened ?? []) state.opened.add(segment)
  state.keyFile = entry.keyFile ?? 0
  state.idFile = entry.idFile ?? 0
  for (const [segment, events] of entry.closed ?? []) state.closed.set(segment, events)
  for (const [segment, end] of entry.ends) state.ends.set(segment, end)
  for (const record of entry.files) state.files.set(record)
  for (const key of entry.keys ?? []) state.oldKeys.push(key)
  state.damage.add(entry.damage)
  state.lastSealed = entry.lastSealed
  state.flushEnabled = entry.flushEnabled
  state.flushedEvents = entry.flushedEvents
}

/** Segments that are not sealed, and that have to be there: where one is not, it is lost. */
export const notedSegments = (state: LedgerState): ReadonlySet<number> =>
  new Set([...state.opened, ...state.closed.keys(), ...[...state.ends.keys()].filter(one => !isSealed(state, one))])

/** Segments of which a file is not committed, or a piece is set aside: where this machine is lost these files are made again. */
export const unsettledSegments = ({ files, damage }: LedgerState): ReadonlySet<number> => {
  const unsettled = new Set<number>()
  for (const records of [files.waiting(), ...unsettledStates.map(at => files.inState(at))])
    for (const { file } of records) unsettled.add(file.segment)
  for (const { file, lost, torn } of damage.values()) if (!lost && !torn) unsettled.add(segmentInName(file))
  return unsettled
}

const unsettledStates = ['placed', 'quarantined', 'taken'] as const

/**
 * Of a segment that is sealed again what was set aside the first time is as it is found now. Files that are not made any more are gone:
 * what they would hold is set aside, unless the segment is lost.
 */
const forgetFirst = (
  state: LedgerState,
  { segment, files, damage }: Extract<LedgerEntry, { type: 'sealed' }>,
): void => {
  for (const { file } of damage) state.damage.resolve(file)
  if (damage.some(({ lost }) => lost)) return
  const made = new Set(files.map(({ name }) => name))
  const known = Array.from(state.files.ofSegments(one => one === segment))
  for (const { file, state: now } of known) {
    const isOnlyHere = now.at === 'sealed' || (now.at === 'quarantined' && !isConflict(now))
    if (isOnlyHere && !made.has(file.name)) noteRemoved(state, file.name)
  }
}

/** What is not in the file system is gone for good: a segment that is sealed again does not bring it back. */
const noteRemoved = ({ files, settled }: LedgerState, name: string): void => {
  const at = files.get(name)?.state.at
  if (at !== undefined && at !== 'committed') settled.set(name, undefined)
  files.delete(name)
}

const noteResolved = ({ damage, settled }: LedgerState, file: string): void => {
  const piece = damage.get(file)
  const before = settled.get(file)?.refused
  const refused = before && piece ? { refused: [...before, ...(piece.refused ?? [])] } : {}
  if (piece && !piece.lost) settled.set(file, { ...piece, ...refused })
  damage.resolve(file)
}

const noteSealedFiles = (files: FileTable, made: readonly BucketFile[]): void => {
  for (const file of made) {
    const known = files.get(file.name)
    const record = toSealed(file, known)
    if (record !== known) files.set(record)
  }
}

/** A file that was made from its segment, the first time or again: what was decided about it before stays. */
export const toSealed = (made: BucketFile, known: FileRecord | undefined): FileRecord => {
  if (known === undefined) return { file: made, state: { at: 'sealed' } }
  const { file: before, state } = known
  if (isInPlace(state)) return known
  if (state.at === 'moving') {
    const { length, crc } = made
    const isSame = length === before.length && crc === before.crc
    return isSame ? known : { file: before, state: { ...state, anew: { length, crc } } }
  }
  const { directory, targetName } = before
  const file = { ...made, directory, ...(targetName === undefined ? {} : { targetName }) }
  return { file, state: isSent(state.at) || waitsForPerson(state) ? state : { at: 'sealed' } }
}

/** The file on the local disk, which may differ from the one that may be in the file system. */
export const toLocalFile = ({ file, state }: FileRecord): BucketFile =>
  state.at === 'moving' && state.anew ? { ...file, ...state.anew } : file

const setState = (state: LedgerState, name: string, at: FileRecord['state']): void => {
  const record = state.files.get(name)
  if (record) state.files.set({ file: isInPlace(at) ? record.file : toLocalFile(record), state: at })
}
