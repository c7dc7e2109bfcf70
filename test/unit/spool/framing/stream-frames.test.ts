import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Frame, readFrames, toFrame } from '../../../../src/spool/framing/framing.ts'
import { streamFrames } from '../../../../src/spool/framing/stream-frames.ts'

type Plain = Pick<Frame, 'type' | 'start' | 'end'> & { readonly payload: readonly number[] }

const toPlain = ({ type, start, end, payload }: Frame): Plain => ({ type, start, end, payload: [...payload] })

const readWhole = (bytes: Uint8Array): readonly [Plain[], number] => {
  const found: Plain[] = []
  const frames = readFrames(bytes)
  let next = frames.next()
  for (; !next.done; next = frames.next()) found.push(toPlain(next.value))
  return [found, next.value]
}

/** In pieces of the same memory, which has other bytes in it as soon as the next piece is asked for. */
async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const memory = new Uint8Array(pieceBytes)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    memory.set(bytes.subarray(at, at + pieceBytes))
    yield memory.subarray(0, Math.min(pieceBytes, bytes.length - at))
    memory.fill(0xff)
  }
}

/** @param wanted how many frames of each piece are looked at */
const readStreamed = async (bytes: Uint8Array, pieceBytes: number, wanted: number): Promise<[Plain[], number]> => {
  const found: Plain[] = []
  const pieces = streamFrames(inPieces(bytes, pieceBytes))
  let next = await pieces.next()
  for (; !next.done; next = await pieces.next()) {
    let left = wanted
    for (const frame of next.value) {
      found.push(toPlain(frame))
      if (--left <= 0) break
    }
  }
  return [found, next.value]
}

const damage = fc.record({ at: fc.nat(), to: fc.nat(255) })

// Long frames among short ones: memory grows for them, and shrinks after them.
const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(40), fc.nat(2_000)), { maxLength: 12 })

test('a file in pieces of any size has the same frames as the whole, and ends at the same place', async () => {
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.option(damage),
      fc.nat(60),
      fc.integer({ min: 1, max: 200 }),
      async (sizes, damaged, cut, pieceBytes) => {
        const all = Buffer.concat(sizes.map((size, type) => toFrame(type, new Uint8Array(size).fill(size))))
        if (damaged && all.length > 0) all[damaged.at % all.length] = damaged.to
        const bytes = all.subarray(0, all.length - Math.min(all.length, cut))
        expect(await readStreamed(bytes, pieceBytes, Number.POSITIVE_INFINITY)).toEqual(readWhole(bytes))
      },
    ),
    { numRuns: 300 },
  )
})

test('frames that are not looked at are skipped, and the file ends where it ends', async () => {
  const bytes = Buffer.concat(Array.from({ length: 9 }, (_, type) => toFrame(type, new Uint8Array(10))))
  const [found, end] = await readStreamed(bytes, 60, 1)
  expect([found.map(({ type }) => type), end]).toEqual([[0, 3, 6], bytes.length])
})

test('a length that is damaged takes no more memory than there are bytes', async () => {
  const long = toFrame(1, new Uint8Array(100))
  new DataView(long.buffer).setUint32(0, 1 << 30)
  expect(await readStreamed(long, 10, 1)).toEqual([[], 0])
})
