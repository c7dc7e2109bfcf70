import { discardTemporary } from '../discard-temporary.ts'
import { type FileStatus, type FileSystem, FileSystemError, type Published } from '../filesystem.ts'
import { findStatus } from '../find-status.ts'
import { parentPath } from '../path.ts'
import { temporaryName } from '../temporary-name.ts'

type Steps = Pick<FileSystem, 'getFileStatus' | 'delete'>

/**
 * Sends a file without a noted attempt, under a temporary name beside its target. A target that is in the way is found
 * before anything is sent; on an error, the temporary file and directories made for it are removed.
 */
export const leavingNothing = async (
  steps: Steps,
  path: string,
  overwrite: boolean,
  send: (temporary: string) => Promise<Published>,
): Promise<Published> => {
  refuseTaken(await findStatus(steps, path), path, overwrite)
  const missing = await findMissingDirectory(steps, parentPath(path))
  const temporary = `${parentPath(path).replace(/\/$/, '')}/${temporaryName()}`
  const remove = (): Promise<boolean> => steps.delete(temporary).catch(() => false)
  const discard = (): Promise<void> => discardTemporary(remove, () => removeDirectories(steps, path, missing))
  try {
    const published = await send(temporary)
    if (published.outcome !== 'done') await discard()
    return published
  } catch (error) {
    await discard()
    throw error
  }
}

const refuseTaken = (found: FileStatus | undefined, path: string, overwrite: boolean): void => {
  if (found?.isDirectory) throw new FileSystemError('is-directory', path, `Cannot create "${path}": it is a directory`)
  if (found && !overwrite) throw new FileSystemError('exists', path, `Cannot create "${path}": it exists already`)
}

/** The topmost directory on the way that does not exist yet; undefined when all do. */
const findMissingDirectory = async (steps: Steps, directory: string): Promise<string | undefined> => {
  let missing: string | undefined
  for (let at = directory; at !== '/'; at = parentPath(at)) {
    const found = await findStatus(steps, at)
    if (found?.isDirectory) break
    if (found)
      throw new FileSystemError('not-directory', at, `Cannot create a file below "${at}": it is not a directory`)
    missing = at
  }
  return missing
}

/** From below upwards; a directory in use by others is not empty. */
const removeDirectories = async (steps: Steps, path: string, missing: string | undefined): Promise<void> => {
  if (missing === undefined) return
  try {
    for (let at = parentPath(path); at.length >= missing.length; at = parentPath(at)) await steps.delete(at)
  } catch {
    // The reason of the failed upload is the one to report.
  }
}
