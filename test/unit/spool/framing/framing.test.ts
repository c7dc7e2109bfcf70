import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Frame, isTornFrame, readFrames, toFrame } from '../../../../src/spool/framing/framing.ts'

const readAll = (bytes: Uint8Array): { frames: Frame[]; end: number } => {
  const frames: Frame[] = []
  const reader = readFrames(bytes)
  for (;;) {
    const next = reader.next()
    if (next.done) return { frames, end: next.value }
    frames.push(next.value)
  }
}

const payloads = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 5 })

describe('readFrames', () => {
  test('reads back what toFrame wrote', () => {
    fc.assert(
      fc.property(payloads, written => {
        const bytes = Buffer.concat(written.map((payload, i) => toFrame(i, payload)))
        const { frames, end } = readAll(bytes)
        expect(frames.map(({ type, payload }) => [type, [...payload]])).toEqual(written.map((p, i) => [i, [...p]]))
        expect(end).toBe(bytes.length)
      }),
    )
  })

  test('a cut at any byte leaves the frames before it', () => {
    const parts = [1, 2, 3].map(i => toFrame(i, new Uint8Array(10 * i).fill(i)))
    const bytes = Buffer.concat(parts)
    for (let cut = 0; cut <= bytes.length; cut++) {
      const ends = parts.map((_, i) => Buffer.concat(parts.slice(0, i + 1)).length)
      const whole = ends.filter(end => end <= cut)
      const { frames, end } = readAll(bytes.subarray(0, cut))
      expect([frames.length, end]).toEqual([whole.length, whole.at(-1) ?? 0])
    }
  })

  test('a flipped bit anywhere in the last frame ends the prefix before it', () => {
    const first = toFrame(1, new Uint8Array(20).fill(7))
    const second = toFrame(2, new Uint8Array(20).fill(9))
    for (let bit = 0; bit < second.length * 8; bit++) {
      const bytes = Buffer.concat([first, second])
      bytes[first.length + (bit >> 3)] = (bytes[first.length + (bit >> 3)] ?? 0) ^ (1 << (bit & 7))
      expect(readAll(bytes)).toMatchObject({ frames: [{ type: 1 }], end: first.length })
    }
  })

  test.each([
    ['nothing', ''],
    ['zeros', '00'.repeat(64)],
    ['a length of 0', `00000000${'00'.repeat(20)}`],
    ['a length beyond the end', `7fffffff${'00'.repeat(20)}`],
  ])('%s has no frame', (_, hex) => {
    expect(readAll(Buffer.from(hex, 'hex'))).toEqual({ frames: [], end: 0 })
  })
})

describe('isTornFrame', () => {
  test('knows the beginning of one frame at every length, and nothing else', () => {
    const frame = toFrame(2, Buffer.from('some payload'))
    for (let length = 1; length < frame.length; length++) expect(isTornFrame(frame.subarray(0, length))).toBe(true)
    expect(isTornFrame(frame)).toBe(false)
    expect(isTornFrame(frame.with(frame.length - 1, 0))).toBe(false)
    // A flipped bit of the first length: the frames after it are whole.
    expect(isTornFrame(Buffer.concat([frame.with(1, 0xff), frame]))).toBe(false)
  })

  test('gives up on bytes of which every other one could begin a frame', () => {
    const toBytes = (size: number): Buffer => {
      const bytes = Buffer.alloc(size, Uint8Array.of(0, 1, 0, 1))
      bytes.writeUInt32BE(1 << 24)
      return bytes
    }
    expect(isTornFrame(toBytes(1 << 16))).toBe(true)
    expect(isTornFrame(toBytes(1 << 20))).toBe(false)
  })
})
