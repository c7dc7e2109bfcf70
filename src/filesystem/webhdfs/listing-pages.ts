import type { ListingPage, ListPage } from '../cluster/list-directory.ts'
import type { FileStatus } from '../filesystem.ts'
import { baseName, compareNames } from '../path.ts'
import { isUnknownOperation } from './errors.ts'
import { parseListing, parseListingBatch } from './members/file-status.ts'
import { get, type Operations } from './operations.ts'
import { maxListingBytes, maxPageBytes } from './transport/read-limited.ts'

/**
 * Asks for the pages of a listing. A cluster that does not know LISTSTATUS_BATCH (before Hadoop 2.8, HttpFS before 3.0) is
 * remembered, and asked for whole directories.
 */
export const createListingPages = ({ client }: Operations): ListPage => {
  let knowsBatch = true

  return async (path, startAfter, signal): Promise<ListingPage> => {
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
}
