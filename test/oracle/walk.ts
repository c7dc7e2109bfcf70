import type { FileStatus, FileSystem } from '../../src/filesystem/filesystem.ts'
import { listAll } from '../suites/list-all.ts'

/** All files below a directory, temporary ones and logs of collectors aside; none where it is missing. */
export const listFiles = async (fileSystem: FileSystem, directory: string): Promise<readonly FileStatus[]> => {
  const files: FileStatus[] = []
  const walk = async (path: string): Promise<void> => {
    for (const status of await listAll(fileSystem, path)) {
      if (!status.isDirectory) files.push(status)
      else if (!/\/_(?:tmp|log)$/.test(status.path)) await walk(status.path)
    }
  }
  await walk(directory).catch((error: { readonly code?: string }) => {
    if (error.code !== 'not-found') throw error
  })
  return files
}
