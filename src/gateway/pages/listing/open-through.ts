import { type FileStatus, type FileSystem, FileSystemError } from '../../../filesystem/filesystem.ts'

/** Directories of one page that are looked into, this many at a time, within this time. */
export const maxOpenedThrough = 100
const atOnce = 8
const budgetMs = 300

/** Directories that are opened through, one in the other. */
export const maxThroughDepth = 8

/**
 * Finds where directories lead to that hold one directory and nothing else: its path, or that of the only one in it, and
 * so on. Those that hold anything else, or cannot be listed, lead nowhere else and are not in the answer.
 * @param now ms
 */
export const openThrough = async (
  fileSystem: Pick<FileSystem, 'listStatus'>,
  entries: readonly FileStatus[],
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> => {
  const startedAt = now()
  const left = entries.filter(({ isDirectory }) => isDirectory).slice(0, maxOpenedThrough)
  const ends = new Map<string, string>()
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined && now() - startedAt < budgetMs; next = left.shift()) {
      const end = await findEnd(fileSystem, next.path, signal)
      if (end !== next.path) ends.set(next.path, end)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return ends
}

const findEnd = async (
  fileSystem: Pick<FileSystem, 'listStatus'>,
  path: string,
  signal: AbortSignal,
): Promise<string> => {
  let end = path
  for (let depth = 0; depth < maxThroughDepth; depth += 1) {
    const only = await findOnlyEntry(fileSystem, end, signal)
    if (only?.isDirectory !== true) return end
    end = only.path
  }
  return end
}

const findOnlyEntry = async (
  fileSystem: Pick<FileSystem, 'listStatus'>,
  path: string,
  signal: AbortSignal,
): Promise<FileStatus | undefined> => {
  let only: FileStatus | undefined
  try {
    for await (const part of fileSystem.listStatus(path, { signal })) {
      for (const entry of part) {
        if (only !== undefined) return undefined
        only = entry
      }
    }
    return only
  } catch (error) {
    // The listing is good without.
    if (error instanceof FileSystemError) return undefined
    throw error
  }
}
