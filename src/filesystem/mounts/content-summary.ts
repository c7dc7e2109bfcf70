import type { ContentSummary, FileSystem } from '../filesystem.ts'
import { parentPath, parsePath } from '../path.ts'
import { isMissing, type Routes } from './routes.ts'

/**
 * Makes the `getContentSummary` of the one name space: what a file system has below a path, less what mount points hide
 * there, and what is mounted. Quotas are those of the path itself.
 */
export const createSummarizer =
  ({ at, toTarget, mountsBelow, namesBelow }: Routes): FileSystem['getContentSummary'] =>
  async (text, options) => {
    const path = parsePath(text)
    const signal = options?.signal
    const summarize = (name: string): Promise<ContentSummary> =>
      at(name, (fileSystem, inner) => fileSystem.getContentSummary(inner, options), signal)
    /** What a file system has in the place of another one; mostly nothing. */
    const hiddenBy = async (point: string): Promise<ContentSummary> => {
      const above = toTarget(parentPath(point))
      const inner = point.slice(above.mount === '/' ? 0 : above.mount.length)
      try {
        return await at(above.mount, fileSystem => fileSystem.getContentSummary(inner, options), signal)
      } catch (error) {
        if (isMissing(error)) return nothing
        throw error
      }
    }

    let total = await summarize(path).catch(error => {
      if (isMissing(error) && namesBelow(path).length > 0) return { ...nothing, directoryCount: 1 }
      throw error
    })
    for (const point of mountsBelow(path)) {
      total = add(total, await summarize(point), 1)
      total = add(total, await hiddenBy(point), -1)
    }
    return total
  }

const nothing: ContentSummary = {
  directoryCount: 0,
  fileCount: 0,
  length: 0,
  spaceConsumed: 0,
  quota: -1,
  spaceQuota: -1,
}

const add = (total: ContentSummary, other: ContentSummary, times: 1 | -1): ContentSummary => ({
  ...total,
  directoryCount: total.directoryCount + times * other.directoryCount,
  fileCount: total.fileCount + times * other.fileCount,
  length: total.length + times * other.length,
  spaceConsumed: total.spaceConsumed + times * other.spaceConsumed,
})
