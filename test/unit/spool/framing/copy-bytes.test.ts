import { expect, test } from 'vitest'
import { copyBytes } from '../../../../src/spool/framing/copy-bytes.ts'

const patternOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i % 251) + 1)

test.each([0, 1, 255, 256, 257, 70_000])('copyBytes: %i bytes to where they belong, and nowhere else', length => {
  for (const memory of [new ArrayBuffer(length + 20), new SharedArrayBuffer(length + 20)]) {
    const to = new Uint8Array(memory, 3, length + 10)
    copyBytes(patternOf(length + 7).subarray(7), to, 5)
    const want = new Uint8Array(length + 20)
    want.set(patternOf(length + 7).subarray(7), 8)
    expect(Buffer.from(new Uint8Array(memory)).equals(want)).toBe(true)
  }
})
