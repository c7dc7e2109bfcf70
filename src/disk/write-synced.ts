import type { Disk } from './disk.ts'

/** Writes a file whole and syncs it; replaces what an earlier attempt left under the name. */
export const writeSynced = async (disk: Disk, path: string, bytes: Uint8Array): Promise<void> => {
  await disk.unlink(path)
  const file = await disk.create(path)
  try {
    await file.append(bytes)
    await file.fdatasync()
  } catch (error) {
    // On a full disk a part of it would only be in the way.
    await disk.unlink(path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}
