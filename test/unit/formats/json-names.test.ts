import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/formats/json.ts'
import { hasEscapedName } from '../../../src/formats/json-names.ts'

/**
 * Text that this engine misreads after objects with the first of each pair; each names its own object, for that lasts.
 */
const misread = [
  ['{"q1":1,"\\\\":0}', '{"q1":1,"\\u0061":0}', ['q1', 'a']],
  ['{"q2":1,"\\\\":0}', '{"q2":1,"\\n":0}', ['q2', '\n']],
  ['{"q3":1,"\\\\u":0}', '{"q3":1,"\\u0061b":0}', ['q3', 'ab']],
  ['[{"q4":1,"\\\\":0}]', '[{"q4":1,"\\u0061" : 0}]', ['q4', 'a']],
] as const

describe('a name with an escape', () => {
  test.each(misread)('behind %s is read from %s as it is written', (first, then, want) => {
    parseJson(first)
    JSON.parse(first)
    const value = parseJson(then)
    expect(Object.keys(Array.isArray(value) ? (value[0] ?? {}) : (value ?? {}))).toEqual(want)
  })

  test.each([
    ['{"a":1}', false],
    ['{"\\u0061":1}', true],
    ['{"a\\"":1}', true],
    ['{"\\\\" \t\r\n:1}', true],
    ['{"a":"\\u0061"}', false],
    ['["\\\\","b"]', false],
    ['{"a":"\\\\","b":1}', false],
    ['{"a":"\\\\","\\\\":1}', true],
    ['{"a":"{\\"b\\":1}"}', false],
    ['{"a":"\\":","b":"\\\\\\":"}', false],
    ['{"a":["\\n",{"b\\n":[]}]}', true],
    ['"\\', false],
    ['"\\"', false],
    ['\\', false],
  ])('of %s: %s', (text, want) => {
    expect(hasEscapedName(text)).toBe(want)
  })

  test('is found in whatever JSON.stringify writes, and nothing else is', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '"', '\\', ':', '\n', '{', ',') })
    const { value } = fc.letrec(tie => ({
      value: fc.oneof({ maxDepth: 3 }, name, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
    }))
    const isEscaped = (one: unknown): boolean => {
      if (typeof one !== 'object' || one === null) return false
      if (Array.isArray(one)) return one.some(isEscaped)
      return Object.entries(one).some(([key, inner]) => /["\\\n]/.test(key) || isEscaped(inner))
    }
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1), (one, indent) => {
        expect(hasEscapedName(JSON.stringify(one, null, indent))).toBe(isEscaped(one))
      }),
      { numRuns: 2_000 },
    )
  })

  test('takes time that grows with the text alone', () => {
    // Were each escape followed to the end of its string, it would be a minute.
    const text = `{"a":"${'\\n'.repeat(2_000_000)}"}`
    expect(hasEscapedName(text)).toBe(false)
  })
})
