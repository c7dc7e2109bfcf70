import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decompressBzip2, decompressBzip2Stream } from '../../../src/codecs/bzip2.ts'
import { FormatError } from '../../../src/errors.ts'
import { pieces } from '../../suites/pieces.ts'
import { bzip2Hello, bzip2Repeats } from './encoders.ts'

const file = readFileSync(new URL('../../fixtures/rows/lines.txt.bz2', import.meta.url))
const lines = Array.from({ length: 16_000 }, (_, i) => `${i}\tline ${i % 100}\n`).join('')
const text = `${lines}${'a'.repeat(1_000)}\n`

const unfold = async (bytes: Uint8Array, size: number) => {
  const parts: Uint8Array[] = []
  try {
    for await (const part of decompressBzip2Stream(pieces(bytes, size))) parts.push(part)
  } catch (error) {
    return { text: Buffer.concat(parts).toString(), error }
  }
  return { text: Buffer.concat(parts).toString(), error: undefined }
}

describe('bzip2', () => {
  test('unfolds blocks and streams, however they arrive', async () => {
    expect(decompressBzip2(file, text.length).toString()).toBe(text)
    for (const size of [1_000_000, 1_009]) {
      expect(await unfold(file, size)).toEqual({ text, error: undefined })
    }
  })

  test('reads the randomised blocks of Java’s writer', async () => {
    const repeats = `${'a'.repeat(95)}\n`.repeat(105)
    expect(decompressBzip2(bzip2Repeats, repeats.length).toString()).toBe(repeats)
    for (const size of [1_000, 1]) expect(await unfold(bzip2Repeats, size)).toEqual({ text: repeats, error: undefined })
  })

  test('gives the blocks before a cut', async () => {
    const { text: found, error } = await unfold(file.subarray(0, Math.floor(file.length * 0.8)), 4_096)
    expect(error).toBeInstanceOf(FormatError)
    expect(found.length).toBeGreaterThan(99_000)
    expect(text.startsWith(found)).toBe(true)
  })

  test('refuses every cut and notices every flipped bit', () => {
    for (let end = 1; end < bzip2Hello.length; end++) {
      expect(() => decompressBzip2(bzip2Hello.subarray(0, end), 1_000), `cut at ${end}`).toThrow(FormatError)
    }
    for (let bit = 0; bit < 8 * bzip2Hello.length - 7; bit++) {
      const bad = Uint8Array.from(bzip2Hello)
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7))
      let found = ''
      try {
        found = decompressBzip2(bad, 100_000).toString()
      } catch (error) {
        expect(error, `bit ${bit}`).toBeInstanceOf(FormatError)
        continue
      }
      // A larger block size changes nothing.
      expect(found, `bit ${bit}`).toBe('hello '.repeat(20))
    }
  })
})
