import { nextTurn } from '../../runtime/next-turn.ts'
import type { FileStatus, FileSystem, ListOptions } from '../filesystem.ts'
import { baseName, compareNames } from '../path.ts'
import { isUnknownOperation } from './errors.ts'
import { type ListingPage, parseListing, parseListingBatch } from './members/file-status.ts'
import { get, type Operations, refusal } from './operations.ts'
import { maxListingBytes, maxPageBytes } from './transport/read-limited.ts'

/** Entries of one part: a page, where the cluster has its default; an old cluster answers with all there are. */
const maxPartEntries = 1_000

/**
 * Makes the `listStatus` of one cluster, a page of some 1 000 entries at a time; the next page is asked for while one
 * is being taken. A cluster that does not know LISTSTATUS_BATCH (before Hadoop 2.8, HttpFS before 3.0) is remembered,
 * and asked for whole directories.
 */
export const createDirectoryLister = ({ client }: Operations): FileSystem['listStatus'] => {
  let knowsBatch = true

  const listPage = async (
    path: string,
    startAfter: string | undefined,
    { signal }: ListOptions,
  ): Promise<ListingPage> => {
    const call = { ...get, path, action: 'list', signal }
    if (knowsBatch) {
      try {
        const params = { startAfter: startAfter || undefined }
        return parseListingBatch(
          await client.json({ ...call, op: 'LISTSTATUS_BATCH', params, maxBytes: maxPageBytes }),
          path,
        )
      } catch (error) {
        if (!isUnknownOperation(error, 'LISTSTATUS_BATCH')) throw error
        knowsBatch = false
      }
    }
    const { entries } = parseListing(await client.json({ ...call, op: 'LISTSTATUS', maxBytes: maxListingBytes }), path)
    const isWanted = ({ path: entry }: FileStatus): boolean =>
      !startAfter || entry === path || compareNames(baseName(entry), startAfter) > 0
    return { entries: entries.filter(isWanted).sort((a, b) => compareNames(a.path, b.path)), remaining: 0 }
  }

  /** The page behind another one; asked for in the next turn, when whoever takes that one has not left with it. */
  const listNext = async (path: string, last: string, after: string | undefined, signal: AbortSignal) => {
    // A server that does not move on would be asked for ever.
    if (after && compareNames(last, after) <= 0) {
      throw refusal('unavailable', path, 'list', 'the name node repeats itself')
    }
    await nextTurn()
    return await listPage(path, last, { signal })
  }

  return async function* list(path, options = {}) {
    const stop = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
    try {
      let page = listPage(path, options.startAfter, { signal })
      for (let after = options.startAfter; ; ) {
        const { entries, remaining } = await page
        const last = entries.at(-1)
        if (!last) return
        const next = baseName(last.path)
        if (remaining > 0) {
          page = listNext(path, next, after, signal)
          // Fails when its turn comes, or never, when nobody wants the rest.
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
