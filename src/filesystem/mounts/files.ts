import type { FileStatus, FileSystem } from '../filesystem.ts'
import { toDirectoryStatus } from '../find-status.ts'
import { openFile } from '../open-file.ts'
import { parsePath } from '../path.ts'
import { isDirectoryError, isMissing, type MountRoutes } from './routes.ts'

/** Looks at files and opens them where they are. */
export const createMountFiles = (
  routes: MountRoutes,
): Required<Pick<FileSystem, 'getFileStatus' | 'open' | 'openFile'>> => {
  const { at, namesBelow, holdsMount, refuseDirectory } = routes

  const getFileStatus = async (text: string): Promise<FileStatus> => {
    const path = parsePath(text)
    try {
      const status = await at(path, (fileSystem, inner) => fileSystem.getFileStatus(inner))
      return { ...status, path }
    } catch (error) {
      if (isMissing(error) && namesBelow(path).length > 0) return toDirectoryStatus(path)
      throw error
    }
  }

  return {
    getFileStatus,
    open: async (text, options) => {
      const path = parsePath(text)
      refuseDirectory('open', path)
      return await at(path, (fileSystem, inner) => fileSystem.open(inner, options), options?.signal)
    },

    openFile: async text => {
      const path = parsePath(text)
      if (holdsMount(path)) {
        const read = () => Promise.reject(isDirectoryError('open', path))
        return { status: await getFileStatus(path), read, close: () => {} }
      }
      const { status, read, close } = await at(path, (fileSystem, inner) => openFile(fileSystem, inner))
      return {
        status: { ...status, path },
        read: options => at(path, () => read(options), options?.signal),
        close,
      }
    },
  }
}
