import type { FileSystem, OpenFile } from './filesystem.ts'

/** Opens a file and says what it is: in one step where the file system can, so that the status is that of the bytes. */
export const openFile = async (fileSystem: FileSystem, path: string): Promise<OpenFile> =>
  fileSystem.openFile
    ? await fileSystem.openFile(path)
    : {
        status: await fileSystem.getFileStatus(path),
        read: options => fileSystem.open(path, options),
        close: () => {},
      }
