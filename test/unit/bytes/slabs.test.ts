import { expect, test } from 'vitest'
import { createSlabs, exclusive, lend, release } from '../../../src/bytes/slabs.ts'

/** A read of a number of bytes of a value; all of it is lent. */
const read = (slabs: ReturnType<typeof createSlabs>, length: number, value: number): Buffer => {
  slabs.next().fill(value, 0, length)
  return slabs.filled(length)
}

const bytes = 100_000

test('what is lent stays as it is, however much is read behind it', () => {
  const slabs = createSlabs()
  const parts = Array.from({ length: 50 }, (_, index) => ({ index, part: read(slabs, bytes, index) }))
  for (const { index, part } of parts) expect(part.every(byte => byte === index)).toBe(true)
})

test('what is released is used again, once, and never for what was not lent', () => {
  const slabs = createSlabs()
  const first = read(slabs, bytes, 1)
  const second = read(slabs, bytes, 2)
  release(first)
  release(first)
  release(Buffer.from('of somebody else'))
  const third = read(slabs, bytes, 3)
  expect(third.buffer).toBe(first.buffer)
  expect(second.every(byte => byte === 2)).toBe(true)
  expect(read(slabs, bytes, 4).buffer).not.toBe(first.buffer)
})

test('memory is used again only when all that is in it was released', () => {
  const slabs = createSlabs()
  const parts = [read(slabs, 10, 1), read(slabs, bytes, 2)]
  expect(parts[0]?.buffer).toBe(parts[1]?.buffer)
  read(slabs, bytes, 3)
  release(parts[1] ?? Buffer.alloc(0))
  expect(read(slabs, bytes, 4).buffer).not.toBe(parts[0]?.buffer)
  release(parts[0] ?? Buffer.alloc(0))
  expect(read(slabs, bytes, 5).buffer).toBe(parts[0]?.buffer)
})

test('memory that reads still fill is not given out a second time', () => {
  const slabs = createSlabs()
  release(read(slabs, 10, 1))
  const second = read(slabs, bytes, 2)
  read(slabs, bytes, 3)
  expect(second.every(byte => byte === 2)).toBe(true)
})

test('a part that was lent on keeps its memory when the whole is released', () => {
  const slabs = createSlabs()
  const whole = read(slabs, bytes, 1)
  const part = lend(whole.subarray(10, 20), whole)
  release(whole)
  expect([read(slabs, bytes, 2), read(slabs, bytes, 3)].map(({ buffer }) => buffer)).not.toContain(part.buffer)
  release(part)
  expect(read(slabs, bytes, 4).buffer).toBe(part.buffer)
})

test('memory of somebody alone is gone when it is released, of others never', () => {
  const alone = exclusive(new Uint8Array(100))
  release(alone)
  expect(alone.length).toBe(0)
  const shared = exclusive(new Uint8Array(100).subarray(10))
  release(shared)
  release(new Uint8Array(10))
  expect(shared.length).toBe(90)
})

test('memory that is closed is the next one’s, once', () => {
  const slabs = createSlabs(12_345)
  const first = read(slabs, 10, 1)
  slabs.close()
  release(first)
  expect(createSlabs(12_345).next().buffer).toBe(first.buffer)
  // A former owner has no claim any more.
  slabs.close()
  expect(createSlabs(12_345).next().buffer).not.toBe(first.buffer)
})
