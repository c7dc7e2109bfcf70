import zlib from 'node:zlib'
import type { Codec } from './codec.ts'
import { decodeByZlib, decodeStartByZlib } from './zlib-engines.ts'
import { decompressByStream } from './zlib-stream.ts'

/** The zlib format (RFC 1950), as in HTTP and Hadoop, not the bare stream. */
export const deflate = {
  name: 'deflate',
  suffixes: ['deflate', 'zz', 'zlib'],
  // The two usual headers; the others are letters, and their check bits too weak to tell them from text.
  isMagic: head => head[0] === 0x78 && (head[1] === 0x9c || head[1] === 0xda),
  stream: source => decompressByStream(source, 'deflate', () => zlib.createInflate()),
  hadoop: {
    classes: [
      'org.apache.hadoop.io.compress.DefaultCodec',
      'org.apache.hadoop.io.compress.DeflateCodec',
      'org.apache.hadoop.io.compress.ZlibCodec',
    ],
    decode: decodeByZlib('deflate', zlib.inflateSync, zlib.createInflate),
    decodeStart: decodeStartByZlib('deflate', zlib.inflateSync),
  },
  output: {
    compress: bytes => zlib.deflateSync(bytes),
    decompress: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { maxOutputLength }),
  },
} satisfies Codec
