import type { FileStatus, FileSystem } from '../../../filesystem/filesystem.ts'
import { baseName } from '../../../filesystem/path.ts'

/** By size or time, and by name backwards, a directory is shown up to this many (matching) entries. */
export const maxSortedEntries = 20_000

/** Names looked at for one page when most of them do not match the filter; the next page continues from there. */
export const maxScannedEntries = 250_000

/** Entries on one page at most, and where the request does not say. */
export const maxPageEntries = 1_000
export const defaultPageEntries = 200

export type ListingRequest = {
  readonly sort: 'name' | 'size' | 'modified'
  readonly order: 'asc' | 'desc'
  /** Part of a name, ignoring case; `*` matches anything. */
  readonly filter?: string | undefined
  readonly limit?: number | undefined
  /** Where a listing by name continues. */
  readonly startAfter?: string | undefined
  /** Which page of a listing in another order, from 1. */
  readonly page: number
}

/** One page of a directory. */
export type Listing = {
  readonly entries: readonly FileStatus[]
  /** The order that it has: by name where the directory is too large for the one asked for. */
  readonly sort: ListingRequest['sort']
  readonly order: ListingRequest['order']
  /** All matching entries, where the whole directory was read for this page. */
  readonly total?: { readonly entries: number; readonly bytes: number } | undefined
  /** Entries before the first one of the page, where that is known. */
  readonly skipped?: number | undefined
  readonly next?: { readonly startAfter?: string; readonly page?: number } | undefined
  readonly previous?: { readonly page: number } | undefined
  /** Whether the search stopped at {@link maxScannedEntries}. */
  readonly stopped: boolean
}

/**
 * Reads one page of a directory. By name it reads no more than the page; in any other order the whole directory, up to
 * {@link maxSortedEntries}, and falls back to names beyond. Rejects as `listStatus` does.
 */
export const listEntries = async (
  fileSystem: FileSystem,
  path: string,
  request: ListingRequest,
  signal: AbortSignal,
): Promise<Listing> => {
  const limit = Math.min(request.limit ?? defaultPageEntries, maxPageEntries)
  const byName = request.sort === 'name' && request.order === 'asc'
  const startAfter = byName && request.startAfter ? request.startAfter : undefined
  const wanted = byName ? limit : maxSortedEntries
  const matches = createNameFilter(request.filter)
  const found: FileStatus[] = []
  let scanned = 0
  let last = ''
  let isWhole = true
  const isEnough = (): boolean => found.length >= wanted || scanned >= maxScannedEntries
  const options = { signal, ...(startAfter === undefined ? {} : { startAfter }) }
  for await (const part of fileSystem.listStatus(path, options)) {
    for (const entry of part) {
      if (isEnough()) {
        isWhole = false
        break
      }
      scanned += 1
      last = baseName(entry.path)
      if (matches(last)) found.push(entry)
    }
    if (!isWhole) break
  }
  const stopped = !isWhole && found.length < wanted
  if (byName || !isWhole) return toNamePage(found, { limit, startAfter, isWhole, stopped, last })
  return toSortedPage(found, request, limit)
}

/**
 * Checks whether a name has the parts of a filter between its stars, one after another. Plain searches, so that no
 * filter makes it slow.
 */
export const createNameFilter = (filter: string | undefined): ((name: string) => boolean) => {
  const parts = (filter ?? '')
    .toLowerCase()
    .split('*')
    .filter(part => part !== '')
  if (parts.length === 0) return () => true
  return name => {
    const lower = name.toLowerCase()
    let from = 0
    for (const part of parts) {
      const at = lower.indexOf(part, from)
      if (at < 0) return false
      from = at + part.length
    }
    return true
  }
}

type NamePage = {
  readonly limit: number
  readonly startAfter: string | undefined
  readonly isWhole: boolean
  readonly stopped: boolean
  readonly last: string
}

const toNamePage = (found: readonly FileStatus[], { limit, startAfter, isWhole, stopped, last }: NamePage): Listing => {
  const entries = found.slice(0, limit)
  const lastShown = entries.at(-1)
  // Everything found fits: continue where the search stopped, after names that did not match.
  const after = lastShown === undefined || (stopped && found.length <= limit) ? last : baseName(lastShown.path)
  return {
    entries,
    sort: 'name',
    order: 'asc',
    stopped,
    ...(isWhole && startAfter === undefined ? { total: toTotal(found), skipped: 0 } : {}),
    ...(isWhole ? {} : { next: { startAfter: after } }),
  }
}

const toSortedPage = (found: FileStatus[], { sort, order, page }: ListingRequest, limit: number): Listing => {
  const sign = order === 'desc' ? -1 : 1
  // The sort is stable and the entries come by name: equal ones stay in that order.
  if (sort === 'name') found.reverse()
  else if (sort === 'size') found.sort((a, b) => sign * (a.length - b.length))
  else found.sort((a, b) => sign * (a.modificationTime - b.modificationTime))
  const skipped = Math.min((page - 1) * limit, Math.max(0, Math.floor((found.length - 1) / limit) * limit))
  const current = skipped / limit + 1
  return {
    entries: found.slice(skipped, skipped + limit),
    sort,
    order,
    total: toTotal(found),
    skipped,
    stopped: false,
    ...(skipped + limit < found.length ? { next: { page: current + 1 } } : {}),
    ...(current > 1 ? { previous: { page: current - 1 } } : {}),
  }
}

const toTotal = (entries: readonly FileStatus[]): NonNullable<Listing['total']> => ({
  entries: entries.length,
  bytes: entries.reduce((sum, { length }) => sum + length, 0),
})
