import type { ByteQueue } from '../../../codecs/byte-queue.ts'
import type { RecordTally } from '../record-tally.ts'

/** A format whose files become one. */
export type FileKind = {
  /**
   * What files have in common that become one, by their first bytes, of which none is taken. @throws FormatError
   * @param suffix that names the format, in lower case
   */
  readonly toKey: (queue: ByteQueue, suffix: string) => Promise<string>
  /** Whether a file may as well be a document by itself, by its first bytes, of which none is taken. */
  readonly isDoubtful?: (queue: ByteQueue, suffix: string) => Promise<boolean>
  /** Begins a file. @param key of its sources */
  readonly begin: (key: string) => KindWriter
}

/** A file as it is written. */
export type KindWriter = {
  readonly start: Uint8Array
  /**
   * What becomes of a file, counted as it is read.
   * @throws FormatError damage
   */
  readonly add: (queue: ByteQueue, tally: RecordTally) => AsyncIterable<Uint8Array>
  readonly end: () => Uint8Array
}

export const nothing = new Uint8Array()
