import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteQueue } from '../../../src/codecs/byte-queue.ts'

/** Chunks whose bytes count on from one to the next, so that each byte shows its offset. */
async function* counting(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) {
    yield Uint8Array.from({ length: size }, () => at++ & 0xff)
  }
}

const expected = (offset: number, length: number): number[] =>
  Array.from({ length }, (_, index) => (offset + index) & 0xff)

const sizes = fc.array(fc.nat(60), { maxLength: 25 })
const steps = fc.array(fc.record({ wait: fc.nat(90), skip: fc.nat(70) }), { maxLength: 25 })

describe('ByteQueue', () => {
  test.each([false, true])('gives the bytes of its source in order (recycling: %s)', async recycles => {
    await fc.assert(
      fc.asyncProperty(sizes, steps, fc.nat(5), async (chunks, calls, recycleAt) => {
        const total = chunks.reduce((sum, size) => sum + size, 0)
        const queue = new ByteQueue(counting(chunks))
        for (const [index, { wait, skip }] of calls.entries()) {
          if (recycles && index === recycleAt) queue.recycle()
          expect(await queue.ensure(wait)).toBe(queue.offset + wait <= total)
          expect([...queue.view()]).toEqual(expected(queue.offset, queue.available))
          queue.skip(Math.min(skip, queue.available))
        }
        const { offset } = queue
        const rest: number[] = []
        for await (const part of queue.rest()) rest.push(...part)
        expect(rest).toEqual(expected(offset, total - offset))
      }),
    )
  })

  test('leaves what it handed out as it is', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, steps, async (chunks, calls) => {
        const queue = new ByteQueue(counting(chunks))
        const views: (readonly [Uint8Array, number])[] = []
        for (const { wait, skip } of calls) {
          await queue.ensure(wait)
          views.push([queue.view(), queue.offset])
          queue.skip(Math.min(skip, queue.available))
        }
        for (const [view, offset] of views) expect([...view]).toEqual(expected(offset, view.length))
      }),
    )
  })

  test('keeps its memory while it recycles', async () => {
    const queue = new ByteQueue(counting(Array.from({ length: 500 }, () => 1_000)))
    queue.recycle()
    await queue.ensure(2_500)
    const { buffer } = queue.view()
    while (await queue.ensure(2_500)) {
      expect(queue.view().buffer).toBe(buffer)
      queue.skip(1_700)
    }
    expect(buffer.byteLength).toBeLessThanOrEqual(8_000)
  })
})
