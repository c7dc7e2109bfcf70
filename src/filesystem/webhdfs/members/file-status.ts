/** The JSON of GETFILESTATUS, LISTSTATUS and LISTSTATUS_BATCH (Hadoop's "WebHDFS REST API", "HTTP Response Bodies"). */
import { isRecord } from '../../../is-record.ts'
import type { ListingPage } from '../../cluster/list-directory.ts'
import type { FileAttribute, FileStatus } from '../../filesystem.ts'
import { childPath } from '../../path.ts'
import { booleanMember, integerMember, listMember, member, textMember } from './members.ts'

/** @throws FileSystemError `unavailable` when it is something else */
export const parseFileStatus = (json: unknown, path: string): FileStatus =>
  toFileStatus(member(json, 'FileStatus', path), path)

/** @throws FileSystemError `unavailable` when it is something else */
export const parseListing = (json: unknown, path: string): ListingPage => {
  const entries = listMember(member(json, 'FileStatuses', path), 'FileStatus', path)
  return { entries: entries.map(entry => toFileStatus(entry, path)), remaining: 0 }
}

/** @throws FileSystemError `unavailable` when it is something else */
export const parseListingBatch = (json: unknown, path: string): ListingPage => {
  const listing = member(json, 'DirectoryListing', path)
  const { entries } = parseListing(member(listing, 'partialListing', path), path)
  return { entries, remaining: integerMember(listing, 'remainingEntries', path) }
}

/** The `{"boolean": …}` of MKDIRS, RENAME, DELETE and SETREPLICATION. */
export const parseBoolean = (json: unknown, path: string): boolean => booleanMember(json, 'boolean', path)

/** `directory` is the path that was asked for; a file that was asked for has an empty `pathSuffix`. */
const toFileStatus = (entry: unknown, directory: string): FileStatus => {
  const suffix = textMember(entry, 'pathSuffix', directory)
  const isDirectory = textMember(entry, 'type', directory) === 'DIRECTORY'
  const status = {
    path: suffix === '' ? directory : childPath(directory, suffix),
    isDirectory,
    length: integerMember(entry, 'length', directory),
    modificationTime: integerMember(entry, 'modificationTime', directory),
    accessTime: integerMember(entry, 'accessTime', directory),
    owner: textMember(entry, 'owner', directory),
    group: textMember(entry, 'group', directory),
    // A star or plus may follow the digits where there are ACLs.
    permission: Number.parseInt(textMember(entry, 'permission', directory), 8) & 0o1777,
    replication: isDirectory ? 0 : integerMember(entry, 'replication', directory),
    blockSize: isDirectory ? 0 : integerMember(entry, 'blockSize', directory),
  }
  const attributes = toAttributes(entry)
  return attributes ? { ...status, attributes } : status
}

/** A name node writes each attribute only where it is true; most entries have no attributes. */
const toAttributes = (entry: unknown): readonly FileAttribute[] | undefined => {
  if (!isRecord(entry)) return undefined
  const { aclBit, encBit, ecBit, snapshotEnabled } = entry
  if (!aclBit && !encBit && !ecBit && !snapshotEnabled) return undefined
  const attributes: FileAttribute[] = []
  if (aclBit === true) attributes.push('HAS_ACL')
  if (encBit === true) attributes.push('HAS_CRYPT')
  if (ecBit === true) attributes.push('HAS_EC')
  if (snapshotEnabled === true) attributes.push('SNAPSHOT_ENABLED')
  return attributes
}
