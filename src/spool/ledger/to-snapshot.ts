/** The state of the ledger as entries. */
import { segmentInName } from '../files/spool-paths.ts'
import type { Damage } from './damage-list.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { isSealed, type LedgerState, unsettledSegments } from './ledger-state.ts'

const endsToKeep = (state: LedgerState): readonly (readonly [segment: number, end: number])[] => {
  const ends = [...state.ends]
  if (ends.every(([segment]) => !isSealed(state, segment))) return ends
  const unsettled = unsettledSegments(state)
  return ends.filter(([segment]) => !isSealed(state, segment) || unsettled.has(segment))
}

const settledToKeep = (state: LedgerState): readonly (readonly [name: string, piece: Damage | undefined])[] => {
  if (state.settled.size === 0) return []
  const unsettled = unsettledSegments(state)
  return [...state.settled].filter(([name]) => unsettled.has(segmentInName(name)))
}

/** Files, and pieces, in one entry of a snapshot: some 200 KB. */
const recordsPerEntry = 500

/** The state as entries from which `applyEntry` makes it again: many small ones, whatever it holds. */
export function* toSnapshot(state: LedgerState): Generator<LedgerEntry, void, undefined> {
  yield {
    type: 'snapshot',
    opened: [...state.opened],
    ...(state.keyFile > 0 ? { keyFile: state.keyFile } : {}),
    ...(state.idFile > 0 ? { idFile: state.idFile } : {}),
    closed: [...state.closed],
    ends: endsToKeep(state),
    lastSealed: state.lastSealed,
    files: [],
    damage: [],
    flushEnabled: state.flushEnabled,
    flushedEvents: state.flushedEvents,
  }
  // Entries of their own: a version that does not know them must not take the spool for one that takes events.
  if (state.reopened.size > 0) yield { type: 'reopened', segments: [...state.reopened] }
  if (state.drained) yield { type: 'drained', drained: true }
  for (const files of inLots(state.files.values())) yield { type: 'files', files }
  for (const damage of inLots(state.damage.values())) yield { type: 'damaged', damage }
  for (const lot of inLots(settledToKeep(state)))
    yield {
      type: 'settled',
      names: lot.flatMap(([name, piece]) => (piece ? [] : [name])),
      pieces: lot.flatMap(([, piece]) => piece ?? []),
    }
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
