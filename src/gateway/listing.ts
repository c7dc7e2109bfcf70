/**
 * The JSON of `/rest/1.0/json`, as old clients know it:
 *
 *     {"path":…,"parentPath":…,"entries":[{"path":…,"mtime":…,"size":…,"replication":…,"isDir":…,"content":[rows],…}]}
 *
 * with a few more fields behind the old ones of an entry. Indented as Jackson does it, or without a space.
 */
import type { FileStatus } from '../filesystem/filesystem.ts'
import { parentPath } from '../filesystem/path.ts'
import { formatPermission } from './permission.ts'

/** What an entry has behind its rows. */
export type EntryEnd = { readonly serializer?: string | undefined; readonly error?: string | undefined }

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
  const members = (fields: Fields, indent: string): string => {
    let text = ''
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      const label = pretty ? `\n${indent}"${name}" : ` : `"${name}":`
      text += `${text === '' ? '' : ','}${label}${typeof value === 'string' ? JSON.stringify(value) : value}`
    }
    return text
  }
  const open = (name: string, indent: string): string => (pretty ? `,\n${indent}"${name}" : [ ` : `,"${name}":[`)
  const close = (isFilled: boolean): string => (pretty && isFilled ? ' ]' : ']')
  return {
    start: path => `{${members({ path, parentPath: toParentUri(path) }, '  ')}${open('entries', '  ')}`,
    entryStart: (status, isFirst) => {
      const { path, modificationTime: mtime, length: size, replication, isDirectory: isDir } = status
      const fields = members({ path, mtime, size, replication, isDir }, '    ')
      return `${isFirst ? '' : pretty ? ', ' : ','}{${fields}${open('content', '    ')}`
    },
    entryEnd: ({ owner, group, permission, blockSize }, hasRows, { serializer, error }) => {
      const more = { serializer, owner, group, permission: formatPermission(permission), blockSize, error }
      return `${close(hasRows)},${members(more, '    ')}${pretty ? '\n  }' : '}'}`
    },
    end: hasEntries => `${close(hasEntries)}${pretty ? '\n}' : '}'}`,
  }
}

/** The directory of a path as Java's `URI` writes it: escaped, letters beyond ASCII as they are; empty for the root. */
export const toParentUri = (path: string): string =>
  path === '/' ? '' : parentPath(path).replace(needsEscape, encodeURIComponent)

type Fields = Readonly<Record<string, string | number | boolean | undefined>>

const needsEscape = /[^A-Za-z0-9_\-!.~'()*,;:$&+=@/\u00a1-\u1fff\u2030-\u205e\u2070-\u2fff\u3001-\uffff]/gu
