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
  /** Absent where nobody keeps it; 0 for a directory of HDFS. */
  readonly accessTime?: number
  /** What Hadoop shows beside the permission; absent where there is nothing. */
  readonly attributes?: readonly FileAttribute[]
  readonly owner: string
  readonly group: string
  /** Permission bits, for example 0o644. */
  readonly permission: number
  /** 0 for a directory. */
  readonly replication: number
  /** Bytes; 0 for a directory. */
  readonly blockSize: number
}

/** Hadoop's `FileStatus.AttrFlags`, where they are set. */
export type FileAttribute = 'HAS_ACL' | 'HAS_CRYPT' | 'HAS_EC' | 'SNAPSHOT_ENABLED'

/** What is below a path, the path itself included (Hadoop's `ContentSummary`). */
export type ContentSummary = {
  readonly directoryCount: number
  readonly fileCount: number
  /** Bytes of all files. */
  readonly length: number
  /** Bytes of all their copies. */
  readonly spaceConsumed: number
  /** Files and directories that may be there; -1 where nothing is set. */
  readonly quota: number
  /** Bytes of all copies that may be there; -1 where nothing is set. */
  readonly spaceQuota: number
}

/** Hadoop's `FileChecksum`: only equal algorithms can be compared. */
export type FileChecksum = {
  /** Such as `MD5-of-0MD5-of-512CRC32C`. */
  readonly algorithm: string
  /** Hexadecimal digits; of HDFS with zeros behind them. */
  readonly bytes: string
  /** Bytes that count. */
  readonly length: number
}

/** Hadoop's `BlockLocation`: which machines have a part of a file. */
export type BlockLocation = {
  readonly offset: number
  readonly length: number
  readonly hosts: readonly string[]
  /** `host:port` of each. */
  readonly names: readonly string[]
}

/** Bytes of the whole file system (Hadoop's `FsStatus`). */
export type FsStatus = { readonly capacity: number; readonly used: number; readonly remaining: number }

/** What a file gets where nothing is asked for (Hadoop's `FsServerDefaults`). Sizes are bytes. */
export type FsServerDefaults = {
  readonly blockSize: number
  readonly replication: number
  readonly bytesPerChecksum: number
  readonly writePacketSize: number
  readonly fileBufferSize: number
  readonly encryptDataTransfer: boolean
  /** Minutes that deleted files are kept in the trash; 0: clients have no trash. */
  readonly trashInterval: number
  /** Hadoop's number of it: 1 is CRC32, 2 CRC32C. */
  readonly checksumType: number
}

/** What somebody wants to do, as bits: 4 read, 2 write, 1 execute (Hadoop's `FsAction`). */
export type FsAction = number

/**
 * An operation of WebHDFS that is not a verb of {@link FileSystem} (ACLs, extended attributes, snapshots, …), for a file
 * system that speaks it.
 */
export type WebHdfsOperation = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** In capitals. */
  readonly op: string
  readonly path: string
  /** Names and values, not escaped; nothing that says who calls. */
  readonly params: readonly (readonly [name: string, value: string])[]
  readonly signal?: AbortSignal
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
  /**
   * Adds bytes to the end of a file: all of them or none, and whoever reads meanwhile sees the old file or the new one.
   * Resolves when they are as safe as after `create`. Rejects with `not-found`, `is-directory`, `denied`.
   */
  append(path: string, source: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Sets exact permission bits. Rejects with `not-found`, `denied`. */
  setPermission(path: string, permission: number): Promise<void>
  /** Sets owner, group or both. Rejects with `not-found`, `denied`, `unsupported`. */
  setOwner(path: string, change: { readonly owner?: string; readonly group?: string }): Promise<void>
  /** Returns false for what has no copies, such as a directory. Rejects with `not-found`, `denied`, `unsupported`. */
  setReplication(path: string, replication: number): Promise<boolean>
  /** Sets one of the times or both, in ms since the epoch. Rejects with `not-found`, `denied`. */
  setTimes(path: string, times: { readonly modificationTime?: number; readonly accessTime?: number }): Promise<void>
  /** Rejects with `not-found`, `denied`. */
  getContentSummary(path: string, options?: { readonly signal?: AbortSignal }): Promise<ContentSummary>
  /** Rejects with `not-found`, `unsupported`; for a directory as the file system has it. */
  getFileChecksum(path: string): Promise<FileChecksum>
  /** Where the blocks of a part of a file are. Rejects with `not-found`. */
  getFileBlockLocations(path: string, offset: number, length: number): Promise<readonly BlockLocation[]>
  /** Rejects with `unsupported` where the cluster is too old to tell. */
  getStatus(path: string): Promise<FsStatus>
  getServerDefaults(path: string): Promise<FsServerDefaults>
  /** Resolves when the file system would let the caller do this. Rejects with `denied`, `not-found`. */
  access(path: string, action: FsAction): Promise<void>
  /** Passes an operation on, and resolves with the JSON of the answer; undefined for an empty one. Absent where nobody could. */
  webHdfs?(operation: WebHdfsOperation): Promise<unknown>
  /** The same file system on behalf of a user, whose rights count there. Absent where all is done as this server. */
  readonly as?: (user: string) => FileSystem
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
  | 'unsupported'
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

/** An error of a place that cannot be used, with the setting that says where it is. */
export const withSetting = (cause: FileSystemError, setting: string): FileSystemError =>
  new FileSystemError(cause.code, cause.path, `${cause.message}; the setting ${setting} says where it is`, { cause })
