// node:fs
import { constants } from 'node:fs'
import { lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { throwIfAborted } from '../abortable.ts'
import { FileSystemError } from '../filesystem.ts'
import type { ContentSummary } from '../hadoop-verbs.ts'
import { errnoOf } from './errors.ts'
import { type Inside, openInside, pathOfOpen } from './open-inside.ts'
import { resolveInside } from './resolve.ts'

/** Names that are looked at at the same time. */
const looksAtOnce = 64

/**
 * Counts what is below a path, hidden files included. A link counts as the file or the empty directory that it leads to,
 * so that nothing is walked twice; one that leads out of the root or nowhere counts nothing. Keeps the names of the
 * directories that are still to be walked, of those on the way down only.
 * @param start as of `resolveInside`
 */
export const summarize = async (
  start: string,
  { root, path }: Inside,
  signal: AbortSignal | undefined,
): Promise<ContentSummary> => {
  let [directoryCount, fileCount, length] = [0, 0, 0]

  const count = async (entry: string): Promise<void> => {
    const found = await lstat(entry)
    const { size, isDirectory } = found.isSymbolicLink() ? await followed(entry) : toCounted(found)
    if (isDirectory) directoryCount += 1
    else fileCount += 1
    length += size
  }
  const followed = async (entry: string): Promise<Counted> => {
    const name = entry.slice(root.length)
    return toCounted(await stat(await resolveInside(root, name)))
  }

  const walk = async (directory: string): Promise<void> => {
    const below: string[] = []
    let names: string[] = []
    const countNames = async (): Promise<void> => {
      throwIfAborted(signal, path)
      await Promise.all(names.map(name => count(join(directory, name)).catch(ignoreGone)))
      names = []
    }
    // Open before it is read: it may have become a link since.
    const opened = await openInside(directory, constants.O_RDONLY | constants.O_DIRECTORY, { root, path })
    try {
      for await (const entry of await opendir(pathOfOpen(opened, directory), { bufferSize: 1_024 })) {
        if (entry.isDirectory()) below.push(entry.name)
        else if (names.push(entry.name) >= looksAtOnce) await countNames()
      }
    } finally {
      await opened.close()
    }
    await countNames()
    directoryCount += 1
    for (let name = below.pop(); name !== undefined; name = below.pop()) {
      await walk(join(directory, name)).catch(ignoreGone)
    }
  }

  if ((await lstat(start)).isDirectory()) await walk(start)
  else await count(start)
  return { directoryCount, fileCount, length, spaceConsumed: length, quota: -1, spaceQuota: -1 }
}

type Counted = { readonly size: number; readonly isDirectory: boolean }

const toCounted = (stats: { readonly size: number; isDirectory(): boolean }): Counted =>
  stats.isDirectory() ? { size: 0, isDirectory: true } : { size: stats.size, isDirectory: false }

/** What vanished, or became something else, while the tree was walked, and links that lead nowhere. */
const ignoreGone = (error: unknown): void => {
  const isGone = ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error))
  if (!isGone && !(error instanceof FileSystemError && error.code === 'bad-path')) throw error
}
