/** The JSON of GETFILESTATUS, LISTSTATUS and LISTSTATUS_BATCH (Hadoop's "WebHDFS REST API", "HTTP Response Bodies"). */

import { isRecord } from '../../is-record.ts'
import { type FileStatus, FileSystemError } from '../filesystem.ts'
import { childPath } from '../path.ts'

/** One page of a directory, with the number of entries after it. */
export type ListingPage = { readonly entries: readonly FileStatus[]; readonly remaining: number }

/** @throws FileSystemError `unavailable` when it is something else */
export const parseFileStatus = (json: unknown, path: string): FileStatus =>
  toFileStatus(member(json, 'FileStatus', path), path)

/** @throws FileSystemError `unavailable` when it is something else */
export const parseListing = (json: unknown, path: string): ListingPage => {
  const entries = member(member(json, 'FileStatuses', path), 'FileStatus', path)
  if (!Array.isArray(entries)) throw malformed(path, 'FileStatus')
  return { entries: entries.map(entry => toFileStatus(entry, path)), remaining: 0 }
}

/** @throws FileSystemError `unavailable` when it is something else */
export const parseListingBatch = (json: unknown, path: string): ListingPage => {
  const listing = member(json, 'DirectoryListing', path)
  const { entries } = parseListing(member(listing, 'partialListing', path), path)
  return { entries, remaining: integer(listing, 'remainingEntries', path) }
}

/** The `{"boolean": …}` of MKDIRS, RENAME and DELETE. */
export const parseBoolean = (json: unknown, path: string): boolean => {
  const value = member(json, 'boolean', path)
  if (typeof value !== 'boolean') throw malformed(path, 'boolean')
  return value
}

/** `directory` is the path that was asked for; a file that was asked for has an empty `pathSuffix`. */
const toFileStatus = (entry: unknown, directory: string): FileStatus => {
  const suffix = text(entry, 'pathSuffix', directory)
  const isDirectory = text(entry, 'type', directory) === 'DIRECTORY'
  return {
    path: suffix === '' ? directory : childPath(directory, suffix),
    isDirectory,
    length: integer(entry, 'length', directory),
    modificationTime: integer(entry, 'modificationTime', directory),
    owner: text(entry, 'owner', directory),
    group: text(entry, 'group', directory),
    // A star or plus may follow the digits where there are ACLs.
    permission: Number.parseInt(text(entry, 'permission', directory), 8) & 0o1777,
    replication: isDirectory ? 0 : integer(entry, 'replication', directory),
    blockSize: isDirectory ? 0 : integer(entry, 'blockSize', directory),
  }
}

const member = (json: unknown, name: string, path: string): unknown => {
  // Nothing that JSON.parse makes has one of these names from its prototype.
  if (!isRecord(json) || json[name] === undefined) throw malformed(path, name)
  return json[name]
}

const text = (json: unknown, name: string, path: string): string => {
  const value = member(json, name, path)
  if (typeof value !== 'string') throw malformed(path, name)
  return value
}

/** Java has 64 bits; a number beyond 2^53 was rounded by JSON.parse, and is refused instead of being passed on. */
const integer = (json: unknown, name: string, path: string): number => {
  const value = member(json, name, path)
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw malformed(path, name)
  return value
}

const malformed = (path: string, name: string): FileSystemError => {
  const message = `Cannot understand the name node's answer for "${path}": "${name}" is missing or has a wrong value`
  return new FileSystemError('unavailable', path, message)
}
