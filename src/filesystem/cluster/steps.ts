/** The calls that further verbs are made of, whichever way they go to a cluster. */
import { type FileStatus, FileSystemError, type FileSystemErrorCode } from '../filesystem.ts'

/** Paths are as `parsePath` returns them; all reject with `FileSystemError`. */
export type ClusterSteps = {
  readonly getFileStatus: (path: string) => Promise<FileStatus>
  /** The status; undefined where there is nothing. */
  readonly find: (path: string) => Promise<FileStatus | undefined>
  readonly mkdirs: (path: string, permission?: number) => Promise<void>
  /** As HDFS renames: between names as they are, and no parent is made. */
  readonly rename: (source: string, target: string, overwrite: boolean) => Promise<void>
  readonly delete: (path: string, recursive: boolean) => Promise<boolean>
  /** Appends the blocks of one file to those of another, and removes it. */
  readonly concat: (target: string, source: string) => Promise<void>
}

/** Whether an error of this file system has one of the codes. */
export const hasCode = (error: unknown, ...codes: readonly FileSystemErrorCode[]): error is FileSystemError =>
  error instanceof FileSystemError && codes.includes(error.code)

/** `Cannot <action> "<path>": <reason>` */
export const refusal = (
  code: FileSystemErrorCode,
  path: string,
  action: string,
  reason: string,
  cause?: unknown,
): FileSystemError => new FileSystemError(code, path, `Cannot ${action} "${path}": ${reason}`, cause ? { cause } : {})

/** The parts of `find`: undefined where there is nothing. */
export const findBy =
  (getFileStatus: ClusterSteps['getFileStatus']): ClusterSteps['find'] =>
  path =>
    getFileStatus(path).catch(error => {
      if (hasCode(error, 'not-found', 'not-directory')) return undefined
      throw error
    })
