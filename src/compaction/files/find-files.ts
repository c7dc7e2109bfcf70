/** The small files of closed hours below a directory, by the directories that they are in. */
import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName, parsePath } from '../../filesystem/path.ts'
import { firstOpenHour, hourAt } from '../closed-hour.ts'
import { parsePeriod } from './parse-period.ts'
import type { UnmergedFile } from './unmerged-file.ts'

export type FindFilesOptions = {
  readonly fileSystem: FileSystem
  /** Hours since the epoch: from one on, up to another one. */
  readonly from: number
  readonly to: number
  readonly targetBytes: number
  readonly now: () => number
  /** How long after its end an hour is closed, and how long a file has not changed. */
  readonly closedAfterMs: number
  readonly signal?: AbortSignal
}

/** What a directory has. */
export type FoundDirectory = {
  readonly path: string
  /** In the order of their names. */
  readonly files: readonly FileStatus[]
  /** Whether another compaction has, or had, claimed it. */
  readonly isClaimed: boolean
  readonly left: readonly UnmergedFile[]
}

/** A file of this part of the target size is large enough. */
const enough = 0.75

/** Directories by which one is known whose files are not all there is to say of its rows, and why these stay. */
const tableEntries: ReadonlyMap<string, string> = new Map([
  ['metadata', 'it is a table; compact it by its own path'],
  ['_delta_log', 'it is a Delta table'],
  ['.hoodie', 'it is a Hudi table'],
  ['_spark_metadata', 'Spark reads only the files that "_spark_metadata" names'],
])

/** Goes through a directory and all below it. Rejects with `FileSystemError`. */
export async function* findFiles(options: FindFilesOptions, directory: string): AsyncGenerator<FoundDirectory> {
  const path = parsePath(directory)
  const above = path.split('/').slice(1)
  for (let depth = 0; depth < above.length; depth++) {
    const parent = `/${above.slice(0, depth).join('/')}`
    const name = above[depth] ?? ''
    const left = isPassedOver(name)
      ? { path, reason: `"${name}" is not a directory of event files` }
      : await findReason(options, parent, name)
    if (left) {
      yield leave(left.path, left.reason)
      return
    }
  }
  yield* findBelow(options, path)
}

async function* findBelow(options: FindFilesOptions, path: string): AsyncGenerator<FoundDirectory> {
  const { fileSystem, signal } = options
  const directories: string[] = []
  const files: FileStatus[] = []
  const names = new Set<string>()
  const links: UnmergedFile[] = []
  let isClaimed = false
  for await (const part of fileSystem.listStatus(path, signal ? { signal } : {}))
    for (const status of part) {
      const name = baseName(status.path)
      // Also a file, which is in the way of a claim.
      isClaimed ||= /^_compaction(?:-|$)/.test(name)
      if (status.isDirectory) names.add(name)
      if (isPassedOver(name)) continue
      if (status.isDirectory && status.isLink) links.push({ path: status.path, reason: linkReason })
      else if (status.isDirectory) directories.push(status.path)
      else if (status.path !== path) files.push(status)
    }
  for (const [name, reason] of tableEntries)
    if (names.has(name)) {
      yield leave(path, reason)
      return
    }
  const { wanted, left } = choose(options, path, files)
  left.push(...links)
  if (wanted.length > 0 || isClaimed || left.length > 0) yield { path, files: wanted, isClaimed, left }
  for (const one of directories) yield* findBelow(options, one)
}

/** Names that readers pass over, too. */
const isPassedOver = (name: string): boolean => /^[._]/.test(name)

const leave = (path: string, reason: string): FoundDirectory => ({
  path,
  files: [],
  isClaimed: false,
  left: [{ path, reason }],
})

/** What is behind a link has a name of its own, by which its readers find it, and which tells what it is a part of. */
const linkReason = 'it is a symbolic link'

/** Why nothing below an entry of a directory is merged: files of a table may be at any depth below it. */
const findReason = async (
  { fileSystem, signal }: FindFilesOptions,
  path: string,
  name: string,
): Promise<UnmergedFile | undefined> => {
  try {
    for await (const part of fileSystem.listStatus(path, signal ? { signal } : {}))
      for (const status of part) {
        const reason = tableEntries.get(baseName(status.path))
        if (status.isDirectory && reason !== undefined) return { path, reason }
        if (status.isLink && baseName(status.path) === name) return { path: status.path, reason: linkReason }
      }
    return undefined
  } catch (error) {
    if (hasCode(error, 'not-found', 'denied')) return undefined
    throw error
  }
}

const choose = (options: FindFilesOptions, path: string, files: readonly FileStatus[]) => {
  const { from, to, targetBytes, now, closedAfterMs } = options
  const open = firstOpenHour(now(), closedAfterMs)
  const left: UnmergedFile[] = []
  const period = parsePeriod(path)
  if (period && !(period.from >= from && period.to <= Math.min(to, open))) return { wanted: [], left }
  /** Without hours in its name, a directory has files of the hours in which they were written. */
  const isOfHours = ({ modificationTime }: FileStatus): boolean => {
    if (period) return modificationTime <= now() - closedAfterMs
    const hour = hourAt(modificationTime)
    return hour >= from && hour < Math.min(to, open)
  }
  const wanted = files.filter(file => {
    if (!isOfHours(file) || file.length >= targetBytes * enough) return false
    if (!file.isSpecial && !file.isLink) return true
    left.push({ path: file.path, reason: file.isLink ? linkReason : 'it is not a file' })
    return false
  })
  return { wanted, left }
}
