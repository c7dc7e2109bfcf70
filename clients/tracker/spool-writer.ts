// node-only: files
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BatchFile } from './recovery.ts'
import { type SpoolName, toFileName, toFrames } from './spool-file.ts'

/** The file that events are appended to. */
export type OpenFile = {
  readonly events: number
  readonly bytes: number
  /** All or none: what cannot be written whole is cut off again. */
  append(records: readonly Uint8Array[]): Promise<void>
  /** Closes it; undefined when there is nothing in it, and no file then. */
  seal(): Promise<BatchFile | undefined>
}

export const createSpoolFile = async (
  directory: string,
  name: SpoolName,
  durability: 'fsync' | 'written',
): Promise<OpenFile> => {
  const path = join(directory, toFileName(name))
  const handle = await open(path, 'wx')
  if (durability === 'fsync') await syncDirectory(directory)
  let events = 0
  let bytes = 0
  return {
    get events() {
      return events
    },
    get bytes() {
      return bytes
    },
    append: async records => {
      const frames = toFrames(records)
      try {
        await writeAll(handle, frames, bytes)
        if (durability === 'fsync') await handle.datasync()
      } catch (error) {
        await handle.truncate(bytes).catch(() => {})
        throw error
      }
      events += records.length
      bytes += frames.length
    },
    seal: async () => {
      await handle.close()
      if (events === 0) {
        await rm(path, { force: true })
        return undefined
      }
      const sealed: SpoolName = { ...name, state: 'ready' }
      const target = join(directory, toFileName(sealed))
      // A file that keeps its name is sent all the same, and recovered under either.
      return await rename(path, target).then(
        () => ({ name: sealed, path: target, bytes }),
        () => ({ name, path, bytes }),
      )
    },
  }
}

/** Makes names in it last; where a system cannot sync directories, they last anyway. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const writeAll = async (handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at)
    if (bytesWritten === 0) throw new Error('Cannot write to the spool: the disk takes no more')
    at += bytesWritten
  }
}
