import { FileSystemError } from './filesystem.ts'

/** The refusal of a verb that the embedded local file system does not have, in the words of Hadoop's own. */
export const unsupportedLocally = (path: string, verb: string): FileSystemError =>
  new FileSystemError('unsupported', path, `LocalFileSystem doesn't support ${verb}`)
