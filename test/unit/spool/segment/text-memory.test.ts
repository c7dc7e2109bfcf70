import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createTextMemory } from '../../../../src/spool/segment/text-memory.ts'

/** Few bytes, so that texts recur; some are not UTF-8, some too long to be remembered. */
const text = fc.oneof(
  fc.uint8Array({ maxLength: 3, max: 0xff }),
  fc.array(fc.constantFrom(0x41, 0x42, 0xc3, 0xa9), { maxLength: 200 }).map(bytes => Uint8Array.from(bytes)),
)

test('whatever was read before, and in whatever memory, a text is what its bytes say', () => {
  const decoder = new TextDecoder()
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), fc.nat(9), (texts, offset) => {
      const memory = createTextMemory()
      // One memory for all, as when a segment is read.
      const bytes = Buffer.alloc(256)
      for (const wanted of [...texts, ...texts]) {
        bytes.fill(0xff)
        bytes.set(wanted, offset)
        expect(memory.read(bytes, offset, offset + wanted.length)).toBe(decoder.decode(wanted))
      }
    }),
  )
})

test('texts that want the same place do not take each other for themselves', () => {
  const memory = createTextMemory()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 20_000; i++) {
      const bytes = Buffer.from(`Type${i}`)
      expect(memory.read(bytes, 0, bytes.length)).toBe(`Type${i}`)
    }
  }
})

test('names of 5 000 event types in turn are read once', () => {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  const memory = createTextMemory()
  const names = Array.from({ length: 5_000 }, (_, i) => Buffer.from(`Type${i}`))
  const readAll = (): number => {
    decode.mockClear()
    for (const name of names) memory.read(name, 0, name.length)
    return decode.mock.calls.length
  }
  expect(readAll()).toBe(5_000)
  // Few places are wanted by three.
  expect(readAll()).toBeLessThan(500)
  decode.mockRestore()
})
