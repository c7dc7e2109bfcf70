import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { compressLzf } from './lzf.ts'

/** The values of `collector.output.compression`. */
export const codecNames = ['none', 'gzip', 'deflate', 'zstd', 'lzf'] as const
export type CodecName = (typeof codecNames)[number]

/** Compresses a whole output file; runs to its end, so it belongs into a worker thread. */
export type OutputCodec = {
  readonly name: CodecName
  /** Ends the file's name: `.gz`; empty for `none`. */
  readonly extension: string
  compress(bytes: Uint8Array): Uint8Array
}

/** Output codecs by name. `deflate` is the zlib format (RFC 1950), as in HTTP and Hadoop, not the bare stream. */
export const codecs: { readonly [Name in CodecName]: OutputCodec & { readonly name: Name } } = {
  none: { name: 'none', extension: '', compress: bytes => bytes },
  gzip: { name: 'gzip', extension: '.gz', compress: bytes => gzipSync(bytes) },
  deflate: { name: 'deflate', extension: '.deflate', compress: bytes => deflateSync(bytes) },
  zstd: { name: 'zstd', extension: '.zst', compress: bytes => zstdCompressSync(bytes) },
  lzf: { name: 'lzf', extension: '.lzf', compress: compressLzf },
}
