/**
 * The JSON of GETCONTENTSUMMARY, GETFILECHECKSUM, GETFILEBLOCKLOCATIONS, GET_BLOCK_LOCATIONS, GETSTATUS and
 * GETSERVERDEFAULTS (Hadoop's "WebHDFS REST API", "HTTP Response Bodies"). All throw FileSystemError `unavailable` when it
 * is something else.
 */
import type { BlockLocation, ContentSummary, FileChecksum, FsServerDefaults, FsStatus } from '../../hadoop-verbs.ts'
import { booleanMember, integerMember, listMember, member, sumMember, textMember, textsMember } from './members.ts'

export const parseContentSummary = (json: unknown, path: string): ContentSummary => {
  const summary = member(json, 'ContentSummary', path)
  return {
    directoryCount: integerMember(summary, 'directoryCount', path),
    fileCount: integerMember(summary, 'fileCount', path),
    length: sumMember(summary, 'length', path),
    spaceConsumed: sumMember(summary, 'spaceConsumed', path),
    quota: toQuota(sumMember(summary, 'quota', path)),
    spaceQuota: toQuota(sumMember(summary, 'spaceQuota', path)),
  }
}

export const parseFileChecksum = (json: unknown, path: string): FileChecksum => {
  const checksum = member(json, 'FileChecksum', path)
  return {
    algorithm: textMember(checksum, 'algorithm', path),
    bytes: textMember(checksum, 'bytes', path),
    length: integerMember(checksum, 'length', path),
  }
}

export const parseBlockLocations = (json: unknown, path: string): readonly BlockLocation[] =>
  listMember(member(json, 'BlockLocations', path), 'BlockLocation', path).map(location => ({
    offset: integerMember(location, 'offset', path),
    length: integerMember(location, 'length', path),
    hosts: textsMember(location, 'hosts', path),
    names: textsMember(location, 'names', path),
  }))

/** In the form of clusters before Hadoop 3. */
export const parseLocatedBlocks = (json: unknown, path: string): readonly BlockLocation[] =>
  listMember(member(json, 'LocatedBlocks', path), 'locatedBlocks', path).map(located => {
    const nodes = listMember(located, 'locations', path)
    return {
      offset: integerMember(located, 'startOffset', path),
      length: integerMember(member(located, 'block', path), 'numBytes', path),
      hosts: nodes.map(node => textMember(node, 'hostName', path)),
      names: nodes.map(node => `${textMember(node, 'ipAddr', path)}:${integerMember(node, 'xferPort', path)}`),
    }
  })

export const parseStatus = (json: unknown, path: string): FsStatus => {
  const status = member(json, 'FsStatus', path)
  return {
    capacity: sumMember(status, 'capacity', path),
    used: sumMember(status, 'used', path),
    remaining: sumMember(status, 'remaining', path),
  }
}

export const parseServerDefaults = (json: unknown, path: string): FsServerDefaults => {
  const defaults = member(json, 'FsServerDefaults', path)
  return {
    blockSize: integerMember(defaults, 'blockSize', path),
    replication: integerMember(defaults, 'replication', path),
    bytesPerChecksum: integerMember(defaults, 'bytesPerChecksum', path),
    writePacketSize: integerMember(defaults, 'writePacketSize', path),
    fileBufferSize: integerMember(defaults, 'fileBufferSize', path),
    encryptDataTransfer: booleanMember(defaults, 'encryptDataTransfer', path),
    trashInterval: integerMember(defaults, 'trashInterval', path),
    checksumType: integerMember(defaults, 'checksumType', path),
  }
}

/** What the root of a cluster has, the largest number of Java, is not a limit; rounded it would not even be one of Java's. */
const toQuota = (quota: number): number => (quota >= 2 ** 63 ? -1 : quota)
