/** The JSON of statuses (Hadoop's "WebHDFS REST API", "FileStatus JSON Schema"): names in the order that Hadoop writes. */
import type { FileAttribute, FileStatus } from '../../filesystem/filesystem.ts'

/** What is written only where it is so. */
const attributeNames: Readonly<Record<FileAttribute, string>> = {
  HAS_ACL: 'aclBit',
  HAS_CRYPT: 'encBit',
  HAS_EC: 'ecBit',
  SNAPSHOT_ENABLED: 'snapshotEnabled',
}

/** One status as text. @param pathSuffix its name in the directory that was asked for; empty for the path itself */
export const toFileStatusJson = (status: FileStatus, pathSuffix: string): string => {
  const { accessTime = 0, attributes = [], blockSize, length, modificationTime, replication } = status
  return (
    `{"accessTime":${accessTime},${attributes.map(name => `"${attributeNames[name]}":true,`).join('')}` +
    `"blockSize":${blockSize},"group":${JSON.stringify(status.group)},"length":${length},` +
    `"modificationTime":${modificationTime},"owner":${JSON.stringify(status.owner)},` +
    `"pathSuffix":${JSON.stringify(pathSuffix)},"permission":"${toOctal(status)}","replication":${replication},` +
    `"type":"${status.isDirectory ? 'DIRECTORY' : 'FILE'}"}`
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
