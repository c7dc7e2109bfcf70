import { describe, expect, test } from 'vitest'
import { PiecedBytes } from '../../../../src/spool/events/pieced-bytes.ts'

describe('PiecedBytes', () => {
  test.each([
    ['nothing', []],
    ['a few', [3, 0, 5]],
    ['many small ones', Array.from({ length: 3_000 }, (_, i) => i % 977)],
    ['one larger than a piece, between others', [1, 3 << 20, 7, 2 << 20]],
  ])('gives back what was written, in order, and begins anew: %s', (_what, lengths) => {
    const bytes = new PiecedBytes()
    const all = lengths.map((length, i) => Buffer.alloc(length, i % 251))
    for (let round = 0; round < 2; round++) {
      for (const piece of all) bytes.append(piece)
      expect(bytes.take().equals(Buffer.concat(all))).toBe(true)
    }
    expect(bytes.take()).toHaveLength(0)
  })

  test('takes what it has made room for', () => {
    const bytes = new PiecedBytes()
    for (let i = 0; i < 2_000; i++) {
      bytes.reserve(6)
      bytes.put(Buffer.from('abc'))
      bytes.put(Buffer.from('def'))
    }
    expect(bytes.take().toString()).toBe('abcdef'.repeat(2_000))
  })
})
