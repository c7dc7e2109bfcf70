/** Compressors of other people, and framing written out by hand, for what our decompressors are to read. */
import { createRequire } from 'node:module'
import zlib from 'node:zlib'
import { compressLzf } from '../../../src/codecs/lzf.ts'

const require = createRequire(import.meta.url)
const snappyjs: { compress(bytes: Uint8Array): Uint8Array } = require('snappyjs')
const lz4js: {
  compress(bytes: Uint8Array): Uint8Array
  compressBlock(source: Uint8Array, target: Uint8Array, start: number, length: number, table: Uint32Array): number
  compressBound(length: number): number
} = require('lz4js')

export const snappyBlock = (bytes: Uint8Array): Uint8Array => snappyjs.compress(bytes)

export const lz4Frame = (bytes: Uint8Array): Uint8Array => lz4js.compress(bytes)

/** The old format of `lz4 -l`: one block. */
export const lz4Legacy = (bytes: Uint8Array): Uint8Array => {
  const block = lz4Block(bytes)
  const header = Buffer.from('02214c1800000000', 'hex')
  header.writeUInt32LE(block.length, 4)
  return Buffer.concat([header, block])
}

export const lz4Block = (bytes: Uint8Array): Uint8Array => {
  const target = new Uint8Array(lz4js.compressBound(bytes.length) + 16)
  const size = lz4js.compressBlock(bytes, target, 0, bytes.length, new Uint32Array(1 << 16))
  // The library leaves it to its caller to store what does not shrink: literals only.
  return size > 0 ? target.subarray(0, size) : lz4Literals(bytes)
}

const lz4Literals = (bytes: Uint8Array): Uint8Array => {
  if (bytes.length < 15) return Buffer.concat([Buffer.from([bytes.length << 4]), bytes])
  const more = bytes.length - 15
  const lengths = [...Array(Math.floor(more / 255)).fill(255), more % 255]
  return Buffer.concat([Buffer.from([0xf0, ...lengths]), bytes])
}

/** As Hadoop's BlockCompressorStream: raw length, then chunks of at most `chunkBytes` raw bytes. */
export const hadoopBlocks = (
  bytes: Uint8Array,
  compress: (bytes: Uint8Array) => Uint8Array,
  chunkBytes = 40_000,
): Buffer => {
  const parts: Uint8Array[] = [toBytes(bytes.length)]
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = compress(bytes.subarray(at, at + chunkBytes))
    parts.push(toBytes(chunk.length), chunk)
  }
  return Buffer.concat(parts)
}

/** The framing format of snappy; checksums by `crc`. */
export const snappyFrames = (bytes: Uint8Array, crc: (bytes: Uint8Array) => number): Buffer => {
  const parts: Uint8Array[] = [Buffer.from('ff060000734e61507059', 'hex')]
  for (let at = 0; at < bytes.length; at += 65_536) {
    const raw = bytes.subarray(at, at + 65_536)
    const block = at % 131_072 === 0 ? snappyBlock(raw) : raw
    const header = Buffer.alloc(8)
    header[0] = at % 131_072 === 0 ? 0 : 1
    header.writeUIntLE(block.length + 4, 1, 3)
    const sum = crc(raw)
    header.writeUInt32LE((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0, 4)
    parts.push(header, block, Buffer.from('fe020000abcd', 'hex'))
  }
  return Buffer.concat(parts)
}

/** `hello hello …` 20 times, by the bzip2 program. */
export const bzip2Hello = Buffer.from('QlpoOTFBWSZTWWcm9zEAAB2RAEAAAkSgADDNAFKjGkwnyYTROF3JFOFCQZyb3MQ=', 'base64')

/** 105 lines of 95 letters a, by Hadoop's BZip2Codec in Java: a randomised block. */
export const bzip2Repeats = Buffer.from(
  'QlpoOTFBWSZTWcMvWWCAAQfDAAAYAAggACAAIKVHoM00/EsRLYS4XckU4UJDDL1lgA==',
  'base64',
)

export const deflate = (bytes: Uint8Array): Buffer => zlib.deflateSync(bytes)
export const gzip = (bytes: Uint8Array): Buffer => zlib.gzipSync(bytes)
export const zstd = (bytes: Uint8Array): Buffer => zlib.zstdCompressSync(bytes)
export const lzf = compressLzf

const toBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
