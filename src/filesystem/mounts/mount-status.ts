import type { FileStatus } from '../filesystem.ts'
import { defaultDirectoryPermission } from '../options.ts'

/** A mount point, or a directory that leads to one: no file system is asked about it. */
export const toMountStatus = (path: string): FileStatus => ({
  path,
  isDirectory: true,
  length: 0,
  modificationTime: 0,
  owner: '',
  group: '',
  permission: defaultDirectoryPermission,
  replication: 0,
  blockSize: 0,
})
