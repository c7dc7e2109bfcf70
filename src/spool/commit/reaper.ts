import type { Current } from '../../current.ts'
import type { Disk } from '../../disk/disk.ts'
import { localPath, segmentOfFile } from '../files/spool-paths.ts'
import { hasPassed } from '../heartbeat/due.ts'
import { createInTurn } from '../heartbeat/in-turn.ts'
import type { Invariant } from '../invariants/invariants.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readSealedList, sealedListPath } from '../ledger/sealed-list.ts'
import type { RemoteSegments } from '../replica/remote-segments.ts'

/** Local copies removed before the ledger notes it. */
const reapAtOnce = 1_000

export type ReaperOptions = {
  readonly disk: Disk
  readonly ledger: Ledger
  readonly keepCommittedMs: Current<number>
  /** Only for a spool that is replicated to HDFS. */
  readonly replica?: { readonly segments: Pick<RemoteSegments, 'has'> } | undefined
  readonly now: () => number
  readonly invariant: Invariant
}

/** Makes what removes local copies of committed files: those kept long enough, or all of them. */
export const createReaper = ({ disk, ledger, keepCommittedMs, replica, now, invariant }: ReaperOptions) => {
  const { files } = ledger.state

  /** Names of the first few. */
  const dueCommitted = (all: boolean): string[] => {
    const due: string[] = []
    for (const { file, state } of files.committed()) {
      // A collector that takes over would send it again.
      if (replica?.segments.has(file.segment)) continue
      const isDue = all || (state.at === 'committed' && hasPassed(now(), state.since, keepCommittedMs()))
      // Those after it were committed later.
      if (!isDue || due.push(file.name) === reapAtOnce) break
    }
    return due
  }

  /** Lists of segments none of whose files are left. */
  const dropLists = async (segments: Iterable<number | undefined>): Promise<void> => {
    for (const segment of segments) {
      if (segment === undefined) continue
      const sealed = await readSealedList(disk, segment)
      if (!sealed.some(({ name }) => files.has(name))) await disk.unlink(sealedListPath(segment))
    }
  }

  const reap = async (all: boolean): Promise<void> => {
    for (;;) {
      const due = dueCommitted(all)
      if (due.length === 0) return
      for (const name of due) {
        const at = files.get(name)?.state.at ?? 'unknown'
        invariant(at === 'committed', 'only copies of committed files are removed', () => ({ file: name, state: at }))
        await disk.unlink(localPath(name, 'committed'))
      }
      // First the removal: a file that came back after a power cut must not be unknown.
      await disk.fsyncDir('sealed')
      await ledger.append(...due.map(name => ({ type: 'removed' as const, name })))
      await dropLists(new Set(due.map(segmentOfFile)))
    }
  }

  // Time asks for it, and a disk that gets low meanwhile: the second one must not go by names that the first one removes.
  const inTurn = createInTurn()
  return (all: boolean): Promise<void> => inTurn(() => reap(all))
}
