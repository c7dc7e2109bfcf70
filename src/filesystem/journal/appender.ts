import { throwIfAborted, toAbortError, untilAborted } from '../abortable.ts'
import type { FileAppender } from '../appends.ts'
import { refusal } from '../cluster/steps.ts'
import type { JournalWriter } from './writer.ts'

/** Bytes of one change; larger writes are split. */
const maxPieceBytes = 2 ** 20

/** Unconfirmed bytes of a journal above which a write waits. */
const maxWaitingBytes = 32 * 2 ** 20

export type JournalAppenderOptions = {
  readonly path: string
  /** Its number. */
  readonly file: number
  /** What it reports as copies: the store does not tell how many it keeps. */
  readonly copies: number
  /** Ends each wait for the store. What is on its way may still take effect. */
  readonly signal?: AbortSignal | undefined
}

/** A file of a log that is open. */
export const createJournalAppender = (
  writer: JournalWriter,
  { file, path, copies, signal }: JournalAppenderOptions,
): FileAppender => {
  let length = 0
  let flushed = 0
  let isOpen = true
  /** The last change; those before it are confirmed before it. */
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined

  const check = (): void => {
    if (failure) throw failure.error
    throwIfAborted(signal, path)
    if (!isOpen) throw refusal('unavailable', path, 'write', 'it is closed')
    // The bytes would be in no file.
    if (!writer.files.has(file)) throw refusal('unavailable', path, 'write', 'another file has its name, or none')
  }
  const send = (bytes: Uint8Array): void => {
    last = writer.write([{ do: 'append', file, length: bytes.length }], [bytes])
    last.catch((error: unknown) => {
      failure ??= { error }
    })
  }
  const flush = async (): Promise<void> => {
    check()
    await whileWanted(last, signal, path)
    // Meanwhile another file may have got its name.
    check()
    if (writer.isFenced) await writer.verify()
    flushed = copies
  }

  return {
    get length() {
      return length
    },
    get copies() {
      return flushed
    },
    write: async bytes => {
      check()
      // The caller reuses its memory.
      const copy = Uint8Array.prototype.slice.call(bytes)
      length += copy.length
      for (let at = 0; at < copy.length; at += maxPieceBytes) send(copy.subarray(at, at + maxPieceBytes))
      if (writer.waitingBytes > maxWaitingBytes) await whileWanted(last, signal, path)
    },
    hflush: flush,
    hsync: flush,
    close: async () => {
      await flush()
      isOpen = false
    },
    abandon: async () => {
      isOpen = false
    },
  }
}

/** The same, unless the signal aborts: then it rejects with `unavailable`. */
export const whileWanted = <T>(work: Promise<T>, signal: AbortSignal | undefined, path: string): Promise<T> =>
  untilAborted(work, signal).catch((error: unknown) => {
    throw signal?.aborted ? toAbortError(signal, path) : error
  })
