import { FileSystemError } from '../../filesystem/filesystem.ts'

/** Whether the file system does not answer: everything of it fails then, and for a time. */
export const isAway = (error: unknown): error is FileSystemError =>
  error instanceof FileSystemError && error.code === 'unavailable'
