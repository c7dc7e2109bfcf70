import zlib from 'node:zlib'
import { defaultCodecClass } from './layout.ts'

/** A codec of Hadoop's: each buffer of a block is one stream of it. */
export type Packing = {
  /** Its class, as the file's header names it. */
  readonly codecClass: string
  compress(bytes: Uint8Array): Uint8Array
  /** @throws what zlib throws at damage, and for more than `maxBytes` */
  unfold(bytes: Uint8Array, maxBytes: number): Uint8Array
}

/** `DefaultCodec`: zlib streams (RFC 1950). */
export const defaultPacking: Packing = {
  codecClass: defaultCodecClass,
  compress: bytes => zlib.deflateSync(bytes),
  unfold: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { maxOutputLength }),
}

export const gzipPacking: Packing = {
  codecClass: 'org.apache.hadoop.io.compress.GzipCodec',
  compress: bytes => zlib.gzipSync(bytes),
  unfold: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
}

/** Hadoop needs its native library for it. */
export const zstdPacking: Packing = {
  codecClass: 'org.apache.hadoop.io.compress.ZStandardCodec',
  compress: bytes => zlib.zstdCompressSync(bytes),
  unfold: (bytes, maxOutputLength) => zlib.zstdDecompressSync(bytes, { maxOutputLength }),
}

/** What the collector's files are compressed with, by the class that names it. */
export const packings: ReadonlyMap<string, Packing> = new Map(
  [defaultPacking, gzipPacking, zstdPacking].map(packing => [packing.codecClass, packing]),
)
