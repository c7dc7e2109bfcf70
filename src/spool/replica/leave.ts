import type { Disk } from '../../disk/disk.ts'
import { madePath } from './copy-note.ts'
import type { RemoteDirectory } from './remote-directory.ts'
import type { ReplicaState } from './replica-state.ts'

/**
 * Removes the copy of a spool whose events are all in the file system: a stopped collector leaves nothing for another
 * one to take. The next start makes it again.
 */
export const leaveCopy = async (
  local: Pick<Disk, 'unlink' | 'fsyncDir'>,
  directory: RemoteDirectory,
  state: Pick<ReplicaState, 'leave'>,
): Promise<void> => {
  state.leave()
  // Only a copy that was ours until now is made again; if the process ends in between, the spool, which is empty, is
  // set aside.
  if (!(await directory.remove())) return
  await local.unlink(madePath)
  await local.fsyncDir('.')
}
