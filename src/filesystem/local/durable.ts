// node:fs
/** Changes of directories that outlive a power cut: each is followed by an fsync of the directory it changed. */
import { constants, type Stats } from 'node:fs'
import { chmod, link, lstat, mkdir, open, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defaultDirectoryPermission } from '../options.ts'
import { errnoOf } from './errors.ts'

/** Writes a directory's entries to the disk. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Creates the directory that everything else is made in, and its parents, with what bits the process gives. Step by step:
 * Node's own way never ends where the system takes no new names, as below `/proc`.
 * @param mode of the directory and of new parents @default what the process gives
 * @returns whether it is new
 */
export const makeRoot = async (directory: string, mode?: number): Promise<boolean> => {
  const missing: string[] = []
  // The server's operator may have put a link in its place.
  for (let at = directory; !(await isDirectory(at, stat)); at = dirname(at)) missing.push(at)
  for (const at of missing.toReversed()) {
    await mkdir(at, mode).catch(ignoreExisting)
    // Its name must be as safe as what will be written below it.
    await syncDirectory(dirname(at))
  }
  return missing.length > 0
}

const ignoreExisting = (error: unknown): void => {
  if (errnoOf(error) !== 'EEXIST') throw error
}

/** Creates a directory and its parents with exact permission bits; an existing directory stays as it is. */
export const makeDirectories = async (directory: string, permission = defaultDirectoryPermission): Promise<void> => {
  const missing: string[] = []
  for (let at = directory; !(await isDirectory(at)); at = dirname(at)) missing.push(at)
  for (const at of missing.toReversed()) {
    const made = await mkdir(at).then(
      () => true,
      error => {
        if (errnoOf(error) !== 'EEXIST') throw error
        return false
      },
    )
    // The process that created it chose the permissions.
    if (made) await chmod(at, at === directory ? permission : defaultDirectoryPermission)
    await syncDirectory(dirname(at))
  }
}

/** Moves a file or directory; fails with `EEXIST` when the target exists, whenever it appears. */
export const moveWithoutReplacing = async (source: string, target: string): Promise<void> => {
  if ((await lstat(source)).isDirectory()) {
    // An empty directory of our own holds the place: a rename replaces that, and nothing else.
    await mkdir(target)
    await rename(source, target).catch(async error => {
      await rmdir(target).catch(() => {})
      throw error
    })
  } else await moveFile(source, target)
  await syncParents(source, target)
}

/** Moves a file or directory over an existing one of its kind. */
export const moveReplacing = async (source: string, target: string): Promise<void> => {
  await rename(source, target)
  await syncParents(source, target)
}

/** Deletes a file, an empty directory or, if `recursive`, a directory with all below it. Links are not followed. */
export const remove = async (path: string, recursive: boolean): Promise<void> => {
  if (!(await lstat(path)).isDirectory()) await unlink(path)
  else if (recursive) await rm(path, { recursive: true })
  else await rmdir(path)
  await syncDirectory(dirname(path))
}

/** What `link` answers on disks without hard links, or for files of others (`fs.protected_hardlinks`). */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

const moveFile = async (source: string, target: string): Promise<void> => {
  const linked = await link(source, target).then(
    () => true,
    error => {
      if (!noLinks.includes(errnoOf(error))) throw error
      return false
    },
  )
  // The source may have been removed meanwhile; the file is where it should be.
  if (linked) return await unlink(source).catch(ignoreMissing)
  // An empty file of our own holds the place until the rename replaces it.
  await (await open(target, 'wx')).close()
  await rename(source, target).catch(async error => {
    await unlink(target).catch(() => {})
    throw error
  })
}

const syncParents = async (source: string, target: string): Promise<void> => {
  // The move is done: a directory that was removed since has nothing to sync, and is not a reason to say "not found".
  await syncDirectory(dirname(target)).catch(ignoreMissing)
  if (dirname(source) !== dirname(target)) await syncDirectory(dirname(source)).catch(ignoreMissing)
}

const ignoreMissing = (error: unknown): void => {
  if (errnoOf(error) !== 'ENOENT') throw error
}

const isDirectory = async (path: string, look: (path: string) => Promise<Stats> = lstat): Promise<boolean> => {
  try {
    if ((await look(path)).isDirectory()) return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
  throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' })
}
