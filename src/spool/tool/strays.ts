import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { toTemporaryRoot } from '../files/target-path.ts'

/** The temporary directory of another collector: one that is gone, or one that lives. Nothing in it shows which. */
export type Stray = {
  /** The collector's id, which its spool holds. */
  readonly id: string
  readonly path: string
  readonly files: number
  readonly bytes: number
  /** When it last changed, as far as its entries show; ms since the epoch. */
  readonly changed: number
}

/** What is in the file system, and which spools own it. */
export type StraysOptions = {
  readonly fileSystem: FileSystem
  /** `collector.event-output-directory` */
  readonly outputDirectory: string
  /** The collector's own id, whose directory it clears by itself; undefined without a spool. */
  readonly ownId: string | undefined
}

const idForm = /^[0-9a-f]{32}$/

/** The temporary directories of other collectors, the one that has not changed for longest first. */
export const listStrays = async ({ fileSystem, outputDirectory, ownId }: StraysOptions): Promise<Stray[]> => {
  const strays: Stray[] = []
  for await (const { path, isDirectory, modificationTime } of entriesOf(fileSystem, toTemporaryRoot(outputDirectory))) {
    const id = path.slice(path.lastIndexOf('/') + 1)
    if (!isDirectory || !idForm.test(id) || id === ownId) continue
    let files = 0
    let bytes = 0
    let changed = modificationTime
    for await (const entry of entriesOf(fileSystem, path)) {
      if (!entry.isDirectory) files++
      bytes += entry.length
      changed = Math.max(changed, entry.modificationTime)
    }
    strays.push({ id, path, files, bytes, changed })
  }
  return strays.sort((a, b) => a.changed - b.changed)
}

/**
 * Deletes the temporary directory of another collector with all that is in it. Should that one live, it sends what it has
 * there again from its own disk.
 * @throws RangeError for what is not an id, and for the own one
 * @throws FileSystemError `not-found` when there is no such directory
 */
export const removeStray = async (
  { fileSystem, outputDirectory, ownId }: StraysOptions,
  id: string,
): Promise<{ readonly path: string }> => {
  if (!idForm.test(id)) throw new RangeError(`${id}: expected the id of a collector, 32 hexadecimal digits`)
  if (id === ownId) throw new RangeError(`${id} is the id of this spool, which clears its directory itself`)
  const path = `${toTemporaryRoot(outputDirectory)}/${id}`
  await fileSystem.getFileStatus(path)
  await fileSystem.delete(path, { recursive: true })
  return { path }
}

/** None of a directory that is not there: no commit has made it yet, or it has gone meanwhile. */
async function* entriesOf(fileSystem: FileSystem, path: string): AsyncGenerator<FileStatus> {
  try {
    for await (const part of fileSystem.listStatus(path)) yield* part
  } catch (error) {
    if (!(error instanceof FileSystemError) || error.code !== 'not-found') throw error
  }
}
