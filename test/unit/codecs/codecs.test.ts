import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32c } from '../../../src/bytes/crc32c.ts'
import { Xxh32 } from '../../../src/codecs/checksums.ts'
import type { Codec } from '../../../src/codecs/codec.ts'
import { codecNames, codecs, hadoopCodecs, outputCodecs } from '../../../src/codecs/codecs.ts'
import { decompressLzf } from '../../../src/codecs/lzf.ts'
import { FormatError } from '../../../src/errors.ts'
import { pieces } from '../../suites/pieces.ts'
import {
  bzip2Hello,
  deflate,
  gzip,
  hadoopBlocks,
  lz4Block,
  lz4Frame,
  lzf,
  snappyBlock,
  snappyFrames,
  zstd,
} from './encoders.ts'

const codec = (name: string): Codec => {
  const found = codecs.find(candidate => candidate.name === name)
  if (!found) throw new Error(`no codec ${name}`)
  return found
}

/** The whole output, and what ends it. */
const unfold = async (name: string, bytes: Uint8Array, size = 1_000) => {
  const parts: Uint8Array[] = []
  try {
    for await (const part of codec(name).stream(pieces(bytes, size))) parts.push(part)
  } catch (error) {
    return { bytes: Buffer.concat(parts), error }
  }
  return { bytes: Buffer.concat(parts), error: undefined }
}

type Encoder = {
  readonly name: string
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** Without a checksum: damage may give other bytes. */
  readonly isUnchecked?: true
}

const encoders: readonly Encoder[] = [
  { name: 'gzip', compress: gzip },
  { name: 'deflate', compress: deflate },
  { name: 'zstd', compress: zstd, isUnchecked: true },
  { name: 'lzf', compress: lzf, isUnchecked: true },
  { name: 'lz4', compress: lz4Frame, isUnchecked: true },
  { name: 'snappy', compress: bytes => snappyFrames(bytes, crc32c) },
  { name: 'hadoop-snappy', compress: bytes => hadoopBlocks(bytes, snappyBlock), isUnchecked: true },
  { name: 'hadoop-lz4', compress: bytes => hadoopBlocks(bytes, lz4Block), isUnchecked: true },
]

const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${i * 7919} line ${i}\n`).join(''))

describe.each(encoders)('$name', ({ name, compress, isUnchecked }) => {
  const compressed = compress(text)

  test.each([1_000_000, 4_096, 17])('unfolds in pieces of %i bytes', async size => {
    const { bytes, error } = await unfold(name, compressed, size)
    expect(error).toBeUndefined()
    expect(bytes.equals(text)).toBe(true)
  })

  test('unfolds any bytes', async () => {
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 3_000 }),
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 5 }), fc.nat(500)).map(([part, times]) => {
        return Uint8Array.from({ length: part.length * times }, (_, i) => part[i % part.length] ?? 0)
      }),
    )
    await fc.assert(
      fc.asyncProperty(some, fc.integer({ min: 1, max: 300 }), async (raw, size) => {
        const { bytes, error } = await unfold(name, compress(raw), size)
        expect(error).toBeUndefined()
        expect(bytes.equals(raw)).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  test('says where it was cut short, after the data before', async () => {
    for (const end of [1, 5, compressed.length >> 1, compressed.length - 1]) {
      const { bytes, error } = await unfold(name, compressed.subarray(0, end))
      expect(error, `cut at ${end}`).toBeInstanceOf(FormatError)
      expect(bytes.equals(text.subarray(0, bytes.length))).toBe(true)
    }
  })

  test('takes what was put one behind another', async () => {
    const { bytes, error } = await unfold(name, Buffer.concat([compressed, compress(text.subarray(0, 999))]), 300)
    expect(error).toBeUndefined()
    expect(bytes.equals(Buffer.concat([text, text.subarray(0, 999)]))).toBe(true)
  })

  test('never ends in silence where bytes are damaged', async () => {
    const small = compress(text.subarray(0, 2_000))
    for (let at = 0; at < small.length; at += 7) {
      const { bytes, error } = await unfold(name, Uint8Array.from(small).fill((small[at] ?? 0) ^ 0x55, at, at + 1))
      if (error !== undefined) expect(error).toBeInstanceOf(FormatError)
      // Formats without a checksum may give other bytes, but not fewer.
      else if (!isUnchecked) {
        expect(bytes.equals(text.subarray(0, 2_000)), `byte ${at}`).toBe(true)
      }
    }
  })
})

describe('gzip', () => {
  test('finds a member that begins at any byte of a piece', async () => {
    const both = Buffer.concat([gzip(Buffer.from('one')), gzip(Buffer.from('two')), gzip(Buffer.from('three'))])
    for (let size = 1; size <= both.length; size++) {
      const { bytes, error } = await unfold('gzip', both, size)
      expect(error).toBeUndefined()
      expect(bytes.toString()).toBe('onetwothree')
    }
  })

  test('waits for its reader: a bomb does not unfold at once', async () => {
    const bomb = gzip(Buffer.alloc(64 * 1024 * 1024))
    let taken = 0
    let fed = 0
    const source = (async function* () {
      for await (const piece of pieces(bomb, 4_096)) {
        fed += piece.length
        yield piece
      }
    })()
    for await (const part of codec('gzip').stream(source)) {
      taken += part.length
      expect(part.length).toBeLessThan(8 * 1024 * 1024)
      if (taken > 1024 * 1024) break
    }
    expect(fed).toBeLessThan(bomb.length / 2)
  })
})

describe('zstd', () => {
  test('skips a frame without data', async () => {
    const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex')
    const { bytes, error } = await unfold('zstd', Buffer.concat([skippable, zstd(text), skippable]))
    expect(error).toBeUndefined()
    expect(bytes.equals(text)).toBe(true)
  })
})

describe('checksums', () => {
  test('are those of the specifications', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
    expect(new Xxh32().digest()).toBe(0x02cc5d05)
    expect(new Xxh32().update(Buffer.from('Nobody inspects the spammish repetition')).digest()).toBe(0xe2293b2f)
    const split = new Xxh32().update(Buffer.from('Nobody inspects the ')).update(Buffer.from('spammish repetition'))
    expect(split.digest()).toBe(0xe2293b2f)
  })
})

describe('hadoopCodecs', () => {
  const classes = [
    { name: 'DefaultCodec', compress: deflate },
    { name: 'GzipCodec', compress: gzip },
    { name: 'ZStandardCodec', compress: zstd },
    { name: 'SnappyCodec', compress: (bytes: Uint8Array) => hadoopBlocks(bytes, snappyBlock) },
    { name: 'Lz4Codec', compress: (bytes: Uint8Array) => hadoopBlocks(bytes, lz4Block) },
  ]

  test.each(classes)('$name unfolds buffers, and none beyond the limit', async ({ name, compress }) => {
    const decode = hadoopCodecs.get(`org.apache.hadoop.io.compress.${name}`)?.decode
    const bytes = compress(text)
    expect(Buffer.from((await decode?.(bytes, text.length)) ?? []).equals(text)).toBe(true)
    await expect((async () => decode?.(bytes, text.length - 1))()).rejects.toThrow(FormatError)
    await expect((async () => decode?.(bytes.subarray(0, 50), text.length))()).rejects.toThrow(FormatError)
  })

  test('BZip2Codec too', async () => {
    const decode = hadoopCodecs.get('org.apache.hadoop.io.compress.BZip2Codec')?.decode
    expect(Buffer.from((await decode?.(bzip2Hello, 120)) ?? []).toString()).toBe('hello '.repeat(20))
    await expect((async () => decode?.(bzip2Hello, 119))()).rejects.toThrow('at most 119')
  })
})

describe('lz4 frames with checksums', () => {
  // As the command lz4 writes "abc": XXH32 of the text is 32d153ff.
  const frames = [
    {
      what: 'of the data',
      hex: '04224d186440a7 03000080616263 00000000 ff53d132',
      at: 18,
      want: 'checksum of the data',
    },
    { what: 'of a block', hex: '04224d187040ad 03000080616263ff53d132 00000000', at: 14, want: 'checksum' },
    { what: 'of the descriptor', hex: '04224d186440a7 03000080616263 00000000 ff53d132', at: 6, want: 'descriptor' },
  ]

  test.each(frames)('the one $what is compared', async ({ hex, at, want }) => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    const good = await unfold('lz4', bytes, 7)
    expect(good.error).toBeUndefined()
    expect(good.bytes.toString()).toBe('abc')
    for (let byte = at; byte < at + (want === 'descriptor' ? 1 : 4); byte++) {
      const damaged = Uint8Array.from(bytes)
      damaged[byte] = (damaged[byte] ?? 0) ^ 0x10
      expect(String((await unfold('lz4', damaged, 7)).error)).toContain(want)
    }
    // Other data under the same checksum.
    const other = Uint8Array.from(bytes)
    other[bytes.indexOf('abc')] = 0x78
    if (want !== 'descriptor') expect(String((await unfold('lz4', other, 7)).error)).toContain(want)
  })
})

describe('what the collector writes', () => {
  const written = Buffer.from('{"eventName":"A","payload":{}}\n'.repeat(100))
  const undo = {
    none: (compressed: Uint8Array) => compressed,
    gzip: gunzipSync,
    deflate: inflateSync,
    zstd: zstdDecompressSync,
    lzf: (compressed: Uint8Array) => decompressLzf(compressed, written.length),
  }

  test.each([
    { name: 'none', extension: '' },
    { name: 'gzip', extension: '.gz' },
    { name: 'deflate', extension: '.deflate' },
    { name: 'zstd', extension: '.zst' },
    { name: 'lzf', extension: '.lzf' },
  ] as const)('$name compresses, and its files end in "$extension"', ({ name, extension }) => {
    const compressed = outputCodecs[name].compress(written)
    expect(outputCodecs[name].extension).toBe(extension)
    expect(Buffer.compare(undo[name](compressed), written)).toBe(0)
    expect(Buffer.compare(outputCodecs[name].decompress(compressed, written.length), written)).toBe(0)
    if (name !== 'none') expect(compressed.length).toBeLessThan(written.length / 4)
    expect(undo[name](outputCodecs[name].compress(new Uint8Array()))).toHaveLength(0)
  })

  test('every name has its codec', () => {
    expect(Object.keys(outputCodecs)).toEqual([...codecNames])
  })
})
