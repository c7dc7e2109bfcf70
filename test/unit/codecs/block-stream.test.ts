import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decompressLz4Block, decompressSnappyBlock } from '../../../src/codecs/block-stream.ts'
import { FormatError } from '../../../src/errors.ts'
import { lz4Block, snappyBlock } from './encoders.ts'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const collect = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}

const text = (length: number): Buffer => {
  const words = ['alpha', 'beta', 'gamma', '\n', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa']
  let seed = 7
  let made = ''
  while (made.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    made += words[seed % words.length]
    if (seed % 11 === 0) made += String(seed)
  }
  return Buffer.from(made.slice(0, length))
}

const kinds = [
  {
    name: 'snappy',
    compress: (bytes: Uint8Array) => Buffer.from(snappyBlock(bytes)),
    stream: decompressSnappyBlock,
  },
  { name: 'lz4', compress: (bytes: Uint8Array) => Buffer.from(lz4Block(bytes)), stream: decompressLz4Block },
] as const

describe.each(kinds)('a block of $name, unfolded while it is read', ({ compress, stream }) => {
  const raw = text(300_000)
  const bytes = compress(raw)

  test.each([1, 7, 4_096, 1_000_000])('comes whole, in pieces of %i bytes', async size => {
    expect(bytes.length).toBeLessThan(raw.length / 2)
    expect((await collect(stream(inPieces(bytes, size), raw.length))).equals(raw)).toBe(true)
  })

  test('cut anywhere, damaged, or longer than allowed it is a FormatError', async () => {
    const short = compress(text(2_000))
    for (let end = 0; end < short.length; end++) {
      const found = await collect(stream(inPieces(short.subarray(0, end), 100), 2_000)).catch((error: unknown) => error)
      if (Buffer.isBuffer(found)) expect(found.length).toBeLessThan(2_000)
      else expect(found).toBeInstanceOf(FormatError)
    }
    await expect(collect(stream(inPieces(bytes, 4_096), raw.length - 1))).rejects.toThrow(/at most 299999 raw bytes/)
  })

  test('whatever the bytes, it is a FormatError or no more than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (any, size) => {
        const found = await collect(stream(inPieces(any, size), 10_000)).catch((error: unknown) => error)
        if (Buffer.isBuffer(found)) expect(found.length).toBeLessThanOrEqual(10_000)
        else expect(found).toBeInstanceOf(FormatError)
      }),
      { numRuns: 300 },
    )
  })
})
