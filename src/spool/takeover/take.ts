/**
 * Takes what another collector has. Each step can be repeated where it was left half done, and none waits for the other
 * collector: it may be gone, or only slow.
 *
 *     RENAME _log/<owner> → _log/<id>.<taker>   of several that try one wins; the old one can make no file in it any more
 *     recoverLease of each file of the log      the old one can write to none of them any more; from here on they say what is so
 *     RENAME what is in _tmp of that id         a late RENAME of the old one finds no source, and it can note no other one
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { Appends } from '../../filesystem/appends.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { appendsOf, directoriesOf } from '../../filesystem/facets.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import { inTime, type Later, laterByTimer } from '../../runtime/later.ts'
import { toTemporaryRoot } from '../files/target-path.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import { type Owner, parseOwner, toTakenName } from './owners.ts'
import { isFinished } from './taken-note.ts'

/** Where logs are taken, and by whom. */
export type Taking = {
  readonly fileSystem: FileSystem
  readonly outputDirectory: string
  /** Our own collector id. */
  readonly taker: string
  readonly signal: AbortSignal
  /** @default timers */
  readonly later?: Later | undefined
}

/** HDFS has so long for one call: longer than its client waits for a NameNode, and for another one behind that. */
const callMs = 120_000

/**
 * What a call resolves to; one that hangs is given up with an error, and the takeover is retried. Effects of a late
 * call are found then, as after a lost answer.
 */
export const inCallTime = async <T>(
  { later = laterByTimer }: Pick<Taking, 'later'>,
  path: string,
  call: Promise<T>,
): Promise<T> =>
  await inTime(call, callMs, later, ms => {
    return new FileSystemError(
      'unavailable',
      path,
      `The file system has not answered for ${ms / 1_000} s: a call for "${path}" hangs`,
    )
  })

/**
 * Makes a log ours.
 * @returns its name from now on; undefined where another collector was faster
 */
export const takeLog = async (
  { fileSystem, outputDirectory, taker, ...taking }: Taking,
  owner: Owner,
): Promise<string | undefined> => {
  const root = toLogDirectory(outputDirectory)
  const name = toTakenName(owner.id, taker)
  try {
    const note = await listAt(fileSystem, `${root}/${name}`)
    // Of a log that was taken before it was whole, and made again under the same id.
    if (isFinished(note)) await fileSystem.delete(`${root}/${name}`, { recursive: true })
    const from = `${root}/${owner.name}`
    await inCallTime(taking, from, directoriesOf(fileSystem).rename(from, `${root}/${name}`))
    return name
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error
    // Ours after all, where the answer to an attempt before was lost.
    return (await findStatus(fileSystem, `${root}/${name}`)) ? name : undefined
  }
}

/** Brings what the owners before us have sent, and not given its name, to our own directory. @returns that directory */
export const takeTemporaries = async (
  { fileSystem, outputDirectory, ...taking }: Taking,
  { id, name }: Owner,
): Promise<string> => {
  const root = toTemporaryRoot(outputDirectory)
  const directory = `${root}/${name}`
  const directories = directoriesOf(fileSystem)
  await directories.mkdirs(directory)
  for (const { path } of await listAt(fileSystem, root)) {
    const other = parseOwner(baseName(path))
    if (other?.id !== id || other.name === name) continue
    for (const file of await listAt(fileSystem, path)) {
      const renamed = directories.rename(file.path, `${directory}/${baseName(file.path)}`)
      await inCallTime(taking, file.path, renamed).catch(ignoreNotFound)
    }
    // A file that an earlier owner makes again meanwhile does no harm.
    await fileSystem.delete(path, { recursive: true })
  }
  return directory
}

/** How long HDFS is left alone before it is asked again whether a file is closed. */
const leasePauseMs = 500

/** Files that are asked about at a time. */
const atOnce = 8

/** How often it is asked in one attempt: a minute. */
const maxLeaseRounds = 120

/**
 * Resolves when all of the files are closed, and their writers can write no more.
 * @throws FileSystemError where one is not closed in time, as while all data nodes that have its last block are gone: to be
 *   called again
 */
export const recoverLeases = async (
  { fileSystem, signal, later }: Pick<Taking, 'fileSystem' | 'signal' | 'later'>,
  paths: readonly string[],
  pause: () => Promise<unknown> = () => wait(leasePauseMs, undefined, { signal }),
): Promise<void> => {
  const appends = appendsOf(fileSystem)
  let open = paths
  for (let round = 1; ; round++) {
    signal.throwIfAborted()
    const left: string[] = []
    const rest = open.values()
    const worker = async (): Promise<void> => {
      for (const path of rest) if (!(await isClosed(appends, path, { signal, later }))) left.push(path)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    if (left.length === 0) return
    open = left
    const [first = ''] = open
    if (round === maxLeaseRounds) throw new FileSystemError('unavailable', first, describeOpen(first, open.length))
    await pause()
  }
}

const describeOpen = (first: string, files: number): string =>
  `HDFS does not close "${first}"${files > 1 ? ` and ${files - 1} more` : ''}: the data nodes that have its last block may be away`

const isClosed = async (
  appends: Pick<Appends, 'recoverLease'>,
  path: string,
  { signal, later }: Pick<Taking, 'signal' | 'later'>,
): Promise<boolean> => {
  try {
    return await inCallTime({ later }, path, appends.recoverLease(path, { signal }))
  } catch (error) {
    ignoreNotFound(error)
    return true
  }
}

/** What is in a directory; nothing where it is not there. */
export const listAt = async (fileSystem: FileSystem, path: string): Promise<readonly FileStatus[]> => {
  try {
    return (await Array.fromAsync(fileSystem.listStatus(path))).flat()
  } catch (error) {
    ignoreNotFound(error)
    return []
  }
}

const ignoreNotFound = (error: unknown): void => {
  if (!hasCode(error, 'not-found')) throw error
}
