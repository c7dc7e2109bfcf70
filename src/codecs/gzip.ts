import zlib from 'node:zlib'
import { type Codec, startsWith } from './codec.ts'
import { decodeByZlib, decodeStartByZlib } from './zlib-engines.ts'
import { decompressByStream } from './zlib-stream.ts'

/** gzip (RFC 1952), members one behind another. */
export const gzip = {
  name: 'gzip',
  suffixes: ['gz', 'gzip', 'tgz'],
  isMagic: head => startsWith(head, 0x1f, 0x8b, 0x08),
  stream: source => decompressByStream(source, 'gzip', () => zlib.createGunzip()),
  hadoop: {
    classes: ['org.apache.hadoop.io.compress.GzipCodec'],
    decode: decodeByZlib('gzip', zlib.gunzipSync, zlib.createGunzip),
    decodeStart: decodeStartByZlib('gzip', zlib.gunzipSync),
  },
  output: {
    compress: bytes => zlib.gzipSync(bytes),
    decompress: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
  },
} satisfies Codec
