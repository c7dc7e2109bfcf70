import { hasCode } from '../../filesystem/cluster/steps.ts'
import { appendsOf, hadoopOf } from '../../filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'

/** The file in the copy of a spool whose modification time is its owner's counter: it changes while the owner lives. */
export const alivePath = (directory: string): string => `${directory}/alive`

/** The counter of an owner; undefined where there is no such file. Rejects with `FileSystemError`. */
export const readCounter = async (fileSystem: FileSystem, directory: string): Promise<number | undefined> =>
  (await findStatus(fileSystem, alivePath(directory)))?.modificationTime

/** The counter that is ours. */
export type Alive = {
  /**
   * Raises it, as the name node has it: nothing is compared with a clock.
   * Rejects with `not-found` when the directory is not there: somebody has taken it.
   */
  beat(): Promise<void>
}

/**
 * So long, in ms, a name node may take for a beat before another call is made: several of them have room in the time after which
 * others take the log. One that hangs must not make us silent.
 */
const toBeatPatience = (takeoverMs: number): number => Math.min(5_000, takeoverMs / 4)

/**
 * @param directory of our own copy in the file system
 * @param takeoverMs so long we may be silent
 */
export const createAlive = (fileSystem: FileSystem, directory: string, takeoverMs: () => number): Alive => {
  const path = alivePath(directory)
  let counter: number | undefined

  const begin = async (): Promise<number> => {
    const known = await readCounter(fileSystem, directory)
    if (known !== undefined) return known
    // Without its parents: where they are gone nothing of ours may come into being.
    await appendsOf(fileSystem)
      .create(path, { createParent: false, permission: 0o600, replication: 1 })
      .then(file => file.close())
      .catch(ignoreExisting)
    return (await fileSystem.getFileStatus(path)).modificationTime
  }

  const raise = async (): Promise<void> => {
    counter ??= await begin()
    // Also where the answer to the one before was lost: each beat is to be seen.
    counter++
    const timeoutMs = toBeatPatience(takeoverMs())
    await hadoopOf(fileSystem).setTimes(path, { modificationTime: counter }, { timeoutMs })
  }

  return {
    beat: async () => {
      try {
        await raise()
      } catch (error) {
        if (!hasCode(error, 'not-found')) throw error
        // The file alone may be gone.
        counter = undefined
        await raise()
      }
    },
  }
}

const ignoreExisting = (error: unknown): void => {
  if (!(error instanceof FileSystemError && error.code === 'exists')) throw error
}
