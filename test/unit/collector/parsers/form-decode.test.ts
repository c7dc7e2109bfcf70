import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formDecode, formDecodeAscii } from '../../../../src/collector/parsers/form-decode.ts'
import { tried } from '../../../fuzz/tried.ts'

describe('formDecodeAscii', () => {
  test.each([
    { given: '', want: '' },
    { given: 'a+b%20c%2Bd', want: 'a b c+d' },
    { given: '%7f%7F%00', want: '\x7f\x7f\0' },
    { given: 'é', want: undefined },
    { given: '%C3%A9', want: undefined },
    { given: '%80', want: undefined },
    { given: '%', want: undefined },
    { given: '%4', want: undefined },
    { given: '%4g', want: undefined },
    { given: '%g4', want: undefined },
    { given: '%é4', want: undefined },
  ])('$given', ({ given, want }) => {
    expect(decode(given)).toBe(want)
  })

  test('stays between start and end', () => {
    const target = new Uint8Array(4)
    expect(formDecodeAscii('ab%41cd', 1, 6, target, 1)).toBe(4)
    expect([...target]).toEqual([0, 0x62, 0x41, 0x63])
    expect(formDecodeAscii('ab%41cd', 1, 4, target, 0)).toBe(-1)
  })

  test('agrees with formDecode', () => {
    const piece = fc.oneof(fc.constantFrom('+', '%', '%41', '%2', '%C3%A9', '%FF', 'é'), fc.string())
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('')
        const whole = tried(() => formDecode(text))
        const isAscii = whole !== undefined && Buffer.byteLength(whole) === whole.length
        expect(decode(text)).toBe(isAscii ? whole : undefined)
      }),
    )
  })
})

const decode = (text: string): string | undefined => {
  const target = Buffer.alloc(text.length)
  const end = formDecodeAscii(text, 0, text.length, target, 0)
  return end < 0 ? undefined : target.toString('latin1', 0, end)
}
