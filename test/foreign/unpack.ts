import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { decompressLzf } from '../../src/codecs/lzf.ts'

/** More than any file of the tests. */
const maxBytes = 1 << 28

/** What unpacks a file, by the end of its name: Node's own zlib and zstd; LZF is ours, for nothing on npm reads it. */
const codecs: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gz: gunzipSync,
  deflate: inflateSync,
  zst: zstdDecompressSync,
  lzf: bytes => decompressLzf(bytes, maxBytes),
}

/** A file without the codec around it, and what its name ends in then. */
export const unpack = (path: string, bytes: Uint8Array): { readonly type: string; readonly bytes: Uint8Array } => {
  const [type = '', codec = ''] = path.split('.').slice(-2)
  const decompress = codecs[codec]
  return decompress ? { type, bytes: decompress(bytes) } : { type: codec, bytes }
}
