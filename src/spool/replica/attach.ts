import type { Disk } from '../../disk/disk.ts'
import { madePath, writeCopyNote } from './copy-note.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import { isOldCopy } from './remote-file.ts'
import { isReplaced, isSegment, toLocalPath, toRemoteName } from './remote-names.ts'
import type { ReplicaState } from './replica-state.ts'
import { listCopied, type ReplicatedDisk } from './replicated-disk.ts'

/** Files that are copied at a time. */
const atOnce = 4

/** What the copy is brought in step with. */
export type AttachParts = {
  /** The local disk itself. */
  readonly local: Disk
  readonly disk: ReplicatedDisk
  readonly directory: RemoteDirectory
  readonly state: ReplicaState
  /** Ends it between two files: a stop does not wait for all of a copy. */
  readonly signal: AbortSignal
}

/**
 * Finds out whether the copy in HDFS is still ours, and makes it where there never was one.
 * @returns false where somebody has taken it
 */
export const proveCopy = async ({
  local,
  directory,
  state,
}: Pick<AttachParts, 'local' | 'directory' | 'state'>): Promise<boolean> => {
  if (state.name === 'fenced') return false
  if (!(await directory.exists())) {
    const wasMade = (await local.list('.')).some(({ name }) => name === madePath)
    if (wasMade) {
      state.fence(`${directory.path} is not there any more`)
      return false
    }
    await directory.make()
  }
  state.prove()
  return true
}

/** How far a copy is brought: the ledger comes last, for without it the copy is not taken. */
export type CatchUpPhase = 'files' | 'all'

/**
 * Brings the copy to where the local disk is: files that are open, of another length, or known to be behind are
 * rewritten. Before the ledger is there the spool notes that it has a copy: if another collector takes it then, it is
 * not made a second time.
 * @param onPhase hears what is written from now on; what becomes safe meanwhile is written there as well
 */
export const copySpool = async (
  { local, disk, directory, signal }: Omit<AttachParts, 'state'>,
  onPhase: (phase: CatchUpPhase) => void,
): Promise<void> => {
  const catchUp = (paths: readonly string[]): Promise<void> => inLots(paths, signal, path => disk.catchUp(path))
  onPhase('files')
  await catchUp(disk.due.filter(path => path !== 'ledger'))
  if (!(await local.list('.')).some(({ name }) => name === madePath))
    await writeCopyNote(local, { directory: directory.path })
  onPhase('all')
  // What was closed meanwhile, or failed.
  await catchUp(disk.due.filter(path => path !== 'ledger' && !disk.isOpen(path)))
  await catchUp(disk.due.filter(path => path === 'ledger'))
}

/**
 * Looks at what the copy has, notes what is behind, and deletes what is not here any more.
 * @param isFirst whether an earlier process wrote what is there: a small file may be another one of the same length then
 * @returns the names in the copy
 */
export const compareCopy = async (
  { local, disk, directory, signal }: Omit<AttachParts, 'state'>,
  isFirst: boolean,
): Promise<readonly string[]> => {
  const there = await directory.list()
  const here = await listCopied(local)
  for (const [path, length] of here) {
    if (disk.isOpen(path)) continue
    const known = there.get(toRemoteName(path)) ?? 0
    const mayDiffer = !there.has(toRemoteName(path)) || known !== length || (isFirst && isReplaced(path))
    if (mayDiffer) disk.behind.note(path, Math.max(0, length - known))
  }
  const old = [...there.keys()].filter(name => {
    const path = toLocalPath(name)
    // A segment that is sealed may still be wanted; the figures of the other collectors are in `alive`.
    return path === undefined ? isOldCopy(name) : !isSegment(path) && !here.has(path)
  })
  await inLots(old, signal, async name => {
    const path = toLocalPath(name)
    await (path === undefined ? directory.delete(name) : disk.forget(path))
  })
  return [...there.keys()]
}

const inLots = async <T>(all: readonly T[], signal: AbortSignal, each: (one: T) => Promise<void>): Promise<void> => {
  const rest = all.values()
  const worker = async (): Promise<void> => {
    for (const one of rest) {
      signal.throwIfAborted()
      await each(one)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
