// node:fs
import { stat, statfs } from 'node:fs/promises'
import { throwIfAborted } from '../abortable.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { parsePath } from '../path.ts'
import { summarize } from './content-summary.ts'
import { guard, notFoundBelowFile } from './errors.ts'
import { resolveInside } from './resolve.ts'

type Facts = Pick<HadoopVerbs, 'getContentSummary' | 'getStatus'>

/** What can be asked of a directory of this machine, in the words of a cluster. */
export const createLocalFacts = (root: string): Facts => {
  /** Where a path lies, once it is sure that something is there. */
  const find = async (path: string): Promise<string> => {
    const target = await resolveInside(root, parsePath(path))
    await stat(target).catch(notFoundBelowFile)
    return target
  }
  return {
    getContentSummary: (path, { signal } = {}) =>
      guard('summarize', path, async () => {
        const name = parsePath(path)
        throwIfAborted(signal, name)
        return await summarize(await find(name), { root, path: name }, signal)
      }),

    getStatus: path =>
      guard('get the status of', path, async () => {
        const { bsize, blocks, bfree, bavail } = await statfs(await find(path))
        return { capacity: blocks * bsize, used: (blocks - bfree) * bsize, remaining: bavail * bsize }
      }),
  }
}
