import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameReader, type FrameKind, frameKinds, writeFrame } from '../../../src/readers/frames.ts'

type Seen = { readonly kind: FrameKind; readonly read: number; readonly payload: string }

const toBytes = (frames: readonly Seen[]): Buffer => {
  const stream = new PassThrough()
  for (const { kind, read, payload } of frames) writeFrame(stream, kind, read, Buffer.from(payload, 'latin1'))
  return (stream.read() as Buffer | null) ?? Buffer.alloc(0)
}

/** What is found, the parts of a chunk joined, in bytes that are overwritten as soon as they were looked at. */
const readAll = (pieces: readonly Buffer[]): readonly Seen[] => {
  const seen: Seen[] = []
  const onBytes = createFrameReader((kind, read, payload) => {
    const text = payload.toString('latin1')
    const last = seen.at(-1)
    if (kind === 'chunk' && last?.read === read) seen[seen.length - 1] = { ...last, payload: last.payload + text }
    else seen.push({ kind, read, payload: text })
  })
  for (const piece of pieces) {
    const memory = Buffer.from(piece)
    onBytes(memory)
    memory.fill(0xff)
  }
  return seen
}

test('a frame is length, read and kind, little-endian, and its payload', () => {
  const bytes = toBytes([{ kind: 'head', read: 0x01020304, payload: 'ab' }])
  expect(bytes).toEqual(Buffer.from([2, 0, 0, 0, 4, 3, 2, 1, 3, 97, 98]))
})

test.each([
  ['ask', '0200000004030201 00 6162'],
  ['grant', '0200000004030201 01 6162'],
  ['cancel', '0200000004030201 02 6162'],
  ['head', '0200000004030201 03 6162'],
  ['chunk', '0200000004030201 04 6162'],
  ['end', '0200000004030201 05 6162'],
  ['error', '0200000004030201 06 6162'],
  ['suspect', '0200000004030201 07 6162'],
  ['trust', '0200000004030201 08 6162'],
] as const)('a frame of the kind %s is these bytes', (kind, hex) => {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  expect(toBytes([{ kind, read: 0x01020304, payload: 'ab' }])).toEqual(bytes)
  expect(readAll([bytes])).toEqual([{ kind, read: 0x01020304, payload: 'ab' }])
})

test('a frame of a kind that does not exist is passed over', () => {
  const bytes = Buffer.from('0200000000000000096162000000000000000005', 'hex')
  expect(readAll([bytes])).toEqual([{ kind: 'end', read: 0, payload: '' }])
  expect(frameKinds).toHaveLength(9)
})

test('frames are found whatever pieces they come in', () => {
  const payload = fc.uint8Array({ maxLength: 50 }).map(bytes => Buffer.from(bytes).toString('latin1'))
  const frame = fc.record({ kind: fc.constantFrom(...frameKinds), payload })
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 30 })), (given, lengths) => {
      const frames = given
        .filter(({ kind, payload }) => kind !== 'chunk' || payload !== '')
        .map((one, read) => ({ ...one, read }))
      const bytes = toBytes(frames)
      const pieces: Buffer[] = []
      for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 0) {
        pieces.push(bytes.subarray(at, at + (lengths[pieces.length] ?? 7)))
      }
      expect(readAll(pieces)).toEqual(frames)
    }),
  )
})
