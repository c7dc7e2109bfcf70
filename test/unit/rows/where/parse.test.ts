import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import type { Expression } from '../../../../src/rows/where/expression.ts'
import { maxComparisons, maxWhereChars, maxWhereDepth, parseExpression } from '../../../../src/rows/where/parse.ts'

const show = (expression: Expression): string => {
  switch (expression.kind) {
    case 'not':
      return `not(${show(expression.term)})`
    case 'comparison': {
      const { path, operator, literal } = expression
      const value = literal.kind === 'null' ? 'null' : `${literal.kind}:${literal.text}`
      return `${path.join('/')} ${operator} ${value}`
    }
    case 'anywhere':
      return `any ${expression.text}`
    default:
      return `${expression.kind}(${expression.terms.map(show).join(', ')})`
  }
}

describe('parseExpression reads', () => {
  test.each([
    ['a=1', 'a = number:1'],
    ['  a  =  1  ', 'a = number:1'],
    ['a!=1', 'a != number:1'],
    ['a<=1', 'a <= number:1'],
    ['a<1', 'a < number:1'],
    ['a>=1', 'a >= number:1'],
    ['a>1', 'a > number:1'],
    ['a~x', 'a ~ text:x'],
    ['a!~x', 'a !~ text:x'],
    ['a.b.c = 1', 'a/b/c = number:1'],
    ['"a.b".c = 1', 'a.b/c = number:1'],
    ['"say ""hi""" = 1', 'say "hi" = number:1'],
    ['"" = 1', ' = number:1'],
    ['col-0 = x-1/y:2,3', 'col-0 = text:x-1/y:2,3'],
    ["a = 'it''s'", "a = text:it's"],
    ['a = "1"', 'a = text:1'],
    ["a = ''", 'a = text:'],
    ['a = -1.50e3', 'a = number:-1.50e3'],
    ['a = 2024-05-01T10:00:00Z', 'a = time:2024-05-01T10:00:00Z'],
    ['a = null', 'a = null'],
    ['a != NULL', 'a != null'],
    ['a = true', 'a = boolean:true'],
    ['a = True', 'a = text:True'],
    ['a ~ tru', 'a ~ text:tru'],
    ['a ~ true', 'a ~ boolean:true'],
    ['a=1 and b=2 or c=3 and d=4', 'or(and(a = number:1, b = number:2), and(c = number:3, d = number:4))'],
    ['a=1 AND (b=2 Or c=3)', 'and(a = number:1, or(b = number:2, c = number:3))'],
    ['not a=1 and b=2', 'and(not(a = number:1), b = number:2)'],
    ['not not(a=1)', 'not(not(a = number:1))'],
    ['(a=1)and(b=2)', 'and(a = number:1, b = number:2)'],
    ['android = 1 and order = 2', 'and(android = number:1, order = number:2)'],
    ['"not" = 1 and not.x = 2', 'and(not = number:1, not/x = number:2)'],
    ['a = and', 'a = text:and'],
    ['ä = ö', 'ä = text:ö'],
    ['error', 'any error'],
    ["\"two words\" or 'it''s'", "or(any two words, any it's)"],
    ['example.com', 'any example.com'],
    ['end.', 'any end.'],
    ['500 and not 10.0.0.1', 'and(any 500, not(any 10.0.0.1))'],
    ['null', 'any null'],
    ['in or like or between or is', 'or(any in, any like, any between, any is)'],
    ['in = 1 and is in (2)', 'and(in = number:1, is = number:2)'],
    ['a in (1, "b, c" ,d,e)', 'or(a = number:1, a = text:b, c, a = text:d, a = text:e)'],
    ['a IN(1)', 'a = number:1'],
    ['a not in (1,null)', 'not(or(a = number:1, a = null))'],
    ['a.b like "x%"', 'a/b like text:x%'],
    ['a like 5_', 'a like text:5_'],
    ['a not like x', 'not(a like text:x)'],
    ['a is null and b IS NOT NULL', 'and(a = null, b != null)'],
    ['a between 1 and 2 and b', 'and(and(a >= number:1, a <= number:2), any b)'],
    ['a not between 1 and 2', 'not(and(a >= number:1, a <= number:2))'],
  ])('%s', (text, want) => {
    expect(show(parseExpression(text))).toBe(want)
  })
})

describe('parseExpression tells what was expected, where, and what is there', () => {
  test.each([
    ['', 'expected the name of a field, or text that is in any of them, found the end at character 0'],
    ['   ', 'expected the name of a field, or text that is in any of them, found the end at character 3'],
    ['a b', 'expected "and", "or" or the end, found "b" at character 2'],
    ['a in 5', 'expected "(" behind "in", found "5" at character 5'],
    ['a in ()', 'expected a value of the list, found ")" at character 6'],
    ['a in (1', 'expected "," or ")", found the end at character 7'],
    ['a not 5', 'expected "in", "like" or "between", found "5" at character 6'],
    ['a is 5', 'expected "null" or "not null", found "5" at character 5'],
    ['a between 1', 'expected "and" and a second value, found the end at character 11'],
    ['a between 1 and null', 'expected = or != before null, found <='],
    ['a = 1 && b = 2', 'expected "and", "or" or the end, found "&&" (write and for &&) at character 6'],
    ['a=1&&b=2', 'expected "and", "or" or the end, found "&&b" (write and for &&) at character 3'],
    ['a = 1 || b', 'expected "and", "or" or the end, found "||" (write or for ||) at character 6'],
    ['a <> 1', 'found ">" (write != for <>) at character 3'],
    ['a =~ 1', 'found "~" (write ~ for =~) at character 3'],
    ['!a', 'expected the name of a field, or text that is in any of them, found "!" (write not for !) at character 0'],
    ['a = ', 'expected a value behind "=", found the end at character 4'],
    ['a == 1', 'expected a value behind "=", found "=" (write = for ==) at character 3'],
    ['a = 1 b = 2', 'expected "and", "or" or the end, found "b" at character 6'],
    ['a = 1 and', 'expected the name of a field, or text that is in any of them, found the end at character 9'],
    ['(a = 1', 'expected "and", "or" or ")", found the end at character 6'],
    ['a = 1)', 'expected "and", "or" or the end, found ")" at character 5'],
    ["a = 'x", "expected another ' that closes the one here at character 4"],
    ["'a' = 1", 'expected the name of a field, in double quotes, found "\'" at character 0'],
    ['a. = 1', 'expected a name behind the dot, found " " at character 2'],
    ['a < null', 'expected = or != before null, found < at character 2'],
    ['a ~ null', 'expected = or != before null, found ~ at character 2'],
    ['a >= true', 'expected = or != before true, found >= at character 2'],
    [`a b${'c'.repeat(100)}`, `found "b${'c'.repeat(39)}…" at character 2`],
  ])('%s', (text, want) => {
    expect(() => parseExpression(text)).toThrow(want)
    expect(() => parseExpression(text)).toThrow(FormatError)
  })
})

describe('parseExpression is bounded', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}a=1${')'.repeat(depth)}`
  const many = (count: number): string => Array.from({ length: count }, () => 'a=1').join(' or ')

  test('in characters', () => {
    const filled = (length: number): string => `a = '${'x'.repeat(length - 6)}'`
    expect(() => parseExpression(filled(maxWhereChars))).not.toThrow()
    expect(() => parseExpression(filled(maxWhereChars + 1))).toThrow('expected at most 4096 characters, found more')
  })

  test('in depth', () => {
    expect(() => parseExpression(nested(maxWhereDepth))).not.toThrow()
    expect(() => parseExpression(nested(maxWhereDepth + 1))).toThrow('expected at most 50 levels')
    expect(() => parseExpression(`${'not '.repeat(maxWhereDepth + 1)}a=1`)).toThrow('expected at most 50 levels')
  })

  test('in comparisons', () => {
    const list = (count: number): string => `a in (${Array.from({ length: count }, () => 1).join()})`
    expect(() => parseExpression(list(maxComparisons))).not.toThrow()
    expect(() => parseExpression(list(maxComparisons + 1))).toThrow('expected at most 100 comparisons')
    expect(() => parseExpression(many(maxComparisons))).not.toThrow()
    expect(() => parseExpression(many(maxComparisons + 1))).toThrow('expected at most 100 comparisons')
  })
})
