import type { FileAppender } from '../../filesystem/appends.ts'
import { hasCode } from '../../filesystem/cluster/steps.ts'
import { appendsOf, directoriesOf } from '../../filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { parentPath } from '../../filesystem/path.ts'

/** The directory in HDFS that has a spool's copy. Every verb rejects with `FileSystemError`; none of them makes the directory. */
export type RemoteDirectory = {
  /** Absolute. */
  readonly path: string
  /** Whether it is there. */
  exists(): Promise<boolean>
  /** Makes it; only its owner may look into it. */
  make(): Promise<void>
  /** Removes it with all that is in it. @returns whether it was there */
  remove(): Promise<boolean>
  /** A new file in place of one of its name. Rejects with `not-found` where the directory is gone. */
  create(name: string, signal: AbortSignal): Promise<FileAppender>
  /** Gives a file another name, in place of the file that has it. */
  rename(from: string, to: string): Promise<void>
  /** A missing file is fine. */
  delete(name: string): Promise<void>
  /**
   * A file, taken from its writer where an earlier process left it open; undefined where it is not there. Rejects with `unavailable` as
   * long as it is not closed.
   */
  read(name: string): Promise<Uint8Array | undefined>
  /** Lengths of its files by name; of one that is open as far as the name node knows it. */
  list(): Promise<ReadonlyMap<string, number>>
}

/** @param replication how many data nodes are to have its files */
export const createRemoteDirectory = (
  fileSystem: FileSystem,
  path: string,
  replication: () => number,
): RemoteDirectory => {
  const at = (name: string): string => `${path}/${name}`
  return {
    path,
    exists: async () => (await findStatus(fileSystem, path, ['not-found']))?.isDirectory ?? false,
    make: async () => {
      const directories = directoriesOf(fileSystem)
      const logs = parentPath(path)
      // HDFS gives missing parents the mode that is asked for: event files beside the logs are not for their owner alone.
      await directories.mkdirs(parentPath(logs))
      for (const own of [logs, path]) await directories.mkdirs(own, { permission: 0o700 })
    },
    remove: () => fileSystem.delete(path, { recursive: true }),
    create: (name, signal) => {
      const made = { overwrite: true, createParent: false, permission: 0o600, replication: replication(), signal }
      return appendsOf(fileSystem).create(at(name), made)
    },
    rename: (from, to) => directoriesOf(fileSystem).rename(at(from), at(to), { overwrite: true }),
    delete: async name => void (await fileSystem.delete(at(name))),
    read: async name => {
      try {
        if (!(await appendsOf(fileSystem).recoverLease(at(name)))) throw notClosed(at(name))
        return new Uint8Array(await new Response(await fileSystem.open(at(name))).arrayBuffer())
      } catch (error) {
        if (hasCode(error, 'not-found')) return undefined
        throw error
      }
    },
    list: async () => {
      const lengths = new Map<string, number>()
      for await (const part of fileSystem.listStatus(path)) {
        for (const entry of part) {
          if (!entry.isDirectory) lengths.set(entry.path.slice(path.length + 1), entry.length)
        }
      }
      return lengths
    },
  }
}

const notClosed = (path: string): FileSystemError =>
  new FileSystemError(
    'unavailable',
    path,
    `HDFS does not close "${path}" yet: the data nodes that have its last block may be away`,
  )
