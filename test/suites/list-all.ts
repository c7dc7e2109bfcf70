import type { FileStatus, FileSystem, ListOptions } from '../../src/filesystem/filesystem.ts'

/** All entries of a directory. */
export const listAll = async (fileSystem: FileSystem, path: string, options: ListOptions = {}): Promise<FileStatus[]> =>
  (await Array.fromAsync(fileSystem.listStatus(path, options))).flat()
