import type { QueueSource } from './byte-queue.ts'

/** One way of compressing files. Each is a file of its own, and an entry of `codecs.ts`. */
export type Codec = {
  /** For people: `gzip`, `hadoop-snappy`. */
  readonly name: string
  /** Suffixes of files, in lower case, without the dot; what is written gets the first one. */
  readonly suffixes: readonly string[]
  /**
   * Whether a file that begins so is of this kind; absent where nothing shows it, so that the suffix decides.
   * @param suffix of its name, for a head that two codecs share
   */
  isMagic?(head: Uint8Array, suffix: string): boolean
  /** Decompresses a file, no faster than it is read. @throws FormatError at damage, after the data before it */
  stream(source: QueueSource, options?: StreamOptions): AsyncIterable<Uint8Array>
  /** The same in Hadoop's sequence files, where classes name it. @default not known there */
  readonly hadoop?: HadoopCodec & { readonly classes: readonly string[] }
  /** Whole files, as the collector writes them and its tools read them. @default it is read only */
  readonly output?: OutputCodec
}

/** The limits of decompressing a stream. */
export type StreamOptions = {
  /** How far back its copies may refer; only Zstandard lets a file choose that. @default {@link usualWindows} */
  readonly windows?: WindowLimit
  /** Counts bytes of windows beyond the usual ones while they fill, and negative ones once they are free. Throws if it is too much. */
  readonly hold?: (bytes: number) => void
}

/** The largest window in bytes, and the setting that says so; without one it is the format's own limit. */
export type WindowLimit = { readonly max: number; readonly setting?: string }

/** What the library of Zstandard and its command take without options. */
export const usualWindows: WindowLimit = { max: 128 * 1024 * 1024 }

/** A codec as sequence files use it. */
export type HadoopCodec = {
  readonly decode: BufferDecoder
  /**
   * Decompresses the first bytes of a buffer, as far as that goes. @default it takes the whole
   * @throws FormatError at damage, and for more than `maxBytes`
   */
  readonly decodeStart?: (bytes: Uint8Array, maxBytes: number) => Uint8Array
}

/**
 * Decompresses one buffer of a sequence file; nothing beyond `maxBytes` is allocated.
 * @param room memory that the result may be written to, where it is large enough
 * @throws FormatError
 */
export type BufferDecoder = (bytes: Uint8Array, maxBytes: number, room?: Buffer) => Uint8Array | Promise<Uint8Array>

/** Both ways run to their end, so they belong into a worker thread or a tool. */
export type OutputCodec = {
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** @throws Error at damage, and for more than `maxBytes` */
  readonly decompress: (bytes: Uint8Array, maxBytes: number) => Uint8Array
}

export const startsWith = (bytes: Uint8Array, ...magic: readonly number[]): boolean =>
  magic.every((byte, i) => bytes[i] === byte)
