import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compressLzf, decompressLzf, maxChunkBytes } from '../../../src/codecs/lzf.ts'
import { FormatError } from '../../../src/errors.ts'
import { corpus, run } from '../../fuzz/targets/lzf.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value))

describe('decompressLzf', () => {
  test.each([
    { name: 'nothing', bytes: '', want: '' },
    { name: 'a stored chunk', bytes: '5a56 00 0003 616263', want: 'abc' },
    { name: 'an empty chunk', bytes: '5a56 00 0000', want: '' },
    { name: 'literals', bytes: '5a56 01 0004 0003 02 616263', want: 'abc' },
    { name: 'a short copy', bytes: '5a56 01 0006 0006 02 616263 20 02', want: 'abcabc' },
    { name: 'a copy that overlaps itself', bytes: '5a56 01 0004 0009 00 61 c0 00', want: 'aaaaaaaaa' },
    { name: 'a long copy', bytes: '5a56 01 0005 000a 00 61 e0 00 00', want: 'aaaaaaaaaa' },
    { name: 'the longest copy', bytes: '5a56 01 0005 0109 00 61 e0 ff 00', want: 'a'.repeat(265) },
    { name: 'chunks of both kinds', bytes: '5a56 00 0001 61 5a56 01 0002 0001 00 62', want: 'ab' },
  ])('reads $name', ({ bytes, want }) => {
    expect(Buffer.from(decompressLzf(hex(bytes), 1000)).toString()).toBe(want)
  })

  test.each([
    { name: 'no magic', bytes: '5a57 00 0000', want: 'lzf: expected a chunk (5a 56 and 00 or 01) at byte 0' },
    {
      name: 'an unknown kind',
      bytes: '5a56 00 0000 5a56 02 0000',
      want: 'expected a chunk (5a 56 and 00 or 01) at byte 5',
    },
    { name: 'half a header', bytes: '5a56 01 0000 00', want: 'expected a chunk header, found 6 bytes at byte 0' },
    { name: 'half a chunk', bytes: '5a56 00 0003 6162', want: 'expected a chunk of 3 bytes, found 2 at byte 0' },
    {
      name: 'a ratio that no data has',
      bytes: '5a56 01 0001 ffff 00',
      want: 'expected at most 88 raw bytes, found 65535 at byte 0',
    },
    {
      name: 'half an instruction',
      bytes: '5a56 01 0003 0004 00 61 20',
      want: 'expected a whole instruction, found the end of the chunk at byte 9',
    },
    {
      name: 'literals beyond the chunk',
      bytes: '5a56 01 0002 0003 02 61',
      want: 'expected a whole instruction, found the end of the chunk at byte 7',
    },
    {
      name: 'a copy from before the chunk',
      bytes: '5a56 00 0001 61 5a56 01 0004 0004 00 61 20 01',
      want: 'expected a copy from within the chunk at byte 15',
    },
    {
      name: 'more than was announced',
      bytes: '5a56 01 0004 0003 00 61 20 00',
      want: 'expected at most 2 more bytes, found 3 at byte 9',
    },
    {
      name: 'less than was announced',
      bytes: '5a56 01 0002 0002 00 61',
      want: 'expected 1 more bytes in the chunk at byte 9',
    },
  ])('refuses $name', ({ bytes, want }) => {
    expect(() => decompressLzf(hex(bytes), 100_000)).toThrow(want)
  })

  test('keeps its limit over all chunks', () => {
    const bytes = compressLzf(new Uint8Array(200_000))
    expect(decompressLzf(bytes, 200_000)).toHaveLength(200_000)
    expect(() => decompressLzf(bytes, 199_999)).toThrow('expected at most 199999 decompressed bytes')
  })

  test('is never misled by a cut', () => {
    const whole = compressLzf(text('to be or not to be, that is the question: '.repeat(20)))
    for (let end = 1; end < whole.length; end++) {
      expect(() => decompressLzf(whole.subarray(0, end), 10_000)).toThrow(FormatError)
    }
  })
})

describe('compressLzf', () => {
  test.each([
    { name: 'nothing', given: '', want: '' },
    { name: 'what does not shrink is stored', given: 'abcdefg', want: '5a56 00 0007 61626364656667' },
    { name: 'what repeats is copied', given: 'abcabcabcabcabcabc', want: '5a56 01 0007 0012 02 616263 e0 06 02' },
  ])('$name', ({ given, want }) => {
    expect(compressLzf(text(given))).toEqual(hex(want))
  })

  test.each([maxChunkBytes - 1, maxChunkBytes, maxChunkBytes + 1, 2 * maxChunkBytes + 1])(
    'cuts %d bytes into chunks',
    size => {
      const noise = Uint8Array.from({ length: size }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 21)
      const compressed = compressLzf(noise)
      expect(Buffer.compare(decompressLzf(compressed, size), noise)).toBe(0)
      expect(compressed.length).toBeLessThanOrEqual(size + 5 * Math.ceil(size / maxChunkBytes))
    },
  )

  test('shrinks what events look like', () => {
    const events = text(Array.from({ length: 200 }, (_, i) => `{"eventName":"A","payload":{"n":${i}}}`).join('\n'))
    expect(compressLzf(events).length).toBeLessThan(events.length / 2)
  })

  test('is undone by decompressing', () => {
    const few = fc.array(fc.constantFrom(0, 1, 255), { maxLength: 3000 }).map(bytes => Uint8Array.from(bytes))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 3000 }), few), bytes => {
        expect(Buffer.compare(decompressLzf(compressLzf(bytes), bytes.length), bytes)).toBe(0)
      }),
    )
  })
})

test('any bytes end in a value or a FormatError', () => {
  const attempt = (bytes: Uint8Array): void => {
    try {
      run(bytes)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
    }
  }
  for (const seed of corpus()) {
    attempt(seed)
    const at = fc.nat(Math.min(seed.length - 1, 40))
    fc.assert(
      fc.property(at, fc.nat(255), (offset, byte) => attempt(Uint8Array.from(seed).fill(byte, offset, offset + 1))),
      { numRuns: 300 },
    )
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), tail => attempt(Buffer.concat([hex('5a5601'), tail]))),
    { numRuns: 1000 },
  )
})
