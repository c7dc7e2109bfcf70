import { hadoopOf } from '../facets.ts'
import type { ContentSummary, HadoopVerbs } from '../hadoop-verbs.ts'
import { parentPath, parsePath } from '../path.ts'
import { isMissing, type MountRoutes } from './routes.ts'

/**
 * Makes the `getContentSummary` of the one name space: what a file system has below a path, less what mount points hide
 * there, and what is mounted. Quotas are those of the path itself.
 */
export const createSummarizer =
  ({ at, toTarget, mountsBelow, namesBelow }: MountRoutes): HadoopVerbs['getContentSummary'] =>
  async (text, options) => {
    const path = parsePath(text)
    const signal = options?.signal
    const summarize = (name: string): Promise<ContentSummary> =>
      at(name, (fileSystem, inner) => hadoopOf(fileSystem).getContentSummary(inner, options), signal)
    /** What a file system has in the place of another one; mostly nothing. */
    const hiddenBy = (point: string): Promise<ContentSummary> => {
      const { mount } = toTarget(parentPath(point))
      const inner = point.slice(mount === '/' ? 0 : mount.length)
      return at(mount, fileSystem => hadoopOf(fileSystem).getContentSummary(inner, options), signal).catch(
        orElse(nothing),
      )
    }
    /** Of a directory that leads to a mount point: it exists even if no file system has it. */
    const missing = async (directory: string): Promise<ContentSummary> => {
      const there = at(directory, (fileSystem, inner) => fileSystem.getFileStatus(inner), signal)
      return await there.then(() => nothing).catch(orElse(oneDirectory))
    }

    const points = mountsBelow(path)
    const leading = new Set(points.flatMap(point => directoriesBetween(path, point)))
    let total = await summarize(path).catch(namesBelow(path).length > 0 ? orElse(oneDirectory) : rethrow)
    for (const directory of leading) total = add(total, await missing(directory), 1)
    for (const point of points) {
      total = add(total, await summarize(point), 1)
      total = add(total, await hiddenBy(point), -1)
    }
    return total
  }

/** Directories above `point` and below `path`, which are mount points themselves or not. */
const directoriesBetween = (path: string, point: string): readonly string[] => {
  const directory = parentPath(point)
  return directory === path ? [] : [directory, ...directoriesBetween(path, directory)]
}

const orElse =
  (summary: ContentSummary) =>
  (error: unknown): ContentSummary => {
    if (isMissing(error)) return summary
    throw error
  }

const rethrow = (error: unknown): never => {
  throw error
}

const nothing: ContentSummary = {
  directoryCount: 0,
  fileCount: 0,
  length: 0,
  spaceConsumed: 0,
  quota: -1,
  spaceQuota: -1,
}

const oneDirectory: ContentSummary = { ...nothing, directoryCount: 1 }

const add = (total: ContentSummary, other: ContentSummary, times: 1 | -1): ContentSummary => ({
  ...total,
  directoryCount: total.directoryCount + times * other.directoryCount,
  fileCount: total.fileCount + times * other.fileCount,
  length: total.length + times * other.length,
  spaceConsumed: total.spaceConsumed + times * other.spaceConsumed,
})
