import { crc32 } from 'node:zlib'
import type { Attempt, FileSystem, FileSystemErrorCode } from '../filesystem.ts'
import { findStatus } from '../find-status.ts'

/** A way there that is blocked by a file says nothing of what became of one that was sent. */
export const absent: readonly FileSystemErrorCode[] = ['not-found']

/** Whether the file at a path is the one that was sent; its content counts where that is known. */
export const compareFile = async (
  fileSystem: Pick<FileSystem, 'open' | 'getFileStatus'>,
  path: string,
  { length, crc }: Omit<Attempt, 'temporary'>,
  signal?: AbortSignal,
): Promise<'ours' | 'foreign' | 'none'> => {
  const found = await findStatus(fileSystem, path, absent)
  if (!found) return 'none'
  if (found.isDirectory || found.length !== length) return 'foreign'
  if (crc === undefined) return 'ours'
  let read = 0
  for await (const chunk of await fileSystem.open(path, { ...(signal && { signal }) })) read = crc32(chunk, read)
  return read === crc ? 'ours' : 'foreign'
}
