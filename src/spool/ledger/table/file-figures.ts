import { type BucketFile, type FileRecord, isConflict } from '../../files/bucket-file.ts'

type State = FileRecord['state']

/** How many files, and what they hold. */
export type Tally = { files: number; events: number; bytes: number }

/** Sums over the files that the ledger knows, kept as they come, change and go: asking costs the same however many there are. */
export type FileFigures = {
  add(file: BucketFile, state: State): void
  remove(file: BucketFile, state: State): void
  /** Files in one state. */
  of(at: State['at']): Readonly<Tally>
  /** Quarantined files whose name another file has: {@link isConflict}. */
  readonly conflicts: Readonly<Tally>
  /** Files that readers do not have yet, and will have by themselves. */
  readonly waiting: Readonly<Tally>
  /** When the oldest event of those was kept, ms since the epoch. */
  readonly oldest: number | undefined
  /** The same of quarantined files. */
  readonly oldestQuarantined: number | undefined
  /** Events that wait, by {@link bucketLabel}. */
  readonly buckets: ReadonlyMap<string, number>
}

/** Whether a file in this state has yet to be brought to its place. */
export const isOnItsWay = ({ at }: Pick<State, 'at'>): boolean => at === 'sealed' || at === 'moving'

/** Whether readers are still without a file in this state. */
export const isWaiting = (state: Pick<State, 'at'>): boolean => isOnItsWay(state) || state.at === 'placed'

/** A bucket as the health report names it. */
export const bucketLabel = ({ directory, kind }: Pick<BucketFile, 'directory' | 'kind'>): string =>
  `${directory}|${kind}`

export const createFileFigures = (
  oldest: () => number | undefined,
  oldestQuarantined: () => number | undefined,
): FileFigures => {
  const tallies = new Map<State['at'], Tally>()
  const waiting: Tally = { files: 0, events: 0, bytes: 0 }
  const conflicts: Tally = { files: 0, events: 0, bytes: 0 }
  const buckets = new Map<string, number>()

  const tallyOf = (at: State['at']): Tally => {
    const known = tallies.get(at)
    if (known) return known
    const tally = { files: 0, events: 0, bytes: 0 }
    tallies.set(at, tally)
    return tally
  }
  const count = (file: BucketFile, state: State, sign: 1 | -1): void => {
    const into = (tally: Tally): void => {
      tally.files += sign
      tally.events += sign * file.events
      tally.bytes += sign * file.length
    }
    into(tallyOf(state.at))
    if (isWaiting(state)) into(waiting)
    if (isConflict(state)) into(conflicts)
  }
  return {
    add: (file, state) => {
      count(file, state, 1)
      if (!isWaiting(state)) return
      const label = bucketLabel(file)
      buckets.set(label, (buckets.get(label) ?? 0) + file.events)
    },
    remove: (file, state) => {
      count(file, state, -1)
      if (!isWaiting(state)) return
      const label = bucketLabel(file)
      const left = (buckets.get(label) ?? 0) - file.events
      if (left > 0) buckets.set(label, left)
      else buckets.delete(label)
    },
    of: tallyOf,
    conflicts,
    waiting,
    get oldest() {
      return oldest()
    },
    get oldestQuarantined() {
      return oldestQuarantined()
    },
    buckets,
  }
}
