/** The operations of WebHDFS that go through directories. */
import type { Params } from '../../contract/operations.ts'
import { hadoopOf } from '../../filesystem/facets.ts'
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { baseName, parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import { toJsonResponse } from '../answers.ts'
import { createTextBody } from '../body.ts'
import type { ToBodyOptions } from '../context.ts'
import { follow } from '../follow.ts'
import { toJsonTextResponse } from './answers.ts'
import { createFileStatusWriter, type WriteFileStatus } from './file-status-json.ts'
import { createPagedListings } from './paged-listings.ts'

/** Answers one of them. */
export type WalkWebHdfs = (call: Call<Params<'webHdfsGet'>>, toBodyOptions: ToBodyOptions) => Promise<Response>

/** Answers LISTSTATUS, LISTSTATUS_BATCH and GETCONTENTSUMMARY over a file system. */
export const createWalkWebHdfs = (fileSystem: FileSystem): WalkWebHdfs => {
  const listings = createPagedListings(fileSystem)
  return async (call, toBodyOptions) => {
    const path = parsePath(call.params.path)
    switch (call.params.op) {
      case 'LISTSTATUS_BATCH': {
        const { entries, hasMore } = await listings.next(path, call.params.startAfter)
        return toJsonTextResponse(toBatchJson(path, entries, hasMore))
      }
      case 'GETCONTENTSUMMARY':
        return toJsonResponse({
          ContentSummary: await hadoopOf(fileSystem).getContentSummary(path, { signal: call.signal }),
        })
      default: {
        const stop = follow(call.signal)
        const pieces = toListingJson(path, fileSystem.listStatus(path, { signal: stop.signal }))
        return toJsonTextResponse(await createTextBody(pieces, toBodyOptions(call, stop)))
      }
    }
  }
}

async function* toListingJson(
  path: string,
  parts: AsyncIterable<readonly FileStatus[]>,
): AsyncGenerator<string, void, undefined> {
  const write = createFileStatusWriter()
  let before = '{"FileStatuses":{"FileStatus":[\n'
  for await (const part of parts) {
    yield `${before}${toEntries(path, part, write)}`
    before = ',\n'
  }
  yield before === ',\n' ? '\n]}}\n' : `${before}\n]}}\n`
}

const toBatchJson = (path: string, entries: readonly FileStatus[], hasMore: boolean): string =>
  `{"DirectoryListing":{"partialListing":{"FileStatuses":{"FileStatus":[${toEntries(path, entries, createFileStatusWriter())}]}},` +
  `"remainingEntries":${hasMore ? 1 : 0}}}`

/** A file that was asked for is its own and only entry. */
const toEntries = (path: string, entries: readonly FileStatus[], write: WriteFileStatus): string =>
  entries.map(status => write(status, status.path === path ? '' : baseName(status.path))).join(',\n')
