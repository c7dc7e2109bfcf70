import { nextTurn } from '../../runtime/next-turn.ts'
import type { FileStatus, FileSystem } from '../filesystem.ts'
import { baseName, compareNames } from '../path.ts'
import { refusal } from './steps.ts'

/** One page of a directory, with the number of entries after it. */
export type ListingPage = { readonly entries: readonly FileStatus[]; readonly remaining: number }

/** Asks for the page after a name, or for the first one. */
export type ListPage = (path: string, startAfter: string | undefined, signal: AbortSignal) => Promise<ListingPage>

/** Entries of one part: a page, where the cluster has its default; an old cluster answers with all there are. */
const maxPartEntries = 1_000

/**
 * Makes the `listStatus` of one cluster, a page of some 1 000 entries at a time; the next page is asked for while one
 * is being taken.
 */
export const createDirectoryLister = (listPage: ListPage): FileSystem['listStatus'] => {
  /** The page after another one; requested in the next turn, unless the consumer of that page has left with it. */
  const listNext = async (path: string, last: string, after: string | undefined, signal: AbortSignal) => {
    // A server that does not advance would be asked endlessly.
    if (after && compareNames(last, after) <= 0) {
      throw refusal('unavailable', path, 'list', 'the name node repeats itself')
    }
    await nextTurn()
    return await listPage(path, last, signal)
  }

  return async function* list(path, options = {}) {
    const stop = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
    try {
      let page = listPage(path, options.startAfter, signal)
      for (let after = options.startAfter; ; ) {
        const { entries, remaining } = await page
        const last = entries.at(-1)
        if (!last) return
        const next = baseName(last.path)
        if (remaining > 0) {
          page = listNext(path, next, after, signal)
          // Fails at its turn, or never, if the rest is not wanted.
          page.catch(() => {})
        }
        for (let at = 0; at < entries.length; at += maxPartEntries) yield entries.slice(at, at + maxPartEntries)
        if (remaining === 0) return
        after = next
      }
    } finally {
      stop.abort()
    }
  }
}
