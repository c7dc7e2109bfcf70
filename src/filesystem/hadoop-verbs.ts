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
  /** Hexadecimal digits; of HDFS followed by zeros. */
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

/** Bytes of the whole file system (Hadoop's `FsStatus`); beyond 2^53 the nearest number. */
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

/** The intended access, as bits: 4 read, 2 write, 1 execute (Hadoop's `FsAction`). */
export type FsAction = number

/**
 * An operation of WebHDFS that is not a verb here (ACLs, extended attributes, snapshots, …), for a file
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
  /**
   * Data nodes that must have each block when the file is complete, or all of its replication where that is less: with fewer, `create`
   * rejects with `unavailable`, and the next try has other nodes. Of HDFS alone. @default the cluster's `dfs.namenode.replication.min`
   */
  readonly minReplication?: number
  /** Aborts the upload; nothing more is sent, and `create` rejects. */
  readonly signal?: AbortSignal
}

/**
 * What Hadoop's file systems can do beside reading, writing and moving: what WebHDFS shows its callers. Each may also
 * reject with `unsupported`.
 */
export type HadoopVerbs = {
  /**
   * Writes a whole new file from `source`, creating parent directories, and resolves when the file system has it: on
   * the local file system after fsync of file and directory, on HDFS after the close was acknowledged and the length
   * checked. Rejects with `exists`, `is-directory`, `denied`, `quota-exceeded`, `unavailable`. On a failure a part of
   * the file may be left behind: `FileSystem.publish` does not.
   */
  create(path: string, source: AsyncIterable<Uint8Array>, options?: CreateOptions): Promise<void>
  /**
   * Adds bytes to the end of a file: all of them or none, and concurrent readers see the old file or the new one.
   * Resolves when they are as safe as after `create`. Rejects with `not-found`, `is-directory`, `denied`.
   */
  append(path: string, source: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Sets exact permission bits. Rejects with `not-found`, `denied`. */
  setPermission(path: string, permission: number): Promise<void>
  /** Sets owner, group or both. Rejects with `not-found`, `denied`, `unsupported`. */
  setOwner(path: string, change: { readonly owner?: string; readonly group?: string }): Promise<void>
  /** Returns false for what has no copies, such as a directory. Rejects with `not-found`, `denied`, `unsupported`. */
  setReplication(path: string, replication: number): Promise<boolean>
  /**
   * Sets one of the times or both, in ms since the epoch. Rejects with `not-found`, `denied`.
   * @param options `timeoutMs`: a name node that takes longer counts as away, and is asked again; of HDFS' own protocol alone
   */
  setTimes(
    path: string,
    times: { readonly modificationTime?: number; readonly accessTime?: number },
    options?: { readonly timeoutMs?: number },
  ): Promise<void>
  /** Rejects with `not-found`, `denied`. */
  getContentSummary(path: string, options?: { readonly signal?: AbortSignal }): Promise<ContentSummary>
  /** Rejects with `not-found`, `unsupported`; for a directory as the file system has it. */
  getFileChecksum(path: string): Promise<FileChecksum>
  /** Where the blocks of a part of a file are. Rejects with `not-found`. */
  getFileBlockLocations(path: string, offset: number, length: number): Promise<readonly BlockLocation[]>
  /** Rejects with `unsupported` if the cluster is too old for it. */
  getStatus(path: string): Promise<FsStatus>
  getServerDefaults(path: string): Promise<FsServerDefaults>
  /** Resolves when the file system would let the caller do this. Rejects with `denied`, `not-found`. */
  access(path: string, action: FsAction): Promise<void>
  /** Passes an operation on, and resolves with the JSON of the answer; undefined for an empty one. Rejects with `unsupported`. */
  webHdfs(operation: WebHdfsOperation): Promise<unknown>
}
