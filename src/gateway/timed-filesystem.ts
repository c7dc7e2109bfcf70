import { wrapFacet } from '../filesystem/facets.ts'
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
  const { directories, hadoop } = fileSystem
  return {
    url: fileSystem.url,
    publish: (path, source, options) => timed(() => fileSystem.publish(path, source, options)),
    settle: (path, attempt, options) => timed(() => fileSystem.settle(path, attempt, options)),
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
        // Only the first: the time of the others depends on their consumer.
        let next = await timed(() => parts.next())
        while (!next.done) {
          yield next.value
          next = await parts.next()
        }
      } finally {
        await parts.return?.()
      }
    },
    delete: (path, options) => timed(() => fileSystem.delete(path, options)),
    ...(directories && {
      directories: wrapFacet(directories, (_, args, call) => timed(() => call(directories, args))),
    }),
    ...(hadoop && { hadoop: wrapFacet(hadoop, (_, args, call) => timed(() => call(hadoop, args))) }),
    probe: () => timed(() => fileSystem.probe()),
    close: () => fileSystem.close(),
  }
}
