import zlib from 'node:zlib'
import type { Codec } from './codec.ts'
import { decodeByZlib, decodeStartByZlib } from './zlib-engines.ts'
import { decodeWhole, zlibKinds } from './zlib-kinds.ts'
import { decompressByZlib } from './zlib-stream.ts'

/** The zlib format (RFC 1950), as in HTTP and Hadoop, not the bare stream; one or more in a row. */
export const deflate = {
  name: 'deflate',
  suffixes: ['deflate', 'zz', 'zlib'],
  // The two usual headers; the others are letters, and their check bits too weak to distinguish them from text.
  isMagic: head => head[0] === 0x78 && (head[1] === 0x9c || head[1] === 0xda),
  stream: source => decompressByZlib(source, zlibKinds.deflate),
  hadoop: {
    classes: [
      'org.apache.hadoop.io.compress.DefaultCodec',
      'org.apache.hadoop.io.compress.DeflateCodec',
      'org.apache.hadoop.io.compress.ZlibCodec',
    ],
    decode: decodeByZlib(zlibKinds.deflate),
    decodeStart: decodeStartByZlib(zlibKinds.deflate),
  },
  output: {
    compress: bytes => zlib.deflateSync(bytes),
    decompress: (bytes, maxOutputLength) => decodeWhole(zlibKinds.deflate, bytes, { maxOutputLength }),
  },
} satisfies Codec
