import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JolokiaError } from '../../../admin/jolokia/errors.ts'
import { extract, splitPath } from '../../../admin/jolokia/path.ts'

describe('splitPath', () => {
  test.each([
    { given: '', want: [] },
    { given: 'a', want: ['a'] },
    { given: 'a/b', want: ['a', 'b'] },
    { given: 'a!/b/c', want: ['a/b', 'c'] },
    { given: 'a!!/b', want: ['a!', 'b'] },
    { given: '!"a!"', want: ['"a"'] },
    { given: 'a!', want: ['a!'] },
    { given: 'a//b', want: ['a', '', 'b'] },
    { given: '/a', want: ['', 'a'] },
    { given: 'a/', want: ['a', ''] },
  ])('$given', ({ given, want }) => expect(splitPath(given)).toEqual(want))

  test('undoes the escape', () => {
    const toEscaped = (part: string): string => part.replace(/[!/]/g, '!$&')
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }), parts => {
        expect(splitPath(parts.map(toEscaped).join('/'))).toEqual(parts)
      }),
    )
  })
})

describe('extract', () => {
  test.each([
    { value: { a: { b: 1 } }, path: ['a', 'b'], want: 1 },
    { value: { a: [5, 6] }, path: ['a', '1'], want: 6 },
    { value: { a: { x: 1 }, b: { x: 2 } }, path: ['*', 'x'], want: { a: 1, b: 2 } },
    { value: 7, path: [], want: 7 },
  ])('$path', ({ value, path, want }) => expect(extract(value, path)).toEqual(want))

  test.each([
    { value: {}, path: ['__proto__'] },
    { value: {}, path: ['constructor', 'name'] },
    { value: [1], path: ['length'] },
    { value: 'text', path: ['0'] },
    { value: null, path: ['a'] },
  ])('$path leads nowhere', ({ value, path }) => expect(() => extract(value, path)).toThrow(JolokiaError))
})
