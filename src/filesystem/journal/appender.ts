import type { FileAppender } from '../appends.ts'
import { refusal } from '../cluster/steps.ts'
import type { JournalWriter } from './writer.ts'

/** Bytes of one change; larger writes are split. */
const maxPieceBytes = 2 ** 20

/** Unconfirmed bytes of a journal above which a write waits. */
const maxWaitingBytes = 32 * 2 ** 20

/**
 * A file of a log that is open.
 * @param file its number
 * @param copies what it reports as copies: the store does not tell how many it keeps
 */
export const createJournalAppender = (
  writer: JournalWriter,
  { file, path, copies }: { readonly file: number; readonly path: string; readonly copies: number },
): FileAppender => {
  let length = 0
  let flushed = 0
  let isOpen = true
  /** The last change; those before it are confirmed before it. */
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined

  const check = (): void => {
    if (failure) throw failure.error
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
    await last
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
