import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal, type Value } from '../../../../src/formats/number.ts'
import { createLike } from '../../../../src/rows/where/like.ts'
import { Steps } from '../../../../src/rows/where/steps.ts'
import { parseWhere } from '../../../../src/rows/where/where.ts'

const value = fc.oneof(
  fc.constantFrom<Value>(null, true, '', '5', 'abc', 5, 7n, new Decimal(50n, 1), '2024-05-01'),
  fc.string({ maxLength: 4 }),
  fc.integer({ min: -3, max: 12 }),
)
const literal = fc.oneof(
  fc.integer({ min: -3, max: 12 }).map(String),
  fc.constantFrom('abc', "'5'", '2024-05-01', "''"),
)
const answers = (where: string, values: readonly Value[]): readonly boolean[] =>
  values.map(one => parseWhere(where).matches({ names: ['a'], values: [one] }))

describe('the words of the language', () => {
  test('in, between and is null say what the operators say', () => {
    fc.assert(
      fc.property(fc.array(value), literal, literal, (values, b, c) => {
        expect(answers(`a in (${b}, ${c})`, values)).toEqual(answers(`a = ${b} or a = ${c}`, values))
        expect(answers(`a not in (${b}, ${c})`, values)).toEqual(answers(`a != ${b} and a != ${c}`, values))
        expect(answers(`a between ${b} and ${c}`, values)).toEqual(answers(`a >= ${b} and a <= ${c}`, values))
        expect(answers(`a not between ${b} and ${c}`, values)).toEqual(answers(`not (a >= ${b} and a <= ${c})`, values))
        expect(answers('a is null', values)).toEqual(answers('a = null', values))
        expect(answers('a is not null', values)).toEqual(answers('a != null', values))
      }),
    )
  })

  test.each<[string, readonly Value[], boolean]>([
    ['needle', ['hay', 'a Needle here'], true],
    ['needle', ['hay', { within: ['NEEDLE'] }], true],
    ['50', [1, 2502], true],
    ['true', [false, true], true],
    ['needle', ['hay', null], false],
    ['not needle', ['hay', null], true],
    ['hay and straw', ['hay', 'straw'], true],
    ['"a b"', ['a', 'b'], false],
  ])('a word is looked for in all columns: %s in %j', (where, values, want) => {
    const asked = parseWhere(where)
    expect(asked.matches({ names: values.map((_, index) => `c${index}`), values })).toBe(want)
    expect([asked.isAnyColumn, asked.columns]).toEqual([true, []])
  })
})

const like = (pattern: string, text: string): boolean => createLike(pattern, new Steps(1_000_000))(text)

describe('like', () => {
  test.each<[string, string, boolean]>([
    ['abc', 'abc', true],
    ['abc', 'ABC', false],
    ['a%', 'abc', true],
    ['%c', 'abc', true],
    ['%b%', 'abc', true],
    ['a_c', 'abc', true],
    ['a_c', 'ac', false],
    ['_', '😀', true],
    ['%', '', true],
    ['', '', true],
    ['', 'a', false],
    ['%a%b%', 'xxaxxbxx', true],
    ['%a%b%', 'xxbxxaxx', false],
    ['50\\%', '50%', true],
    ['50\\%', '505', false],
    ['a\\_b', 'axb', false],
    ['a\\\\b', 'a\\b', true],
    ['a\nb%', 'a\nbc', true],
    ['a.c', 'abc', false],
  ])('%s %j: %s', (pattern, text, want) => {
    expect(like(pattern, text)).toBe(want)
  })

  test('is what a regular expression of the same meaning says', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', '%', '_', '😀'), maxLength: 8 })
    fc.assert(
      fc.property(few, few, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'su')
        expect(like(pattern, text)).toBe(expression.test(text))
      }),
    )
  })

  test('of numbers looks at their digits, and is bounded', () => {
    const matches = (where: string, one: Value) => parseWhere(where, 10_000).matches({ names: ['a'], values: [one] })
    expect([matches('a like 1%', 150), matches('a like 1%', 9), matches('a like null', null)]).toEqual([
      true,
      false,
      false,
    ])
    expect(() => matches("a like '%a%a%a%b'", 'a'.repeat(5_000))).toThrow('expected at most 10,000 steps')
  })
})
