import { describe, expect, test } from 'vitest'
import { parseGlob } from '../../../../admin/cli/files/glob.ts'

describe('parseGlob', () => {
  test.each([
    ['*', ['', 'a', '.hidden', 'a b']],
    ['a*c', ['ac', 'abc', 'abcbc'], ['a', 'bac', 'acb']],
    ['?', ['a', '😀', ' '], ['', 'ab']],
    ['[abc]x', ['ax', 'cx'], ['dx', 'x']],
    ['[a-c]', ['a', 'b', 'c'], ['d', '-', 'B']],
    ['[^a-c]', ['d', '-'], ['a', 'c', '']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['[\\]]', [']'], ['\\']],
    ['{a,b*}', ['a', 'b', 'bx'], ['ax', 'c']],
    ['x{a,{b,c}d}y', ['xay', 'xbdy', 'xcdy'], ['xy', 'xby']],
    ['{,a}b', ['b', 'ab'], ['a']],
    ['a,b', ['a,b'], ['a']],
    ['\\*', ['*'], ['a', '\\*']],
    ['\\{a}', ['{a}'], ['a']],
    ['a.b', ['a.b'], ['axb']],
    ['*\n*', ['a\nb'], ['ab']],
  ])('%j', (pattern, yes, no = []) => {
    const test = parseGlob(pattern)
    for (const name of yes) expect(test(name), name).toBe(true)
    for (const name of no) expect(test(name), name).toBe(false)
  })

  test.each(['[a', '{a', 'a\\', '[a-', '{a,{b}'])('%j is refused', pattern =>
    expect(() => parseGlob(pattern)).toThrow('is not one'),
  )

  test('braces expand to a bounded number of patterns', () => {
    expect(parseGlob('{a,b}'.repeat(9))('ababababa')).toBe(true)
    expect(() => parseGlob('{a,b}'.repeat(60))).toThrow('more than 1000')
  })

  test('upper and lower case alike', () => {
    expect(parseGlob('*.CSV', { ignoreCase: true })('a.csv')).toBe(true)
    expect(parseGlob('*.CSV')('a.csv')).toBe(false)
  })
})
