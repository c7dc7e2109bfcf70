import { SluiceError } from '../errors.ts'

/** What the file system says of one path, in Hadoop's words. Times are ms since the epoch, sizes bytes. */
export type FileStatus = {
  /** Absolute path, unescaped. */
  readonly path: string
  readonly isDirectory: boolean
  /** True for what is neither a file nor a directory (a named pipe, a socket, a device): it has no bytes to read. */
  readonly isSpecial?: boolean
  /** Bytes; 0 for a directory. */
  readonly length: number
  readonly modificationTime: number
  readonly owner: string
  readonly group: string
  /** Permission bits, for example 0o644. */
  readonly permission: number
  /** 0 for a directory. */
  readonly replication: number
  /** Bytes; 0 for a directory. */
  readonly blockSize: number
}

export type CreateOptions = {
  /** Replaces an existing file. @default false */
  readonly overwrite?: boolean
  /** Exact permission bits; the file system's umask is not applied to what was asked for. */
  readonly permission?: number
  readonly replication?: number
  /** Bytes. */
  readonly blockSize?: number
  /** Asks the file system to sync blocks to disk as they are closed, where it can (HDFS `createflag=sync_block`). */
  readonly syncBlock?: boolean
  /** Aborts the upload; nothing more is sent, and `create` rejects. */
  readonly signal?: AbortSignal
}

export type OpenOptions = {
  /** First byte to read. @default 0 */
  readonly offset?: number
  /** Bytes to read at most; to the end of the file where absent. */
  readonly length?: number
  /** Bytes that are there as far as is known, of a listing for example: how to read them is chosen by it. @default `length` */
  readonly expected?: number
  readonly signal?: AbortSignal
}

/** A file that is open to be read. */
export type OpenFile = {
  /** Of a directory, too, which cannot be read. */
  readonly status: FileStatus
  /** As `FileSystem.open`; once. */
  readonly read: (options?: OpenOptions) => Promise<ReadableStream<Uint8Array>>
  /** Gives the file up if it is not being read. */
  readonly close: () => void
}

export type ListOptions = {
  /** Only entries whose name sorts after this one, in the order of {@link FileSystem.listStatus}. */
  readonly startAfter?: string
  readonly signal?: AbortSignal
}

/**
 * Some entries of a directory that follow one another, never none: Hadoop's "partial listing", such as the page that
 * LISTSTATUS_BATCH answers with. Handed on together, because a promise for each would cost more than the entry.
 */
export type PartialListing = readonly FileStatus[]

/**
 * A distributed file system, in Hadoop's own verbs. All paths are absolute, `/`-separated and unescaped; a path that
 * would leave the root is refused with `bad-path`. Every method rejects with {@link FileSystemError}.
 */
export type FileSystem = {
  /** For people and logs: `file:///var/data/fs`, `hdfs://nn:8020`. Holds no secret. */
  readonly url: string
  /**
   * Writes a whole new file from `source`, creating parent directories, and resolves when the file system has it: on
   * the local file system after fsync of file and directory, on HDFS after the close was acknowledged and the length
   * checked. Rejects with `exists`, `is-directory`, `denied`, `quota-exceeded`, `unavailable`. On a failure a part of
   * the file may be left behind: write to a temporary name and {@link FileSystem.rename}.
   */
  create(path: string, source: AsyncIterable<Uint8Array>, options?: CreateOptions): Promise<void>
  /** Streams bytes of a file; ends early only by throwing. Rejects with `not-found`, `is-directory`, `denied`. */
  open(path: string, options?: OpenOptions): Promise<ReadableStream<Uint8Array>>
  /** Where status and bytes come in one step. Rejects as `getFileStatus` does, and with `denied`. */
  openFile?(path: string): Promise<OpenFile>
  /** Rejects with `not-found`. */
  getFileStatus(path: string): Promise<FileStatus>
  /**
   * Entries of a directory in the order of their names that HDFS keeps (signed UTF-8 bytes: beyond ASCII first, ASCII
   * by its codes), in partial listings as they come; a file yields itself. Rejects with `not-found`.
   */
  listStatus(path: string, options?: ListOptions): AsyncIterable<PartialListing>
  /** Creates a directory and its parents; an existing directory is fine. Rejects with `not-directory`. */
  mkdirs(path: string, options?: { readonly permission?: number }): Promise<void>
  /**
   * Renames a file or directory. Never replaces an existing target (`exists`) unless `overwrite`, and then atomically.
   * The target's parent is created. Rejects with `not-found` when the source is missing.
   */
  rename(source: string, target: string, options?: { readonly overwrite?: boolean }): Promise<void>
  /** Returns whether there was something to delete. Rejects with `not-empty` unless `recursive`; never deletes `/`. */
  delete(path: string, options?: { readonly recursive?: boolean }): Promise<boolean>
  /** One cheap call that shows whether the file system answers. Rejects with `unavailable`. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** Codes that a {@link FileSystem} reports. */
export type FileSystemErrorCode =
  | 'bad-path'
  | 'denied'
  | 'not-found'
  | 'exists'
  | 'not-empty'
  | 'is-directory'
  | 'not-directory'
  | 'quota-exceeded'
  | 'unavailable'

/**
 * A refusal or failure of a file system. `unavailable` may pass (network, standby, safe mode, 5xx, time-out): the
 * outcome of the call is then unknown. Every other code is the file system's final answer.
 */
export class FileSystemError extends SluiceError {
  override readonly name = 'FileSystemError'
  declare readonly code: FileSystemErrorCode
  readonly path: string

  constructor(code: FileSystemErrorCode, path: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(code, message, options)
    this.path = path
  }
}
