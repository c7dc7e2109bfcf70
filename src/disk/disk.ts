/**
 * The disk under the spool. An interface of its own, and not a `FileSystem`, because what counts here is when bytes
 * and directory entries are safe: a test can put a disk underneath that forgets or tears whatever was not synced.
 * All paths are relative to the spool's directory and `/`-separated.
 */
export type Disk = {
  /** For people and logs. */
  readonly directory: string
  /** Creates a file for appending; rejects when it exists. Its entry is safe after {@link Disk.fsyncDir}. */
  create(path: string): Promise<AppendFile>
  /** The whole file, or the part from `start` on; rejects with `ENOENT`. */
  read(path: string, start?: number): Promise<Uint8Array>
  /**
   * The file in pieces, for uploads that need not fit into memory.
   * @param memory for pieces: each is good until the next one is asked for @default memory that is used again once a piece is released (`bytes/slabs.ts`)
   */
  stream(path: string, memory?: Uint8Array): AsyncIterable<Uint8Array>
  /** Entries of a directory in bytewise order; a file that goes meanwhile is not among them. */
  list(path: string): Promise<readonly DiskEntry[]>
  /** Names in a directory, in any order, some at a time: for one with a million of them. */
  names(path: string): AsyncIterable<readonly string[]>
  /** Makes a directory and its parents; an existing one is fine. */
  mkdir(path: string): Promise<void>
  /** Replaces an existing target atomically. */
  rename(from: string, to: string): Promise<void>
  /** Cuts a file, which is no longer written to, to its first `length` bytes, and makes that survive a power cut. */
  truncate(path: string, length: number): Promise<void>
  /** A missing file is fine. */
  unlink(path: string): Promise<void>
  /** Removes a directory with all that is in it; a missing one is fine. */
  removeDirectory(path: string): Promise<void>
  /** Makes the contents of a file survive a power cut that another process, now gone, has written. */
  fsync(path: string): Promise<void>
  /** Makes creations, renames and removals in this directory survive a power cut. */
  fsyncDir(path: string): Promise<void>
  space(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>
  close(): Promise<void>
}

export type DiskEntry = { readonly name: string; readonly isDirectory: boolean; readonly length: number }

/** A file that only grows. Calls run in the order they are made; after a failure every later call fails too. */
export type AppendFile = {
  /**
   * Appends bytes and resolves when the operating system has them. The caller leaves `bytes` alone until then.
   * @returns the file's length after it
   */
  append(bytes: Uint8Array): Promise<number>
  /**
   * Makes what was appended survive a power cut.
   * @returns how many bytes of the file are safe: the receipt that an acknowledgement needs
   */
  fdatasync(): Promise<number>
  close(): Promise<void>
}
