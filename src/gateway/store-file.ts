import { discardTemporary } from '../filesystem/discard-temporary.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../filesystem/filesystem.ts'
import { parentPath } from '../filesystem/path.ts'
import { temporaryName } from '../filesystem/temporary-name.ts'
import { findStatus } from './find-status.ts'

/** How a file is to be stored. */
export type StoreOptions = {
  readonly overwrite: boolean
  readonly replication?: number
  /** Bytes. */
  readonly blockSize?: number
  readonly permission?: number
  readonly signal?: AbortSignal
}

/**
 * Stores a whole file or nothing: written to a temporary name beside its target, checked, renamed. Nobody sees it
 * before; when something goes wrong, the temporary file and directories made for it are removed.
 * @param path as of `parsePath`
 * @throws FileSystemError `exists`, `is-directory` and the other codes of a file system; what `source` throws
 */
export const storeFile = async (
  fileSystem: FileSystem,
  path: string,
  source: AsyncIterable<Uint8Array>,
  { overwrite, ...options }: StoreOptions,
): Promise<FileStatus> => {
  refuseTaken(await findStatus(fileSystem, path), path, overwrite)
  const missing = await findMissingDirectory(fileSystem, parentPath(path))
  const temporary = `${parentPath(path).replace(/\/$/, '')}/${temporaryName()}`
  let bytes = 0
  try {
    await fileSystem.create(
      temporary,
      tap(source, length => {
        bytes += length
      }),
      options,
    )
    const status = await fileSystem.getFileStatus(temporary)
    if (status.length !== bytes) {
      const message = `Cannot create "${path}": ${bytes} bytes were sent, ${status.length} are there`
      throw new FileSystemError('unavailable', path, message)
    }
    await renameOnce(fileSystem, temporary, path, overwrite, bytes)
    return { ...status, path }
  } catch (error) {
    const remove = (): Promise<boolean> => fileSystem.delete(temporary).catch(() => false)
    await discardTemporary(remove, () => removeDirectories(fileSystem, path, missing))
    throw error
  }
}

const refuseTaken = (found: FileStatus | undefined, path: string, overwrite: boolean): void => {
  if (found?.isDirectory) throw new FileSystemError('is-directory', path, `Cannot create "${path}": it is a directory`)
  if (found && !overwrite) throw new FileSystemError('exists', path, `Cannot create "${path}": it exists already`)
}

/** The topmost directory on the way that does not exist yet; undefined when all do. */
const findMissingDirectory = async (fileSystem: FileSystem, directory: string): Promise<string | undefined> => {
  let missing: string | undefined
  for (let at = directory; at !== '/'; at = parentPath(at)) {
    const found = await findStatus(fileSystem, at)
    if (found?.isDirectory) break
    if (found)
      throw new FileSystemError('not-directory', at, `Cannot create a file below "${at}": it is not a directory`)
    missing = at
  }
  return missing
}

/** A rename whose reply is lost has taken effect if the target is as long as what was sent and the source is gone. */
const renameOnce = async (
  fileSystem: FileSystem,
  source: string,
  target: string,
  overwrite: boolean,
  bytes: number,
): Promise<void> => {
  try {
    await fileSystem.rename(source, target, { overwrite })
  } catch (error) {
    if (!(error instanceof FileSystemError) || error.code !== 'unavailable') throw error
    if (await findStatus(fileSystem, source)) throw error
    if ((await findStatus(fileSystem, target))?.length !== bytes) throw error
  }
}

/** From below upwards; a directory that somebody else uses by now is not empty. */
const removeDirectories = async (fileSystem: FileSystem, path: string, missing: string | undefined): Promise<void> => {
  if (missing === undefined) return
  try {
    for (let at = parentPath(path); at.length >= missing.length; at = parentPath(at)) await fileSystem.delete(at)
  } catch {
    // The reason why the upload failed is the one to tell.
  }
}

/**
 * Counts what goes through. No generator: who waits for a step and for something longer-lived at once (`Promise.race`)
 * keeps every step's result until the latter settles, which for an upload would be the whole file. So a result is
 * emptied when the next one is asked for.
 */
const tap = (source: AsyncIterable<Uint8Array>, onBytes: (length: number) => void): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = source[Symbol.asyncIterator]()
    let last: { readonly done: false; value: Uint8Array } | undefined
    return {
      next: async () => {
        if (last) last.value = nothing
        const step = await iterator.next()
        if (step.done) return step
        onBytes(step.value.length)
        last = { done: false, value: step.value }
        return last
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
  },
})

const nothing = new Uint8Array(0)
