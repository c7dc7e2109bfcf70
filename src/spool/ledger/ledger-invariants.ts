import type { FileRecord } from '../files/bucket-file.ts'
import type { Invariant } from '../invariants/invariants.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { isSent, type LedgerState } from './ledger-state.ts'
import { isWaiting } from './table/file-figures.ts'

type At = FileRecord['state']['at']

/**
 * States in which a file may be when an entry about it is written; `unknown`: the ledger has no such file. From `committed`
 * none leads back: what the file system has is not sent again.
 */
const statesBefore = {
  sealed: ['unknown', 'sealed', 'moving', 'placed', 'committed', 'quarantined', 'taken'],
  files: ['unknown', 'sealed', 'quarantined', 'taken'],
  moving: ['sealed', 'moving'],
  placed: ['sealed', 'moving'],
  committed: ['sealed', 'moving', 'placed', 'committed'],
  quarantined: ['sealed', 'moving', 'placed'],
  taken: ['moving'],
  requeued: ['sealed', 'moving', 'placed', 'quarantined', 'taken'],
  removed: ['unknown', 'committed', 'quarantined', 'taken'],
} as const satisfies Partial<Record<LedgerEntry['type'], readonly (At | 'unknown')[]>>

const states: readonly At[] = ['sealed', 'moving', 'placed', 'committed', 'quarantined', 'taken']

/**
 * Checks entries against the state that they lead on from, before they are written. What a start reads is not checked: the
 * disk is right by definition, whatever an earlier version or damage has made of it.
 */
export const checkEntries = (state: LedgerState, entries: readonly LedgerEntry[], invariant: Invariant): void => {
  /** States that entries before these ones lead to. */
  const meanwhile = new Map<string, At | 'unknown'>()
  let { lastSealed } = state
  const reopened = new Set(state.reopened)
  for (const entry of entries) {
    if (entry.type === 'sealed') {
      const { segment } = entry
      const before = lastSealed
      const isDue = segment > before || reopened.delete(segment)
      invariant(isDue, 'segments are sealed in order, each once', () => ({ segment, lastSealed: before }))
      lastSealed = Math.max(before, segment)
    }
    for (const [name, after] of changesOf(entry)) {
      const before = meanwhile.get(name) ?? state.files.get(name)?.state.at ?? 'unknown'
      const { type } = entry
      const legal: readonly string[] = Object.hasOwn(statesBefore, type)
        ? statesBefore[type as keyof typeof statesBefore]
        : []
      invariant(legal.includes(before), 'the states of a file go in order', () => ({ file: name, before, entry: type }))
      meanwhile.set(name, type === 'sealed' && isSent(before) ? before : after)
    }
  }
}

/** The files that an entry is about, and the states that it leads them to. */
const changesOf = (entry: LedgerEntry): readonly (readonly [name: string, after: At | 'unknown'])[] => {
  switch (entry.type) {
    case 'sealed':
      return entry.files.map(({ name }) => [name, 'sealed'])
    case 'files':
      return entry.files.map(({ file, state }) => [file.name, state.at])
    case 'moving':
    case 'placed':
    case 'committed':
    case 'quarantined':
    case 'taken':
      return [[entry.name, entry.type]]
    case 'requeued':
      return [[entry.name, 'sealed']]
    case 'removed':
      return [[entry.name, 'unknown']]
    default:
      return []
  }
}

/** Checks the sums that are kept over all files: each is counted in one state, and a file that waits as waiting. */
export const checkFigures = ({ files }: LedgerState, invariant: Invariant): void => {
  const { figures, size } = files
  let counted = 0
  let waiting = 0
  for (const at of states) {
    const tally = figures.of(at)
    invariant(tally.files >= 0, 'counts of files are never negative', () => ({ state: at, ...tally }))
    counted += tally.files
    if (isWaiting({ at })) waiting += tally.files
  }
  invariant(counted === size, 'each file is counted in one state', () => ({ counted, files: size }))
  const { waiting: known } = figures
  invariant(waiting === known.files, 'what waits is what is sealed, moving or placed', () => ({
    waiting,
    known: known.files,
  }))
}
