import type { FileStatus, FileSystem, PartialListing } from '../../filesystem/filesystem.ts'
import { baseName } from '../../filesystem/path.ts'
import { startTimeout } from '../../runtime/timers.ts'

/** One page of a directory. */
export type KeptPage = { readonly entries: readonly FileStatus[]; readonly hasMore: boolean }

/** Lists directories in pages; a client that soon asks for the next page gets it from the same listing. */
export type PagedListings = {
  /** Entries after the name `startAfter`. Rejects as a listing does. */
  next(path: string, startAfter: string | undefined): Promise<KeptPage>
}

/** Fewer only on the last page. */
const pageEntries = 1_000
/** How long a listing waits for its next page to be asked for, in ms. */
const keepMs = 10_000
/** Listings that wait at a time; the one that has waited longest makes room. */
const maxKept = 16

type Listing = {
  readonly parts: AsyncIterator<PartialListing, void>
  /** The entries after the last page returned. */
  ahead: IteratorResult<PartialListing, void>
}
type Kept = { readonly listing: Listing; readonly timer: ReturnType<typeof setTimeout> }

/**
 * Makes them over a file system. Without what is kept here, each page of a large directory would cost a listing of its
 * own: a local disk gives names in no order, and all of them are read and sorted to find those after one.
 */
export const createPagedListings = (fileSystem: Pick<FileSystem, 'listStatus'>): PagedListings => {
  const kept = new Map<string, Kept>()

  const take = (key: string): Listing | undefined => {
    const found = kept.get(key)
    if (found) clearTimeout(found.timer)
    kept.delete(key)
    return found?.listing
  }
  const close = (key: string): void => {
    // Not awaited: it waits for what the listing itself waits for.
    take(key)
      ?.parts.return?.()
      .catch(() => {})
  }
  const keep = (key: string, listing: Listing): void => {
    close(key)
    kept.set(key, { listing, timer: startTimeout(() => close(key), keepMs).unref() })
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) close(oldest)
  }
  const open = async (path: string, startAfter: string | undefined): Promise<Listing> => {
    const parts = fileSystem.listStatus(path, startAfter ? { startAfter } : {})[Symbol.asyncIterator]()
    return { parts, ahead: await parts.next() }
  }
  return {
    next: async (path, startAfter = '') => {
      const listing = take(toKey(path, startAfter)) ?? (await open(path, startAfter))
      const entries: FileStatus[] = []
      while (!listing.ahead.done && entries.length < pageEntries) {
        entries.push(...listing.ahead.value)
        listing.ahead = await listing.parts.next()
      }
      const last = entries.at(-1)
      const hasMore = !listing.ahead.done && last !== undefined
      if (hasMore) keep(toKey(path, baseName(last.path)), listing)
      return { entries, hasMore }
    },
  }
}

const toKey = (path: string, startAfter: string): string => `${path}\0${startAfter}`
