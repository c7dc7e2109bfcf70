import { SluiceError } from '../errors.ts'
import type { Appends } from './appends.ts'
import type { CreateOptions, HadoopVerbs } from './hadoop-verbs.ts'

/** What the file system says of one path, in Hadoop's words. Times are ms since the epoch, sizes bytes. */
export type FileStatus = {
  /** Absolute path, unescaped. */
  readonly path: string
  readonly isDirectory: boolean
  /** True for what is neither a file nor a directory (a named pipe, a socket, a device): it has no bytes to read. */
  readonly isSpecial?: boolean
  /** True for a symbolic link of a local disk, in the listing of its directory; the rest is of what it leads to. */
  readonly isLink?: boolean
  /** Bytes; 0 for a directory. */
  readonly length: number
  readonly modificationTime: number
  /** Changes with the bytes of a file; absent where only the time does. ASCII as entity tags have it, without `"` and `,`. */
  readonly version?: string
  /** Absent if it is not kept; 0 for a directory of HDFS. */
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

/** A file on its way to its place. */
export type Attempt = {
  /** Where it is until it has its name, on a file system that renames. */
  readonly temporary: string
  /** Bytes. */
  readonly length: number
  /** CRC-32; absent where only the length counts. */
  readonly crc?: number | undefined
}

/** How a file is published. */
export type PublishOptions = CreateOptions & {
  /**
   * Of a caller who keeps account of it, to ask `settle` after a crash: `note` resolves when it is noted, and is called
   * when all bytes are there and none can be seen. The caller settles its outcome. Otherwise whatever was made is
   * removed when something goes wrong.
   */
  readonly attempt?: Attempt & { readonly note: () => Promise<void> }
  /**
   * Whether no other sender uses its name, so that it may go where one file could replace another: what is in its place is
   * looked at before. @default false
   */
  readonly isUnique?: boolean
}

/** The outcome of an attempt. */
export type Settled = {
  /**
   * - `done`: it is in its place;
   * - `again`: it is gone, or was cut, and surely is not in its place: it has to be sent again;
   * - `taken`: it is gone, and may have been in its place: a person decides;
   * - `foreign`: another file is in its place.
   */
  readonly outcome: 'done' | 'again' | 'taken' | 'foreign'
  /** Why it was looked up, if that was an error. */
  readonly failure?: unknown
}

/** The outcome for a file that was sent, and the status that it has, or would have, in its place. */
export type Published = Settled & { readonly status: FileStatus }

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

/** The verbs of a file system that keeps directories. */
export type Directories = {
  /** Creates a directory and its parents; an existing directory is fine. Rejects with `not-directory`. */
  mkdirs(path: string, options?: { readonly permission?: number }): Promise<void>
  /**
   * Renames a file or directory. Never replaces an existing target (`exists`) unless `overwrite`, and then atomically.
   * The target's parent is created. Rejects with `not-found` when the source is missing.
   */
  rename(source: string, target: string, options?: { readonly overwrite?: boolean }): Promise<void>
}

/** Files that are being sent under their own names, and of which nothing is seen before they are whole. */
export type Uploads = {
  /**
   * Gives up unfinished files below a directory: those whose sender is gone and will not finish them. `age` is in ms,
   * by the clock of this machine. Resolves with their number. Rejects with `denied`, `unavailable`.
   */
  giveUp(
    directory: string,
    isLeftOver: (path: string, age: number) => boolean,
    options?: { readonly signal?: AbortSignal },
  ): Promise<number>
}

/**
 * A distributed file system: what every one has, and facets for what only some have. All paths are absolute, `/`-separated and unescaped; a path that
 * would leave the root is refused with `bad-path`. Every method rejects with {@link FileSystemError}.
 */
export type FileSystem = {
  /** For people and logs: `file:///var/data/fs`, `hdfs://nn:8020`, `s3://bucket/prefix`. Holds no secret. */
  readonly url: string
  /**
   * Puts a file in its place, whole or not at all: a part of it is never visible, and no file is replaced unless that
   * is asked for. Parent directories are created. The result is as safe as the file system makes it: synced to the
   * local disk, acknowledged by HDFS and of the right length. Resolves with the outcome, `done` or, for a noted
   * attempt, the next step. Rejects with `exists`, `is-directory`, `not-directory`, `denied`, `quota-exceeded`,
   * `unavailable`, and with what `source` throws.
   */
  publish(path: string, source: AsyncIterable<Uint8Array>, options?: PublishOptions): Promise<Published>
  /**
   * The outcome of a noted attempt, by this process or one before it; finishes it where it can. Rejects as `publish`
   * does.
   */
  settle(path: string, attempt: Attempt, options?: { readonly signal?: AbortSignal }): Promise<Settled>
  /** Streams bytes of a file; ends early only by throwing. Rejects with `not-found`, `is-directory`, `denied`. */
  open(path: string, options?: OpenOptions): Promise<ReadableStream<Uint8Array>>
  /** For status and bytes in one step. Rejects as `getFileStatus` does, and with `denied`. */
  openFile?(path: string): Promise<OpenFile>
  /** Rejects with `not-found`. */
  getFileStatus(path: string): Promise<FileStatus>
  /**
   * Entries of a directory in the order of their names that HDFS keeps (signed UTF-8 bytes: beyond ASCII first, ASCII
   * by its codes), or that an object store keeps (bytes, and `/` after a directory's name), in partial listings as
   * received; a file yields itself. Rejects with `not-found`.
   */
  listStatus(path: string, options?: ListOptions): AsyncIterable<PartialListing>
  /** Returns whether there was something to delete. Rejects with `not-empty` unless `recursive`; never deletes `/`. */
  delete(path: string, options?: { readonly recursive?: boolean }): Promise<boolean>
  /**
   * Absent for a file system without directories, such as an object store: a path is a name there, and nothing is
   * renamed.
   */
  readonly directories?: Directories
  /** What it has of Hadoop's further verbs; `hadoopOf` in `facets.ts` answers the others. */
  readonly hadoop?: Partial<HadoopVerbs>
  /** Files that stay open while they are written. Absent where none can. */
  readonly appends?: Appends
  /** Absent where a file has a temporary name until it is whole. */
  readonly uploads?: Uploads
  /** The same file system on behalf of a user, whose rights count there. Absent where all is done as this server. */
  readonly as?: (user: string) => FileSystem
  /** One cheap call that shows whether the file system answers. Rejects with `unavailable`. */
  probe(): Promise<void>
  /**
   * Tries whether a file that is published below a directory is there once, whatever happens; absent where that is so by
   * itself. Rejects with `unsupported` and what to do where it is not, and with `unavailable` where it cannot be tried now.
   */
  readonly checkPublish?: (directory: string) => Promise<void>
  /** Which way it is spoken to and why, for people, where that is chosen by itself; empty until it was. */
  readonly spokenBy?: () => string
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
