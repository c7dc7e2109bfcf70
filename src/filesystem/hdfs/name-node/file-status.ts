import type { FileAttribute, FileStatus } from '../../filesystem.ts'
import { childPath } from '../../path.ts'
import { fileType, type HdfsFileStatus } from './messages.ts'

/** `FileStatus.AttrFlags` by their bits in `flags`, and where clusters before Hadoop 3 have them: beside the permission. */
const attributeBits: readonly (readonly [attribute: FileAttribute, flag: number, beside: number])[] = [
  ['HAS_ACL', 0x01, 0x1000],
  ['HAS_CRYPT', 0x02, 0x2000],
  ['HAS_EC', 0x04, 0x4000],
  ['SNAPSHOT_ENABLED', 0x08, 0],
]

/** @param directory the path that was asked for; what was asked for itself has an empty name */
export const fileStatusOf = (status: HdfsFileStatus, directory: string): FileStatus => {
  const isDirectory = status.fileType === fileType.directory
  const { perm } = status.permission
  const name = status.path.toString('utf8')
  const attributes = attributesOf(status.flags ?? 0, perm)
  return {
    path: name === '' ? directory : childPath(directory, name),
    isDirectory,
    length: status.length,
    modificationTime: status.modificationTime,
    accessTime: status.accessTime,
    owner: status.owner,
    group: status.group,
    permission: perm & 0o1777,
    replication: isDirectory ? 0 : (status.replication ?? 0),
    blockSize: isDirectory ? 0 : (status.blocksize ?? 0),
    ...(attributes && { attributes }),
  }
}

const attributesOf = (flags: number, perm: number): readonly FileAttribute[] | undefined => {
  if ((flags | (perm & ~0o1777)) === 0) return undefined
  const found = attributeBits.flatMap(([attribute, flag, beside]) => (flags & flag || perm & beside ? [attribute] : []))
  return found.length > 0 ? found : undefined
}
