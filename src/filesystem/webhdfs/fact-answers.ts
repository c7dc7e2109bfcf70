/**
 * The JSON of GETCONTENTSUMMARY, GETFILECHECKSUM, GETFILEBLOCKLOCATIONS, GET_BLOCK_LOCATIONS, GETSTATUS and
 * GETSERVERDEFAULTS (Hadoop's "WebHDFS REST API", "HTTP Response Bodies"). All throw FileSystemError `unavailable` when it
 * is something else.
 */
import type { BlockLocation, ContentSummary, FileChecksum, FsServerDefaults, FsStatus } from '../filesystem.ts'
import { boolean, integer, list, member, sum, text, texts } from './members.ts'

export const parseContentSummary = (json: unknown, path: string): ContentSummary => {
  const summary = member(json, 'ContentSummary', path)
  return {
    directoryCount: integer(summary, 'directoryCount', path),
    fileCount: integer(summary, 'fileCount', path),
    length: sum(summary, 'length', path),
    spaceConsumed: sum(summary, 'spaceConsumed', path),
    quota: toQuota(sum(summary, 'quota', path)),
    spaceQuota: toQuota(sum(summary, 'spaceQuota', path)),
  }
}

export const parseFileChecksum = (json: unknown, path: string): FileChecksum => {
  const checksum = member(json, 'FileChecksum', path)
  return {
    algorithm: text(checksum, 'algorithm', path),
    bytes: text(checksum, 'bytes', path),
    length: integer(checksum, 'length', path),
  }
}

export const parseBlockLocations = (json: unknown, path: string): readonly BlockLocation[] =>
  list(member(json, 'BlockLocations', path), 'BlockLocation', path).map(location => ({
    offset: integer(location, 'offset', path),
    length: integer(location, 'length', path),
    hosts: texts(location, 'hosts', path),
    names: texts(location, 'names', path),
  }))

/** As clusters before Hadoop 3 tell it. */
export const parseLocatedBlocks = (json: unknown, path: string): readonly BlockLocation[] =>
  list(member(json, 'LocatedBlocks', path), 'locatedBlocks', path).map(located => {
    const nodes = list(located, 'locations', path)
    return {
      offset: integer(located, 'startOffset', path),
      length: integer(member(located, 'block', path), 'numBytes', path),
      hosts: nodes.map(node => text(node, 'hostName', path)),
      names: nodes.map(node => `${text(node, 'ipAddr', path)}:${integer(node, 'xferPort', path)}`),
    }
  })

export const parseStatus = (json: unknown, path: string): FsStatus => {
  const status = member(json, 'FsStatus', path)
  return {
    capacity: sum(status, 'capacity', path),
    used: sum(status, 'used', path),
    remaining: sum(status, 'remaining', path),
  }
}

export const parseServerDefaults = (json: unknown, path: string): FsServerDefaults => {
  const defaults = member(json, 'FsServerDefaults', path)
  return {
    blockSize: integer(defaults, 'blockSize', path),
    replication: integer(defaults, 'replication', path),
    bytesPerChecksum: integer(defaults, 'bytesPerChecksum', path),
    writePacketSize: integer(defaults, 'writePacketSize', path),
    fileBufferSize: integer(defaults, 'fileBufferSize', path),
    encryptDataTransfer: boolean(defaults, 'encryptDataTransfer', path),
    trashInterval: integer(defaults, 'trashInterval', path),
    checksumType: integer(defaults, 'checksumType', path),
  }
}

/** What the root of a cluster has, the largest number of Java, is not a limit; rounded it would not even be one of Java's. */
const toQuota = (quota: number): number => (quota >= 2 ** 63 ? -1 : quota)
