// node:fs
import { constants } from 'node:fs'
import { type FileHandle, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { release } from '../../bytes/slabs.ts'
import { abortable } from '../abortable.ts'
import type { CreateOptions } from '../hadoop-verbs.ts'
import { defaultFilePermission } from '../options.ts'
import { temporaryName } from '../temporary-name.ts'
import { syncDirectory } from './durable.ts'
import { type Inside, openInside } from './open-inside.ts'

/**
 * Writes a whole new file and syncs it and its directory. With `overwrite` the bytes go to a temporary name beside the
 * target, so that a reader sees the old file or the new one. On a failure what was written is removed again.
 */
export const writeFile = async (
  target: string,
  inside: Inside,
  source: AsyncIterable<Uint8Array>,
  { overwrite = false, permission = defaultFilePermission, signal }: CreateOptions,
): Promise<void> => {
  const directory = dirname(target)
  const written = overwrite ? join(directory, temporaryName()) : target
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  const file = await openInside(written, flags, inside, 0o600)
  try {
    try {
      for await (const chunk of abortable(source, signal, inside.path)) await writeAll(file, chunk)
      await file.chmod(permission)
      await file.sync()
    } finally {
      await file.close()
    }
    if (overwrite) await rename(written, target)
    await syncDirectory(directory)
  } catch (error) {
    await unlink(written).catch(() => {})
    throw error
  }
}

/** Writes a chunk at the file's current position, and gives it back. */
export const writeAll = async (file: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at, chunk.length - at)).bytesWritten
  release(chunk)
}
