import type { Disk } from '../../disk/disk.ts'
import { madePath, writeCopyNote } from './copy-note.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import { isOldCopy } from './remote-file.ts'
import { isSegment, toLocalPath, toRemoteName } from './remote-names.ts'
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
}

/**
 * Finds out whether the copy in HDFS is still ours, and makes it where there never was one.
 * @returns false where somebody has taken it
 */
export const proveCopy = async ({ local, directory, state }: Omit<AttachParts, 'disk'>): Promise<boolean> => {
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

/**
 * Brings the copy to where the local disk is: what is of another length, or open, is written anew. The ledger comes last,
 * for without it the copy is not taken; and before that the spool notes that it has one.
 * @returns the segments that the copy has
 */
export const copySpool = async ({ local, disk, directory }: Omit<AttachParts, 'state'>): Promise<readonly string[]> => {
  const there = await directory.list()
  const here = await listCopied(local)
  const due = [...here].filter(([path, length]) => {
    return path !== 'ledger' && !disk.isOpen(path) && there.get(toRemoteName(path)) !== length
  })
  await inLots(due, ([path]) => disk.copy(path))
  const old = [...there.keys()].filter(name => {
    const path = toLocalPath(name)
    // A segment that is sealed may still be wanted; the figures of the other collectors are in `alive`.
    return path === undefined ? isOldCopy(name) : !isSegment(path) && !here.has(path)
  })
  await inLots(old, name => directory.delete(name))
  if (!(await local.list('.')).some(({ name }) => name === madePath))
    await writeCopyNote(local, { directory: directory.path })
  await disk.catchUpOpen()
  const ledger = here.get('ledger')
  if (ledger !== undefined && !disk.isOpen('ledger') && there.get('ledger') !== ledger) await disk.copy('ledger')
  return [...there.keys(), ...[...here.keys()].map(toRemoteName)]
}

const inLots = async <T>(all: readonly T[], each: (one: T) => Promise<void>): Promise<void> => {
  const rest = all.values()
  const worker = async (): Promise<void> => {
    for (const one of rest) await each(one)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
