import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeVint, readVint } from '../../../../src/formats/sequence-file/vint.ts'

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))

describe('a vint', () => {
  test.each([
    { value: 0, bytes: '00' },
    { value: 127, bytes: '7f' },
    { value: -112, bytes: '90' },
    { value: 128, bytes: '8f80' },
    { value: 200, bytes: '8fc8' },
    { value: 255, bytes: '8fff' },
    { value: 256, bytes: '8e0100' },
    { value: 65_536, bytes: '8d010000' },
    { value: 2_147_483_647, bytes: '8c7fffffff' },
    { value: -113, bytes: '8770' },
    { value: -256, bytes: '87ff' },
    { value: -257, bytes: '860100' },
    { value: -2_147_483_648, bytes: '847fffffff' },
  ])('$value is $bytes', ({ value, bytes }) => {
    expect(encodeVint(value)).toEqual(hex(bytes))
    expect(readVint(hex(`ff${bytes}ff`), 1)).toEqual({ value, end: 1 + bytes.length / 2 })
    for (let end = 0; end < bytes.length / 2; end++)
      expect(() => readVint(hex(bytes).subarray(0, end), 0)).toThrow('vint: expected')
  })

  test('survives writing and reading', () => {
    fc.assert(fc.property(fc.integer(), value => readVint(encodeVint(value), 0).value === value))
  })

  test.each([{ bytes: '8b0100000000' }, { bytes: '8cffffffff' }, { bytes: '84ffffffff' }])(
    '$bytes is more than 32 bits',
    ({ bytes }) => {
      expect(() => readVint(hex(bytes), 0)).toThrow('expected a 32-bit integer')
    },
  )

  test.each([2 ** 31, 0.5, Number.NaN])('%d is refused', value => {
    expect(() => encodeVint(value)).toThrow(RangeError)
  })
})
