import { expect, test } from 'vitest'
import { nearest } from '../../../src/text/nearest.ts'

test.each([
  { word: 'nmae', known: ['time', 'name'], want: 'name' },
  { word: 'NAME', known: ['time', 'name'], want: 'name' },
  { word: 'xyzxyzxyz', known: ['time', 'name'], want: undefined },
  { word: 'name', known: [], want: undefined },
  { word: 'n'.repeat(101), known: ['n'.repeat(100)], want: undefined },
  { word: 'name', known: ['n'.repeat(1_000_000), 'names'], want: 'names' },
])('nearest to $word of $known.length words is $want', ({ word, known, want }) => {
  expect(nearest(word, known)).toBe(want)
})

test('nearest looks at the first thousand words only', () => {
  const far = Array.from({ length: 1_000 }, (_, index) => `${index}`.padStart(4, '0'))
  expect(nearest('wxyz', [...far, 'wxyy'])).toBeUndefined()
  expect(nearest('wxyz', [...far.slice(1), 'wxyy'])).toBe('wxyy')
})
