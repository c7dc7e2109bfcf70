import type { CreateOptions } from './hadoop-verbs.ts'

/** A file that is open for writing. One call at a time; after one that rejected there is {@link FileAppender.abandon} only. */
export type FileAppender = {
  /** Bytes of the file so far. */
  readonly length: number
  /** Machines that have all of what was flushed last; 0 before. */
  readonly copies: number
  /** Takes bytes; resolves when it takes more. What was not flushed can be lost. Rejects with `unavailable`, `quota-exceeded`. */
  write(bytes: Uint8Array): Promise<void>
  /** Resolves when all copies have all bytes so far, and readers can see them: one machine that dies takes none with it. */
  hflush(): Promise<void>
  /** The same, on the disks of all: nor does a power cut. */
  hsync(): Promise<void>
  /** The file ends here. Resolves when it is whole. */
  close(): Promise<void>
  /** Lets go of it: what was flushed stays, and others can write it soon. Never rejects. */
  abandon(): Promise<void>
}

/**
 * Files that are written bit by bit, and kept while they are open. Each verb rejects with `unsupported` where the cluster is
 * not spoken to by its own protocol, and says why.
 */
export type Appends = {
  /** A new file. Rejects as `HadoopVerbs.create` does, and with `not-found` for a parent that is missing and not to be made. */
  create(path: string, options?: AppendCreateOptions): Promise<FileAppender>
  /**
   * Continues at the end of a file, with a block of its own. Rejects with `not-found`, `is-directory`, `denied`,
   * `unsupported`.
   */
  append(path: string, options?: AppendOptions): Promise<FileAppender>
  /** Cuts a file that is closed. Resolves when it is so long. Rejects with `not-found`, `denied`. */
  truncate(path: string, length: number, options?: AppendOptions): Promise<void>
  /** How much can be read of a file that may still be open, as its data nodes say. Rejects with `not-found`, `denied`, `unavailable`. */
  visibleLength(path: string, options?: AppendOptions): Promise<number>
  /**
   * Takes a file from its writer, and has it end with what all copies have. True when it has; before that it is to be
   * asked again. Rejects with `not-found`, `denied`.
   */
  recoverLease(path: string, options?: AppendOptions): Promise<boolean>
  /** Whether a file has no writer now. Rejects with `not-found`, `denied`. */
  isClosed(path: string, options?: AppendOptions): Promise<boolean>
}

/** How a file that stays open is made. */
export type AppendCreateOptions = Omit<CreateOptions, 'syncBlock'> & {
  /** Whether missing parents are made. @default true */
  readonly createParent?: boolean
}

type AppendOptions = {
  /** Ends whatever is waited for, also when it is open. */
  readonly signal?: AbortSignal
}
