import { describe, expect, test } from 'vitest'
import { BegunRequest } from '../../../../src/http/lane/begun-request.ts'

describe('BegunRequest', () => {
  test('gives its pieces back as one, whole once there are as many bytes as it needs', () => {
    const all = { bytes: 5 }
    const begun = new BegunRequest(all)
    expect([begun.isEmpty, begun.isBlank]).toEqual([true, true])
    begun.add(Buffer.from('abc'), 6)
    expect([begun.isEmpty, begun.isWhole, all.bytes]).toEqual([false, false, 8])
    begun.add(Buffer.from('def'))
    expect([begun.isWhole, all.bytes]).toEqual([true, 11])
    expect([begun.take().toString(), begun.isEmpty, all.bytes]).toEqual(['abcdef', true, 5])
  })

  test.each([
    ['\r\n', true],
    ['\n', true],
    ['\r\nG', false],
  ])('%j is blank: %j', (text, isBlank) => {
    const begun = new BegunRequest({ bytes: 0 })
    begun.add(Buffer.from(text))
    expect(begun.isBlank).toBe(isBlank)
  })

  test('holds on to no more memory than its bytes', () => {
    const slab = Buffer.alloc(1_000)
    const begun = new BegunRequest({ bytes: 0 })
    begun.add(slab.subarray(0, 10))
    expect(begun.take().buffer.byteLength).toBe(10)
  })

  test('is too much with many pieces, or where all connections hold many bytes', () => {
    const all = { bytes: 0 }
    const begun = new BegunRequest(all)
    for (let i = 0; i < 256; i++) begun.add(Buffer.from('a'))
    expect(begun.isTooMuch).toBe(false)
    begun.add(Buffer.from('a'))
    expect(begun.isTooMuch).toBe(true)
    begun.take()
    expect(begun.isTooMuch).toBe(false)
    all.bytes = 16 * 2 ** 20 + 1
    expect(begun.isTooMuch).toBe(true)
  })
})
