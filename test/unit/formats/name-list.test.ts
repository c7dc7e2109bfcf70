import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { formatNames, parseNames } from '../../../src/formats/name-list.ts'

describe('parseNames', () => {
  test.each([
    { text: '', want: [] },
    { text: 'a', want: ['a'] },
    { text: 'b,a,b', want: ['b', 'a', 'b'] },
    { text: ' a , b c ,', want: ['a', 'b c'] },
    { text: ',,a', want: ['a'] },
    { text: '"a,b",c', want: ['a,b', 'c'] },
    { text: ' "say ""hi""" , x', want: ['say "hi"', 'x'] },
    { text: '"",a', want: ['', 'a'] },
    { text: '" a "', want: [' a '] },
    { text: 'a"b,c"d', want: ['a"b', 'c"d'] },
    { text: '__proto__,näme', want: ['__proto__', 'näme'] },
  ])('takes $text apart', ({ text, want }) => expect(parseNames(text)).toEqual(want))

  test.each([
    { text: 'a,"b', want: 'expected the quote that closes a name, found the end at character 2' },
    { text: '"a"b,c', want: 'expected a comma behind a name in quotes at character 3' },
  ])('refuses $text', ({ text, want }) => expect(() => parseNames(text)).toThrow(want))

  test('gives names or a known error for any text, and back what formatNames made', () => {
    const piece = fc.oneof(fc.constantFrom(',', '"', ' ', '""', 'a', '\n', '\u00a0'), fc.string())
    const text = fc.array(piece).map(pieces => pieces.join(''))
    fc.assert(
      fc.property(fc.array(text), text, (names, any) => {
        expect(parseNames(formatNames(names))).toEqual(names)
        try {
          parseNames(any)
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
    )
  })
})
