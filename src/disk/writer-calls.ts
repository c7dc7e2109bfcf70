// node-only: types of worker threads
/** What the writer's thread is asked: calls of `hand-over.ts`, and by a port beside them what numbers cannot say. */
import type { MessagePort } from 'node:worker_threads'

/** What the thread is given. */
export type WriterData = {
  /**
   * Calls of the number of a file, the number of a memory, and start and end of the bytes in it to append. The answer is
   * the file's length.
   */
  readonly memory: SharedArrayBuffer
  readonly port: MessagePort
}

/** The placeholder of a memory in a call. */
export const instead = {
  /** Sync the file. */
  sync: -1,
  /** A {@link WriterMessage} was posted, and says what to do. */
  message: -2,
} as const

export type WriterMessage =
  | { readonly op: 'create'; readonly path: string }
  /** The memory of these bytes has this number from now on, if any, in place of what had it before. */
  | { readonly op: 'append'; readonly bytes: Uint8Array; readonly number: number | undefined }
  | { readonly op: 'close' }

/** The answer in place of a length; a {@link WriterFailure} was posted. */
export const failure = -1

export type WriterFailure = { readonly message: string; readonly code?: string }

/** What the thread says by itself: a file was deleted while it was open, and is there again. */
export type WriterNews = { readonly restored: string; readonly bytes: number }
