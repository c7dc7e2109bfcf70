// node:fs
import { stat, statfs } from 'node:fs/promises'
import { throwIfAborted } from '../abortable.ts'
import { type FileSystem, FileSystemError } from '../filesystem.ts'
import { checkRange } from '../options.ts'
import { parsePath } from '../path.ts'
import { unsupportedLocally } from '../unsupported.ts'
import { summarize } from './content-summary.ts'
import { guard, notFoundBelowFile } from './errors.ts'
import { resolveInside } from './resolve.ts'

/** Bytes that the status of a file reports, as Hadoop's own local file system does. */
export const blockSize = 32 * 1024 * 1024

type Facts = Pick<
  FileSystem,
  'getContentSummary' | 'getFileChecksum' | 'getFileBlockLocations' | 'getStatus' | 'getServerDefaults'
>

/** What can be asked of a directory of this machine, in the words of a cluster. */
export const createFacts = (root: string): Facts => {
  const find = async (path: string) => {
    const target = await resolveInside(root, parsePath(path))
    return { target, stats: await stat(target).catch(notFoundBelowFile) }
  }
  return {
    getContentSummary: (path, { signal } = {}) =>
      guard('summarize', path, async () => {
        const name = parsePath(path)
        throwIfAborted(signal, name)
        const { target } = await find(name)
        return await summarize(target, { root, path: name }, signal)
      }),

    // Clusters compare their own kind of checksum only.
    getFileChecksum: path =>
      guard('get the checksum of', path, async () => {
        await find(path)
        throw unsupportedLocally(parsePath(path), 'getFileChecksum')
      }),

    getFileBlockLocations: (path, offset, length) =>
      guard('locate the blocks of', path, async () => {
        checkRange({ offset, length })
        const { stats } = await find(path)
        if (stats.isDirectory()) {
          const message = `Cannot locate the blocks of "${path}": it is a directory`
          throw new FileSystemError('is-directory', parsePath(path), message)
        }
        // The whole file is one block, which is told whole, as a cluster does; its name is that of Hadoop's own.
        const isTouched = length > 0 && offset < stats.size
        return isTouched ? [{ offset: 0, length: stats.size, hosts: ['localhost'], names: ['localhost:9866'] }] : []
      }),

    getStatus: path =>
      guard('get the status of', path, async () => {
        const { target } = await find(path)
        const { bsize, blocks, bfree, bavail } = await statfs(target)
        return { capacity: blocks * bsize, used: (blocks - bfree) * bsize, remaining: bavail * bsize }
      }),

    getServerDefaults: path =>
      guard('get the defaults of', path, async () => {
        parsePath(path)
        return {
          blockSize,
          replication: 1,
          bytesPerChecksum: 512,
          writePacketSize: 64 * 1024,
          fileBufferSize: 4 * 1024,
          encryptDataTransfer: false,
          trashInterval: 0,
          checksumType: 2,
        }
      }),
  }
}
