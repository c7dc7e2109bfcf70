import { expect, test } from 'vitest'
import { createSlabs, lend, release } from '../../../src/http/slabs.ts'

/** A read of so many bytes of a value; all of it is lent. */
const read = (slabs: ReturnType<typeof createSlabs>, length: number, value: number): Buffer => {
  slabs.next().fill(value, 0, length)
  let lent: Buffer | undefined
  slabs.filled(length, bytes => {
    lent = lend(bytes.subarray(0), bytes)
  })
  if (!lent) throw new Error('nothing was filled')
  return lent
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
