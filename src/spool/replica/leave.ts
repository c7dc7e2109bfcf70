import type { Disk } from '../../disk/disk.ts'
import { madePath } from './copy-note.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import type { ReplicaState } from './replica-state.ts'

/**
 * Removes the copy of a spool of which nothing is left to bring to the file system: a collector that was stopped leaves
 * nothing that another one would take. The next start makes it anew.
 */
export const leaveCopy = async (
  local: Pick<Disk, 'unlink' | 'fsyncDir'>,
  directory: RemoteDirectory,
  state: Pick<ReplicaState, 'leave'>,
): Promise<void> => {
  state.leave()
  // Only what was ours until now is made anew; where the process ends in between, the spool, which is empty, is set aside.
  if (!(await directory.remove())) return
  await local.unlink(madePath)
  await local.fsyncDir('.')
}
