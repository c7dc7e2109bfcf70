import { type FileStatus, type FileSystem, FileSystemError } from '../../src/filesystem/filesystem.ts'
import { listAll } from '../suites/list-all.ts'
import { findEvents } from '../suites/marks.ts'

/** The consumer of the event files: takes the old ones out of the file system, so that it never fills. */
export type Harvest = {
  /** Counts and removes the files last changed before `beforeMs`, ms since the epoch. */
  sweep(beforeMs: number): Promise<void>
  /** Numbers of the events in the files that were taken. */
  readonly found: readonly number[]
  readonly files: number
  /** Files that will stay for a while. */
  readonly young: readonly string[]
  /** The contents of the server's temporary directory. */
  leftOver(): Promise<readonly string[]>
}

/** A file that is named to readers goes no sooner than after this time. */
const readableMs = 100_000

/** Takes files from below `directory`. */
export const createHarvest = (fileSystem: FileSystem, directory: string): Harvest => {
  const found: number[] = []
  let files = 0
  let young: readonly string[] = []
  return {
    async sweep(beforeMs) {
      const left: string[] = []
      for (const { path, modificationTime } of await listFiles(fileSystem, directory)) {
        if (modificationTime >= beforeMs + readableMs) left.push(path)
        if (modificationTime >= beforeMs) continue
        const bytes = new Uint8Array(await new Response(await fileSystem.open(path)).arrayBuffer())
        // A file that could not be removed is not counted: the next sweep meets it again.
        if (!(await fileSystem.delete(path))) continue
        for (const event of findEvents(bytes)) found.push(event)
        files++
      }
      young = left
    },
    found,
    get files() {
      return files
    },
    get young() {
      return young
    },
    leftOver: async () => (await listFiles(fileSystem, `${directory}/_tmp`)).map(({ path }) => path),
  }
}

/** All files below a directory, which may be missing; those in a `_tmp` below it are not yet there for consumers. */
const listFiles = async (fileSystem: FileSystem, directory: string): Promise<FileStatus[]> => {
  const files: FileStatus[] = []
  try {
    for (const entry of await listAll(fileSystem, directory)) {
      if (!entry.isDirectory) files.push(entry)
      else if (!entry.path.endsWith('/_tmp')) files.push(...(await listFiles(fileSystem, entry.path)))
    }
  } catch (error) {
    if (!(error instanceof FileSystemError && error.code === 'not-found')) throw error
  }
  return files
}
