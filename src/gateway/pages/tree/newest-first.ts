import { SluiceError } from '../../../errors.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../../filesystem/filesystem.ts'
import { baseName, compareNames } from '../../../filesystem/path.ts'
import type { WantedWhere } from '../../rows/wanted-where.ts'
import type { FilesAndTables } from '../../tables/table-directories.ts'
import { filesOfTable } from '../../tables/walk-rows.ts'
import { isHidden, type WalkEntry } from '../../walk.ts'
import { toCountText } from '../elements/format.ts'

/** Entries of one directory that are kept: the newest ones. */
export const maxNewestEntries = 20_000

/** Directories that are listed for one page. */
export const maxNewestDirectories = 500

/** A file, or a directory that was not listed, or not as a whole, and why. */
export type NewestEntry = Pick<WalkEntry, 'status' | 'error' | 'table'>

export type NewestOptions = {
  /** Continues after this file, a path below the root; from the newest one if it is missing. */
  readonly after?: string | undefined
  /** Leaves out files of tables that have no such rows, by their manifests. */
  readonly where?: WantedWhere
  readonly signal: AbortSignal
}

/**
 * The files below a directory without hidden ones, the newest first: partitions (`2026-11-22/08`, `day=22`) from the
 * last name back, all else by time. Only what is on the way to a file is listed, each directory in bounded memory; after
 * {@link maxNewestDirectories} it ends with an error for the next one.
 * @throws FileSystemError when `root` cannot be listed, or its cluster is unavailable
 */
export async function* filesNewestFirst(
  searched: FilesAndTables,
  root: FileStatus,
  { after, where, signal }: NewestOptions,
): AsyncGenerator<NewestEntry, void, undefined> {
  let listed = 0
  let isCut = false
  const list = async (directory: FileStatus): Promise<NewestListing | SluiceError> => {
    if (listed === maxNewestDirectories) {
      isCut = true
      const message = `More than ${maxNewestDirectories} directories: open one below, or read on there`
      return new SluiceError('too-large', message)
    }
    listed += 1
    try {
      return await listNewestFirst(searched.fileSystem, directory, signal)
    } catch (error) {
      const isFatal = directory === root || !(error instanceof FileSystemError) || error.code === 'unavailable'
      if (isFatal) throw error
      return error
    }
  }
  async function* walk(directory: FileStatus, names: readonly string[]): AsyncGenerator<NewestEntry, void, undefined> {
    const startAfter = names.length > 0 ? names.join('/') : undefined
    const files = await filesOfTable(searched, directory, { where, order: 'newest-first', startAfter, signal })
    if (files) {
      for await (const part of files) yield* part
      return
    }
    const listing = await list(directory)
    if (listing instanceof SluiceError) return yield { status: directory, error: listing }
    const { entries, leftOut } = listing
    if (leftOut > 0) {
      const message = `The oldest ${toCountText(leftOut)} of ${toCountText(entries.length + leftOut)} entries are left out`
      yield { status: directory, error: new SluiceError('too-large', message) }
    }
    const [name, ...below] = names
    const at = name === undefined ? -1 : entries.findIndex(({ path }) => baseName(path) === name)
    for (const [index, status] of entries.slice(Math.max(0, at)).entries()) {
      const isOnTheWay = at >= 0 && index === 0
      if (status.isDirectory) yield* walk(status, isOnTheWay ? below : [])
      else if (!isOnTheWay) yield { status }
      if (isCut) return
    }
  }
  yield* walk(root, after === undefined ? [] : after.split('/'))
}

/** The newest file that is not empty; undefined if there is no such file, or it is too far away. */
export const findNewestFile = async (
  searched: FilesAndTables,
  root: FileStatus,
  signal: AbortSignal,
): Promise<FileStatus | undefined> => {
  for await (const { status, error } of filesNewestFirst(searched, root, { signal })) {
    // A file that is being written has no length yet.
    if (error === undefined && status.length > 0) return status
  }
  return undefined
}

type NewestListing = {
  readonly entries: readonly FileStatus[]
  /** Older ones that are not kept. */
  readonly leftOut: number
}

const listNewestFirst = async (
  fileSystem: Pick<FileSystem, 'listStatus'>,
  directory: FileStatus,
  signal: AbortSignal,
): Promise<NewestListing> => {
  let entries: FileStatus[] = []
  let count = 0
  for await (const part of fileSystem.listStatus(directory.path, { signal })) {
    for (const entry of part) {
      if (entry.isSpecial || isHidden(entry, directory)) continue
      entries.push(entry)
      count += 1
    }
    if (entries.length > 2 * maxNewestEntries) entries = toNewestFirst(entries).slice(0, maxNewestEntries)
  }
  const kept = toNewestFirst(entries).slice(0, maxNewestEntries)
  return { entries: kept, leftOut: count - kept.length }
}

/** Files and directories stay apart: those come first that have the newest one. */
const toNewestFirst = (entries: readonly FileStatus[]): FileStatus[] => {
  const files = entries.filter(({ isDirectory }) => !isDirectory).sort(byTime)
  const directories = entries.filter(({ isDirectory }) => isDirectory)
  // HDFS gives a directory a new time only for what is right in it.
  directories.sort(directories.every(isPartition) ? byName : byTime)
  return newestOf(directories) > newestOf(files) ? [...directories, ...files] : [...files, ...directories]
}

const newestOf = (entries: readonly FileStatus[]): number =>
  entries.reduce((newest, { modificationTime }) => Math.max(newest, modificationTime), Number.NEGATIVE_INFINITY)

const byName = (left: FileStatus, right: FileStatus): number => compareNames(baseName(right.path), baseName(left.path))

const byTime = (left: FileStatus, right: FileStatus): number =>
  right.modificationTime - left.modificationTime || byName(left, right)

/** Whether a name is a date, an hour or a number, perhaps of a key. */
const isPartition = ({ path }: FileStatus): boolean => /^(?:[^=]+=)?\d[\d_.:TZ-]*$/.test(baseName(path))
