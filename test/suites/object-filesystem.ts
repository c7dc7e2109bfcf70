import { crc32 } from 'node:zlib'
import { sharedStream } from '../../src/bytes/byte-stream.ts'
import { type FileStatus, type FileSystem, FileSystemError, type Settled } from '../../src/filesystem/filesystem.ts'
import { defaultFilePermission, toRange } from '../../src/filesystem/options.ts'
import { compareNames, isInside, parsePath } from '../../src/filesystem/path.ts'

type Stored = { readonly bytes: Buffer; readonly modificationTime: number }

/**
 * Files in memory under their paths, as an object store has them: no directory is made, nothing is renamed, and a file is
 * there with its last byte. What is new in `src/filesystem/` has to do with no more than this.
 */
export const createObjects = (url = 'objects://bucket'): FileSystem => {
  const objects = new Map<string, Stored>()
  const isDirectory = (path: string): boolean => [...objects.keys()].some(key => key !== path && isInside(key, path))
  const toStatus = (path: string, stored: Stored | undefined): FileStatus => ({
    path,
    isDirectory: stored === undefined,
    length: stored?.bytes.length ?? 0,
    modificationTime: stored?.modificationTime ?? 0,
    owner: '',
    group: '',
    permission: stored ? defaultFilePermission : 0o755,
    replication: stored ? 1 : 0,
    blockSize: 0,
  })
  const find = (text: string): FileStatus => {
    const path = parsePath(text)
    const stored = objects.get(path)
    if (stored || path === '/' || isDirectory(path)) return toStatus(path, stored)
    throw new FileSystemError('not-found', path, `Cannot look at "${path}": there is no such file or directory`)
  }
  const settle = (path: string, crc: number | undefined): Settled => {
    const stored = objects.get(path)
    if (stored === undefined) return { outcome: 'again' }
    return { outcome: crc32(stored.bytes) === crc ? 'done' : 'foreign' }
  }

  return {
    url,
    // One call of an object store that writes only where nothing is (`If-None-Match: *`): no temporary name is needed.
    async publish(text, source, { overwrite = false, attempt } = {}) {
      const path = parsePath(text)
      const stored = { bytes: Buffer.concat(await Array.fromAsync(source)), modificationTime: Date.now() }
      await attempt?.note()
      if (objects.has(path) && !overwrite) return { ...settle(path, attempt?.crc), status: toStatus(path, stored) }
      objects.set(path, stored)
      return { outcome: 'done', status: toStatus(path, stored) }
    },
    settle: async (text, { crc }) => settle(parsePath(text), crc),
    async open(text, options = {}) {
      const { path } = find(text)
      const { bytes } = objects.get(path) ?? {}
      if (!bytes) throw new FileSystemError('is-directory', path, `Cannot open "${path}": it is a directory`)
      const { start, end } = toRange(options, bytes.length)
      return sharedStream([bytes.subarray(start, end)])
    },
    getFileStatus: async text => find(text),
    async *listStatus(text, { startAfter } = {}) {
      const { path, ...status } = find(text)
      if (!status.isDirectory) return yield [{ path, ...status }]
      const start = path === '/' ? 1 : path.length + 1
      const below = [...objects.keys()].filter(key => key !== path && isInside(key, path))
      const names = [...new Set(below.map(key => key.slice(start).split('/')[0] ?? ''))].sort(compareNames)
      const entries = names.filter(name => startAfter === undefined || compareNames(name, startAfter) > 0)
      if (entries.length > 0) yield entries.map(name => find(`${path}/${name}`))
    },
    async delete(text, { recursive = false } = {}) {
      const path = parsePath(text)
      if (isDirectory(path) && !recursive) {
        throw new FileSystemError('not-empty', path, `Cannot delete "${path}": the directory is not empty`)
      }
      const gone = [...objects.keys()].filter(key => isInside(key, path))
      for (const key of gone) objects.delete(key)
      return gone.length > 0
    },
    async probe() {},
    async close() {},
  }
}
