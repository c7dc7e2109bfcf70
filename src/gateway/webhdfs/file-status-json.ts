/** The JSON of statuses (Hadoop's "WebHDFS REST API", "FileStatus JSON Schema"). */
import type { FileAttribute, FileStatus } from '../../filesystem/filesystem.ts'
import { quoteJson } from '../rows/quote-json.ts'

/** What is written only where it is so. */
const attributeNames: Readonly<Record<FileAttribute, string>> = {
  HAS_ACL: 'aclBit',
  HAS_CRYPT: 'encBit',
  HAS_EC: 'ecBit',
  SNAPSHOT_ENABLED: 'snapshotEnabled',
}

/** Writes one status as text. `pathSuffix` is its name in the directory that was asked for; empty for the path itself. */
export type WriteFileStatus = (status: FileStatus, pathSuffix: string) => string

/** Makes what writes the statuses of one listing: of very many entries most have the same owner, group and so on. */
export const createFileStatusWriter = (): WriteFileStatus => {
  let before: FileStatus | undefined
  let common = ''
  const toCommon = (status: FileStatus): string => {
    if (before === undefined || !hasSameCommon(status, before)) common = writeCommon(status)
    before = status
    return common
  }
  return (status, pathSuffix) =>
    `{"accessTime":${status.accessTime ?? 0},"length":${status.length},"modificationTime":${status.modificationTime},` +
    `"pathSuffix":${quoteJson(pathSuffix)},${toCommon(status)}`
}

const hasSameCommon = (one: FileStatus, other: FileStatus): boolean =>
  one.owner === other.owner &&
  one.group === other.group &&
  one.permission === other.permission &&
  one.replication === other.replication &&
  one.blockSize === other.blockSize &&
  one.isDirectory === other.isDirectory &&
  one.attributes === other.attributes

const writeCommon = (status: FileStatus): string => {
  const { attributes = [], blockSize, replication, isDirectory } = status
  return (
    `${attributes.map(name => `"${attributeNames[name]}":true,`).join('')}"blockSize":${blockSize},` +
    `"group":${quoteJson(status.group)},"owner":${quoteJson(status.owner)},"permission":"${toOctal(status)}",` +
    `"replication":${replication},"type":"${isDirectory ? 'DIRECTORY' : 'FILE'}"}`
  )
}

/** The other JSON of a status, of GETTRASHROOTS. */
export const toTrashRootJson = (status: FileStatus): Readonly<Record<string, unknown>> => ({
  path: status.path,
  length: status.length,
  isdir: status.isDirectory,
  block_replication: status.replication,
  blocksize: status.blockSize,
  modification_time: status.modificationTime,
  access_time: status.accessTime ?? 0,
  permission: toOctal(status),
  owner: status.owner,
  group: status.group,
})

/** As Hadoop writes it, without zeros in front. */
const toOctal = ({ permission }: FileStatus): string => permission.toString(8)
