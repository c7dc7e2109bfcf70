import type { Stats } from 'node:fs'
import type { FileStatus } from '../filesystem.ts'
import { defaultBlockSize } from '../options.ts'
import type { Accounts } from './accounts.ts'

/** What a local file or directory is to the callers of a file system. */
export const toFileStatus = (path: string, stats: Stats, accounts: Accounts): FileStatus => {
  const isDirectory = stats.isDirectory()
  const status = {
    path,
    isDirectory,
    length: isDirectory ? 0 : stats.size,
    modificationTime: Math.trunc(stats.mtimeMs),
    accessTime: Math.trunc(stats.atimeMs),
    owner: accounts.nameOf('user', stats.uid),
    group: accounts.nameOf('group', stats.gid),
    permission: stats.mode & 0o1777,
    replication: isDirectory ? 0 : 1,
    blockSize: isDirectory ? 0 : defaultBlockSize,
  }
  return isDirectory || stats.isFile() ? status : { ...status, isSpecial: true }
}
