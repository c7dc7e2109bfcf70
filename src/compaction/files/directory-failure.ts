import { type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'

/** A failure that is one of a directory, which holds up no other. @throws what it was, where others would meet it, too */
export const toDirectoryFailure = async (
  { fileSystem, signal }: { readonly fileSystem: FileSystem; readonly signal?: AbortSignal },
  error: unknown,
): Promise<FileSystemError> => {
  // Whatever a file system makes of it.
  signal?.throwIfAborted()
  if (!(error instanceof FileSystemError)) throw error
  if (error.code === 'unavailable')
    await fileSystem.probe().catch(() => {
      throw error
    })
  return error
}
