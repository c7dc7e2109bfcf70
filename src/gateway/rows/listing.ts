/**
 * The JSON of `/rest/1.0/json`, as old clients know it:
 *
 *     {"path":…,"parentPath":…,"entries":[{"path":…,"mtime":…,"size":…,"replication":…,"isDir":…,"content":[rows],…}]}
 *
 * with a few more fields after the old ones of an entry. Indented as Jackson does it, or without a space.
 */
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { parentPath } from '../../filesystem/path.ts'
import { formatPermission } from '../write/permission.ts'
import { quoteJson } from './quote-json.ts'

/** The fields of an entry after its rows. */
export type EntryEnd = {
  readonly serializer?: string | undefined
  readonly error?: string | undefined
  /** For a search. */
  readonly search?:
    | { readonly searched: number; readonly matched: number; readonly unknownColumns: readonly string[] }
    | undefined
}

/** Text of the parts of a listing, in their order: start, then entryStart … entryEnd for each entry, then end. */
export type ListingLayout = {
  start(path: string): string
  /** Ends where the first row goes. */
  entryStart(status: FileStatus, isFirst: boolean): string
  entryEnd(status: FileStatus, hasRows: boolean, end: EntryEnd): string
  end(hasEntries: boolean): string
}

/** Makes the parts. @param pretty whether they are indented */
export const createListingLayout = (pretty: boolean): ListingLayout => {
  const label = (name: string, indent = '    '): string => (pretty ? `\n${indent}"${name}" : ` : `"${name}":`)
  const open = pretty ? '[ ' : '['
  const close = (isFilled: boolean): string => (pretty && isFilled ? ' ]' : ']')
  const [between, last] = pretty ? [', ', '\n  }'] : [',', '}']
  // Made once: a directory may have very many entries.
  const at = {
    path: label('path'),
    mtime: label('mtime'),
    size: label('size'),
    replication: label('replication'),
    isDir: label('isDir'),
    content: `${label('content')}${open}`,
    serializer: label('serializer'),
    owner: label('owner'),
    group: label('group'),
    permission: label('permission'),
    blockSize: label('blockSize'),
    error: label('error'),
    searched: label('searched'),
    matched: label('matched'),
    unknownColumns: label('unknownColumns'),
  }
  let before: FileStatus | undefined
  let common = ''
  /** The part that an entry shares with most others: rebuilt only if it differs from that of the previous entry. */
  const toCommon = (status: FileStatus): string => {
    const { owner, group, permission, blockSize } = status
    const isSame =
      owner === before?.owner &&
      group === before.group &&
      permission === before.permission &&
      blockSize === before.blockSize
    if (isSame) return common
    before = status
    common = [
      `${at.owner}${quoteJson(owner)}`,
      `${at.group}${quoteJson(group)}`,
      `${at.permission}"${formatPermission(permission)}"`,
      `${at.blockSize}${blockSize}`,
    ].join()
    return common
  }
  return {
    start: path => {
      const parent = `${label('parentPath', '  ')}${quoteJson(toParentUri(path))}`
      return `{${label('path', '  ')}${quoteJson(path)},${parent},${label('entries', '  ')}${open}`
    },
    entryStart: ({ path, modificationTime, length, replication, isDirectory }, isFirst) =>
      `${isFirst ? '' : between}{${at.path}${quoteJson(path)},${at.mtime}${modificationTime},${at.size}${length},` +
      `${at.replication}${replication},${at.isDir}${isDirectory},${at.content}`,
    entryEnd: (status, hasRows, { serializer, error, search }) => {
      const how = serializer === undefined ? '' : `${at.serializer}${quoteJson(serializer)},`
      const failure = error === undefined ? '' : `,${at.error}${quoteJson(error)}`
      const found = search ? `,${at.searched}${search.searched},${at.matched}${search.matched}` : ''
      const unknown = search?.unknownColumns.length
        ? `,${at.unknownColumns}${JSON.stringify(search.unknownColumns)}`
        : ''
      return `${close(hasRows)},${how}${toCommon(status)}${found}${unknown}${failure}${last}`
    },
    end: hasEntries => `${close(hasEntries)}${pretty ? '\n}' : '}'}`,
  }
}

/** The directory of a path as Java's `URI` writes it: escaped, letters beyond ASCII as they are; empty for the root. */
export const toParentUri = (path: string): string =>
  path === '/' ? '' : parentPath(path).replace(needsEscape, encodeURIComponent)

const needsEscape = /[^A-Za-z0-9_\-!.~'()*,;:$&+=@/\u00a1-\u1fff\u2030-\u205e\u2070-\u2fff\u3001-\uffff]/gu
