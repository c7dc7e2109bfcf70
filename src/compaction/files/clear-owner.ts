import { hasCode } from '../../filesystem/cluster/steps.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName } from '../../filesystem/path.ts'
import { listIfThere } from './claim.ts'

/**
 * Removes the directory of an owner, step by step: one that gets a source meanwhile stays, and the commit goes before the claim.
 * Rejects with `FileSystemError`, and can be repeated.
 */
export const clearOwner = async (fileSystem: FileSystem, path: string): Promise<void> => {
  await fileSystem.delete(`${path}/commit`)
  for (const entry of await listIfThere(fileSystem, path)) {
    const name = baseName(entry.path)
    if (!keeping.includes(name)) await fileSystem.delete(entry.path, { recursive: true })
  }
  await fileSystem.delete(`${path}/claim`)
  for (const one of [
    `${path}/sources`,
    `${path}/again`,
    `${path}/replaced`,
    path,
    path.slice(0, path.lastIndexOf('/')),
  ])
    await deleteEmpty(fileSystem, one)
}

/** Deletes a directory without anything in it. A file there is somebody else's. Rejects with `FileSystemError`. */
export const deleteEmpty = async (fileSystem: FileSystem, path: string): Promise<void> => {
  if (!(await findStatus(fileSystem, path))?.isDirectory) return
  await fileSystem.delete(path).catch((error: unknown) => {
    if (!hasCode(error, 'not-empty')) throw error
  })
}

/** What is deleted last, or only without anything in it. */
const keeping: readonly string[] = ['claim', 'sources', 'again', 'replaced']
