import type { FileAppender } from '../appends.ts'
import { refusal } from '../cluster/steps.ts'
import type { JournalWriter } from './writer.ts'

/** Bytes of one change: so that groups can be cut. */
const maxPieceBytes = 2 ** 20

/** Bytes that wait for the store before a file takes no more. */
const maxWaitingBytes = 32 * 2 ** 20

/**
 * A file of a log that is open.
 * @param file its number
 * @param copies as many as were asked for: how the store keeps what it has taken is its own affair
 */
export const createJournalAppender = (
  writer: JournalWriter,
  { file, path, copies }: { readonly file: number; readonly path: string; readonly copies: number },
): FileAppender => {
  let length = 0
  let flushed = 0
  let isOpen = true
  /** What was asked for last; all before it are in the journal by then. */
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined

  const check = (): void => {
    if (failure) throw failure.error
    if (!isOpen) throw refusal('unavailable', path, 'write', 'it is closed')
    // What is written to it would be in no file.
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
    await last
    // Another one may have got its name, or what was written before may be missing.
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
      // Memory of the caller is used again.
      const copy = Uint8Array.prototype.slice.call(bytes)
      length += copy.length
      for (let at = 0; at < copy.length; at += maxPieceBytes) send(copy.subarray(at, at + maxPieceBytes))
      if (writer.waitingBytes > maxWaitingBytes) await last
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
