import { randomUUID } from 'node:crypto'
import { hasCode, refusal } from '../../filesystem/cluster/steps.ts'
import { directoriesOf } from '../../filesystem/facets.ts'
import type { FileSystemError } from '../../filesystem/filesystem.ts'
import { toClaims } from './claim.ts'
import { toDirectoryFailure } from './directory-failure.ts'
import type { SettleOptions } from './settle-left.ts'

/**
 * Tries with an empty directory whether one can be moved to the trash: it can be on another disk, or beyond an encryption zone.
 * Rejects with `FileSystemError`. A later run deletes what a killed one leaves.
 */
export const checkTrash = async (options: SettleOptions, directory: string): Promise<void> => {
  const { fileSystem, toTrash } = options
  const trial = `${toClaims(directory)}-${randomUUID()}`
  await directoriesOf(fileSystem).mkdirs(trial)
  try {
    const trash = await toTrash(directory, (await fileSystem.getFileStatus(trial)).owner)
    if (trash === undefined) return
    await directoriesOf(fileSystem).rename(trial, trash)
    await fileSystem.delete(trash)
  } catch (error) {
    // Another compaction has tidied up.
    if (!hasCode(error, 'not-found')) throw toRefusal(directory, await toDirectoryFailure(options, error))
  } finally {
    await fileSystem.delete(trial).catch(() => {})
  }
}

const toRefusal = (directory: string, { message }: FileSystemError): FileSystemError =>
  refusal('unsupported', directory, 'compact files of', `they cannot be moved to the trash (${message})`)
