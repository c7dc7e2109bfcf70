import type { FileSystem } from '../filesystem/filesystem.ts'
import { openFile } from '../filesystem/open-file.ts'

/** Hears how long a call took, in ms. */
export type OnUpstream = (ms: number) => void

/**
 * The same file system, with each call timed: until the first byte can be read, until a written file is complete, until
 * the first entries of a listing are there.
 */
export const createTimedFileSystem = (
  fileSystem: FileSystem,
  onUpstream: OnUpstream,
  monotonicMs: () => number = () => performance.now(),
): FileSystem => {
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    const start = monotonicMs()
    try {
      return await call()
    } finally {
      onUpstream(monotonicMs() - start)
    }
  }
  return {
    url: fileSystem.url,
    create: (path, source, options) => timed(() => fileSystem.create(path, source, options)),
    open: (path, options) => timed(() => fileSystem.open(path, options)),
    openFile: path =>
      timed(async () => {
        const { status, read, close } = await openFile(fileSystem, path)
        return { status, read: options => timed(() => read(options)), close }
      }),
    getFileStatus: path => timed(() => fileSystem.getFileStatus(path)),
    async *listStatus(path, options) {
      const parts = fileSystem.listStatus(path, options)[Symbol.asyncIterator]()
      try {
        // Only the first: how long the others take depends on whoever takes them.
        let next = await timed(() => parts.next())
        while (!next.done) {
          yield next.value
          next = await parts.next()
        }
      } finally {
        await parts.return?.()
      }
    },
    mkdirs: (path, options) => timed(() => fileSystem.mkdirs(path, options)),
    rename: (source, target, options) => timed(() => fileSystem.rename(source, target, options)),
    delete: (path, options) => timed(() => fileSystem.delete(path, options)),
    append: (path, source, options) => timed(() => fileSystem.append(path, source, options)),
    setPermission: (path, permission) => timed(() => fileSystem.setPermission(path, permission)),
    setOwner: (path, change) => timed(() => fileSystem.setOwner(path, change)),
    setReplication: (path, replication) => timed(() => fileSystem.setReplication(path, replication)),
    setTimes: (path, times) => timed(() => fileSystem.setTimes(path, times)),
    getContentSummary: (path, options) => timed(() => fileSystem.getContentSummary(path, options)),
    getFileChecksum: path => timed(() => fileSystem.getFileChecksum(path)),
    getFileBlockLocations: (path, offset, length) =>
      timed(() => fileSystem.getFileBlockLocations(path, offset, length)),
    getStatus: path => timed(() => fileSystem.getStatus(path)),
    getServerDefaults: path => timed(() => fileSystem.getServerDefaults(path)),
    access: (path, action) => timed(() => fileSystem.access(path, action)),
    ...(fileSystem.webHdfs ? { webHdfs: operation => timed(async () => fileSystem.webHdfs?.(operation)) } : {}),
    probe: () => timed(() => fileSystem.probe()),
    close: () => fileSystem.close(),
  }
}
