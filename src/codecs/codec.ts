import type { ByteSource } from './byte-queue.ts'

/** One way of compressing files. Each is a file of its own, and an entry of `codecs.ts`. */
export type Codec = {
  /** For people: `gzip`, `hadoop-snappy`. */
  readonly name: string
  /** Suffixes of files, in lower case, without the dot; what is written gets the first one. */
  readonly suffixes: readonly string[]
  /** Whether a file that begins so is of this kind; absent where nothing shows it, so that the suffix decides. */
  isMagic?(head: Uint8Array): boolean
  /** Decompresses a file, no faster than it is read. @throws FormatError at damage, after what stands before it */
  stream(source: ByteSource): AsyncIterable<Uint8Array>
  /** The same in Hadoop's sequence files, where classes name it. @default not known there */
  readonly hadoop?: HadoopCodec & { readonly classes: readonly string[] }
  /** Whole files, as the collector writes them and its tools read them. @default it is read only */
  readonly output?: OutputCodec
}

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
